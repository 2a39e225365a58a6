#include <algorithm>
#include <cmath>

#include "context/walk.h"

namespace dalaup {
namespace {

constexpr std::size_t kContextsPerPiece = 64;
constexpr float kLeastWalkMass = 1e-4F;  // less says nothing a candidate list would show
constexpr std::uint32_t kNoAnchor = ~std::uint32_t{0};

using Entries = std::vector<ContextEntry>;

bool is_heavier(const ContextEntry& left, const ContextEntry& right) {
  return left.weight != right.weight ? left.weight > right.weight : left.anchor < right.anchor;
}
bool is_earlier(const ContextEntry& left, const ContextEntry& right) {
  return left.anchor < right.anchor;
}

void keep_strongest(Entries& entries, std::size_t count) {
  if (entries.size() <= count) return;
  std::nth_element(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(count),
                   entries.end(), is_heavier);
  entries.resize(count);
}

// One worker's sums over anchors.
struct AnchorSums {
  std::vector<float> values;
  std::vector<std::uint32_t> touched;

  void add(std::uint32_t anchor, float amount) {
    if (values[anchor] == 0.0F) touched.push_back(anchor);
    values[anchor] += amount;
  }
  // Leaves all sums 0.
  void move_to(Entries& entries, float least) {
    entries.clear();
    for (const std::uint32_t anchor : touched) {
      if (values[anchor] >= least) entries.push_back({anchor, values[anchor]});
      values[anchor] = 0.0F;
    }
    touched.clear();
  }
};

// The visits of every user as few entries: small ones are dropped at every step, and edge weights
// are not looked at.
class SparseForm {
 public:
  SparseForm(const Adjacency& steps, std::span<const std::uint32_t> anchor_of,
             std::size_t anchor_count, std::size_t most_entries, Task& task, Run& run)
      : steps_(steps),
        anchor_of_(anchor_of),
        most_entries_(most_entries),
        task_(task),
        run_(run),
        current_(anchor_of.size()),
        next_(anchor_of.size()),
        sums_(static_cast<std::size_t>(run.threads())) {
    for (AnchorSums& sum : sums_) sum.values.assign(anchor_count, 0.0F);
  }

  void begin(float weight) {
    for (std::size_t user = 0; user < anchor_of_.size(); ++user)
      if (anchor_of_[user] != kNoAnchor) current_[user] = {{anchor_of_[user], weight}};
  }
  void step(float weight) {
    run_.for_pieces(anchor_of_.size(), kContextsPerPiece, [&](const Piece& piece) {
      AnchorSums& sum = sums_[static_cast<std::size_t>(piece.worker)];
      for (std::size_t user = piece.begin; user < piece.end; ++user) {
        add_neighbours(static_cast<UserId>(user), sum);
        if (anchor_of_[user] != kNoAnchor) sum.add(anchor_of_[user], weight);
        sum.move_to(next_[user], 0.2F * kLeastWalkMass);
        keep_strongest(next_[user], most_entries_);
      }
      task_.advance(piece.end - piece.begin);
    });
    current_.swap(next_);
  }
  void finish(float weight) { step(weight); }
  std::vector<Entries> take() { return std::move(current_); }

 private:
  void add_neighbours(UserId user, AnchorSums& sum) const {
    const auto neighbours = steps_.of(user);
    if (neighbours.empty()) {  // stays where it is
      for (const ContextEntry& entry : current_[user]) sum.add(entry.anchor, entry.weight);
      return;
    }
    const float share = 1.0F / static_cast<float>(neighbours.size());
    for (const UserId neighbour : neighbours)
      for (const ContextEntry& entry : current_[neighbour])
        sum.add(entry.anchor, share * entry.weight);
  }

