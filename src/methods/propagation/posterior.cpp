#include "methods/propagation/posterior.h"

#include <algorithm>
#include <cmath>

namespace dalaup {
namespace {

constexpr std::size_t kPosteriorsPerPiece = 64;
constexpr int kSweeps = 5;
constexpr double kMostLogWeight = 20.0;
constexpr double kLeastLogWeight = -80.0;

}  // namespace

std::vector<float> posterior_log_odds(const NetworkPair& networks, const Propagated& state,
                                      const FeatureMaker& features, const PairModel& model,
                                      Run& run) {
  const BoundedRows<ListedPair>& lists = state.lists.pairs;
  const RowRange own = lists.rows();
  std::vector<float> weights(lists.room());
  for_rows(run, own, kPosteriorsPerPiece, [&](const Piece& piece) {
    std::vector<PairFeatures> pairs;
    UserFeatures none;
    for (std::size_t user = piece.begin; user < piece.end; ++user) {
      if (lists.of(user).empty()) continue;
      features.describe(static_cast<UserId>(user), pairs, none);
      const double log_none = model.log_none(none);
      for (std::size_t i = 0; i < pairs.size(); ++i)
        weights[lists.begin_of(user) + i] = static_cast<float>(std::exp(
            std::clamp(model.log_weight(pairs[i]) - log_none, kLeastLogWeight, kMostLogWeight)));
    }
  });

  // messages[pair]: first the chance that b is free of others, then the odds a offers b.
  std::vector<float> messages(weights.size(), 1.0F);
  const RowBlocks blocks(networks.a.both().begins, communicator_of(run));
  ColumnSums offers(blocks, networks.b.user_count(), communicator_of(run));
  const auto offer = [&](std::size_t user) {
    const std::size_t first = lists.begin_of(user);
    const std::size_t count = lists.of(user).size();
    double total = 1.0;
    for (std::size_t i = first; i < first + count; ++i) total += double{weights[i]} * messages[i];
    for (std::size_t i = first; i < first + count; ++i)
      messages[i] =
          static_cast<float>(weights[i] / std::max(1e-9, total - double{weights[i]} * messages[i]));
  };
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    offers.collect(run, [&](std::size_t user, std::vector<double>& sums) {
      offer(user);
      const auto pairs = lists.of(user);
      for (std::size_t i = 0; i < pairs.size(); ++i)
        sums[pairs[i].partner] += messages[lists.begin_of(user) + i];
    });
    for_rows(run, own, kPosteriorsPerPiece, [&](const Piece& piece) {
      for (std::size_t user = piece.begin; user < piece.end; ++user) {
        const auto pairs = lists.of(user);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
          float& message = messages[lists.begin_of(user) + i];
          message = static_cast<float>(
              1.0 / (1.0 + std::max(0.0, offers[pairs[i].partner] - double{message})));
        }
      }
    });
  }
  const std::vector<float> free_chance = messages;
  for_rows(run, own, kPosteriorsPerPiece, [&](const Piece& piece) {
    for (std::size_t user = piece.begin; user < piece.end; ++user) offer(user);
  });
  for (std::size_t i = 0; i < messages.size(); ++i)
    messages[i] = std::log(std::max(messages[i] * free_chance[i], 1e-37F));
  return messages;
}

}  // namespace dalaup
