#include "methods/propagation/soft_matching.h"

#include <algorithm>
#include <cmath>

namespace dalaup {
namespace {

constexpr std::size_t kMatchedPerPiece = 512;
constexpr double kLeastColumnMass = 1e-6;

// exp((score - best) / temperature) of the listed pairs, less the weight every unlisted pair of the
// row has: the plan's kernel is this sparse part plus rest[a] in every column.
struct Kernel {
  std::vector<float> excess;  // beside the listed pairs
  std::vector<double> rest;
};

Kernel kernel_of(const PairLists& lists, const std::vector<std::uint8_t>& open_a,
                 std::size_t open_count_b, double temperature, Run& run) {
  Kernel kernel{std::vector<float>(lists.pairs.room()), std::vector<double>(open_a.size(), 0.0)};
  for_rows(run, lists.pairs.rows(), kMatchedPerPiece, [&](const Piece& piece) {
    for (std::size_t user = piece.begin; user < piece.end; ++user) {
      if (!open_a[user]) continue;
      const auto pairs = lists.pairs.of(user);
      if (pairs.empty()) {
        kernel.rest[user] = 1.0;
        continue;
      }
      const double best = lists.best_score(user);
      const double unlisted = static_cast<double>(open_count_b) - static_cast<double>(pairs.size());
      double& rest = kernel.rest[user];
      if (unlisted > 0.0)
        rest = std::exp(std::min(0.0, lists.rest_log[user] - best / temperature)) +
               lists.cut_mass[user] / unlisted;
      float* const excess = kernel.excess.data() + lists.pairs.begin_of(user);
      for (std::size_t i = 0; i < pairs.size(); ++i)
        excess[i] = static_cast<float>(
            std::max(0.0, std::exp((lists.score(pairs[i]) - best) / temperature) - rest));
    }
  });
  return kernel;
}

}  // namespace

float PairLists::best_score(std::size_t user) const {
  float best = 0.0F;
  for (const ListedPair& pair : pairs.of(user)) best = std::max(best, score(pair));
  return best;
}

TransportPlan balanced_plan(const PairLists& lists, const RowBlocks& blocks,
                            const std::vector<std::uint8_t>& open_a,
                            const std::vector<std::uint8_t>& open_b, double temperature, int sweeps,
                            Run& run) {
  const std::size_t users_a = open_a.size();
  const std::size_t users_b = open_b.size();
  const auto open_count_b = static_cast<std::size_t>(std::ranges::count(open_b, 1));
  const Kernel kernel = kernel_of(lists, open_a, open_count_b, temperature, run);
  TransportPlan plan{temperature, std::vector<double>(users_a, 0.0),
                     std::vector<double>(open_b.begin(), open_b.end())};
  ColumnSums columns(blocks, users_b + 1, communicator_of(run));  // the last: rest[a] of all rows
  for (int sweep = 0; sweep <= sweeps; ++sweep) {
    double all_columns = 0.0;
    for (const double scale : plan.column_scale) all_columns += scale;
    columns.collect(run, [&](std::size_t user, std::vector<double>& sums) {
      if (!open_a[user]) return;
      const auto pairs = lists.pairs.of(user);
      const float* const excess = kernel.excess.data() + lists.pairs.begin_of(user);
      double mass = kernel.rest[user] * all_columns;
      for (std::size_t i = 0; i < pairs.size(); ++i)
        mass += double{excess[i]} * plan.column_scale[pairs[i].partner];
      const double scale = mass > 0.0 ? 1.0 / mass : 0.0;
      plan.row_scale[user] = scale;
      for (std::size_t i = 0; i < pairs.size(); ++i)
        sums[pairs[i].partner] += scale * double{excess[i]};
      sums[users_b] += scale * kernel.rest[user];
    });
    if (sweep == sweeps) break;
    for (std::size_t user = 0; user < users_b; ++user)
      if (open_b[user])
        plan.column_scale[user] =
            1.0 / std::max(columns[user] + columns[users_b], kLeastColumnMass);
  }
  return plan;
}

Rows<WeightedUser> matched_users(const PairLists& lists, const RowBlocks& blocks,
                                 const TransportPlan& plan, std::span<const UserPair> anchors,
                                 double least_match, Run& run) {
  std::vector<UserId> partner(blocks.rows(), kNoUser);
  for (const UserPair& anchor : anchors) partner[anchor.a] = anchor.b;
  const RowRange own = lists.pairs.rows();
  std::vector<Rows<WeightedUser>> parts((own.size() + kMatchedPerPiece - 1) / kMatchedPerPiece);
  for_rows(run, own, kMatchedPerPiece, [&](const Piece& piece) {
    Rows<WeightedUser>& part = parts[(piece.begin - own.begin) / kMatchedPerPiece];
    for (std::size_t user = piece.begin; user < piece.end; ++user) {
      if (partner[user] != kNoUser) {
        part.items.push_back({partner[user], 1.0F});
      } else if (plan.row_scale[user] > 0.0) {
        const double best = lists.best_score(user);
        for (const ListedPair& pair : lists.pairs.of(user)) {
          const double most = plan.row_scale[user] * plan.column_scale[pair.partner];
          if (most < least_match) continue;
          const double weight = most * std::exp((lists.score(pair) - best) / plan.temperature);
          if (weight >= least_match)
            part.items.push_back({pair.partner, static_cast<float>(std::min(1.0, weight))});
        }
      }
      part.end_row();
    }
  });
  Rows<WeightedUser> matched;
  matched.begins.reserve(own.size() + 1);
  for (const Rows<WeightedUser>& part : parts) {
    const std::size_t before = matched.items.size();
    matched.items.insert(matched.items.end(), part.items.begin(), part.items.end());
    for (std::size_t row = 1; row <= part.size(); ++row)
      matched.begins.push_back(before + part.begins[row]);
  }
  return gather_rows(communicator_of(run), blocks, std::move(matched));
}

}  // namespace dalaup