  const Adjacency& steps_;
  std::span<const std::uint32_t> anchor_of_;
  std::size_t most_entries_;
  Task& task_;
  Run& run_;
  std::vector<Entries> current_;
  std::vector<Entries> next_;
  std::vector<AnchorSums> sums_;
};

// Replaces masses by logarithms; returns each anchor's mean square over users.
std::vector<double> take_logarithms(std::vector<Entries>& rows, std::size_t anchor_count,
                                    float unit) {
  std::vector<double> mean_squares(anchor_count, 0.0);
  for (Entries& row : rows) {
    std::erase_if(row, [](const ContextEntry& entry) { return entry.weight < kLeastWalkMass; });
    for (ContextEntry& entry : row) {
      entry.weight = std::log1p(entry.weight / unit);
      mean_squares[entry.anchor] +=
          double{entry.weight} * entry.weight / static_cast<double>(rows.size());
    }
  }
  return mean_squares;
}

// Scales, shortens and normalises rows, and appends them to `contexts` under shifted anchors.
void append_directions(std::vector<Entries>& rows, std::span<const float> anchor_scale,
                       std::size_t directions, std::size_t shift, std::size_t context_size,
                       std::vector<Entries>& contexts, Run& run) {
  run.for_pieces(rows.size(), kContextsPerPiece, [&](const Piece& piece) {
    for (std::size_t user = piece.begin; user < piece.end; ++user) {
      Entries& row = rows[user];
      for (ContextEntry& entry : row) entry.weight *= anchor_scale[entry.anchor];
      keep_strongest(row, context_size);
      std::ranges::sort(row, is_earlier);
      double square = 0.0;
      for (const ContextEntry& entry : row) square += double{entry.weight} * entry.weight;
      if (square <= 0.0) continue;
      const auto scale =
          static_cast<float>(1.0 / std::sqrt(square * static_cast<double>(directions)));
      for (const ContextEntry& entry : row)
        contexts[user].push_back(
            {static_cast<std::uint32_t>(entry.anchor + shift), entry.weight * scale});
      Entries().swap(row);
    }
  });
}

Rows<ContextEntry> packed(const std::vector<Entries>& rows) {
  Rows<ContextEntry> result;
  std::size_t count = 0;
  for (const Entries& row : rows) count += row.size();
  result.items.reserve(count);
  result.begins.reserve(rows.size() + 1);
  for (const Entries& row : rows) {
    result.items.insert(result.items.end(), row.begin(), row.end());
    result.end_row();
  }
  return result;
}

std::vector<std::uint32_t> anchor_indices(UserId users, std::span<const UserPair> anchors,
                                          Side side) {
  std::vector<std::uint32_t> indices(users, kNoAnchor);
  for (std::size_t anchor = 0; anchor < anchors.size(); ++anchor)
    indices[anchors[anchor].on(side)] = static_cast<std::uint32_t>(anchor);
  return indices;
}

}  // namespace

AnchorContext sparse_relative_contexts(const NetworkPair& networks,
                                       std::span<const UserPair> anchors,
                                       const RelativeContextParams& params, Run& run) {
  const auto anchor_of_a = anchor_indices(networks.a.user_count(), anchors, Side::kA);
  const auto anchor_of_b = anchor_indices(networks.b.user_count(), anchors, Side::kB);
  const auto unit = static_cast<float>(params.log_unit);
  const std::size_t directions = direction_count(networks);
  std::vector<Entries> contexts_a(networks.a.user_count());
  std::vector<Entries> contexts_b(networks.b.user_count());
  Task task(run, "walking to anchors",
            directions * static_cast<std::uint64_t>(params.walk_steps) *
                (contexts_a.size() + contexts_b.size()));
  for (std::size_t direction = 0; direction < directions; ++direction) {
    const auto visits = [&](const Network& network, std::span<const std::uint32_t> anchor_of) {
      SparseForm form(steps_of(network, direction), anchor_of, anchors.size(),
                      4 * static_cast<std::size_t>(params.most_entries), task, run);
      take_walk(form, params.restart_probability, params.walk_steps);
      return form.take();
    };
    auto rows_a = visits(networks.a, anchor_of_a);
    auto rows_b = visits(networks.b, anchor_of_b);
    const auto squares_a = take_logarithms(rows_a, anchors.size(), unit);
    const auto squares_b = take_logarithms(rows_b, anchors.size(), unit);
    std::vector<float> scale(anchors.size());
    for (std::size_t anchor = 0; anchor < anchors.size(); ++anchor)
      scale[anchor] = static_cast<float>(
          1.0 / std::sqrt(1e-6 + std::sqrt(squares_a[anchor] * squares_b[anchor])));
    const auto size = static_cast<std::size_t>(params.most_entries);
    const std::size_t shift = direction * anchors.size();
    append_directions(rows_a, scale, directions, shift, size, contexts_a, run);
    append_directions(rows_b, scale, directions, shift, size, contexts_b, run);
  }
  return {packed(contexts_a), packed(contexts_b), directions * anchors.size()};
}

}  // namespace dalaup
