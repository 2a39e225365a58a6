#include <algorithm>
#include <cmath>

#include "communicator/communicator.h"
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

// The visits of the users of this rank as few entries: small ones are dropped at every step, and
// edge weights are not looked at. After each step but the last it tells the other ranks.
class SparseForm {
 public:
  SparseForm(const Adjacency& steps, const RowBlocks& blocks,
             std::span<const std::uint32_t> anchor_of, std::size_t anchor_count,
             std::size_t most_entries, Task& task, Run& run)
      : steps_(steps),
        blocks_(blocks),
        anchor_of_(anchor_of),
        most_entries_(most_entries),
        task_(task),
        run_(run),
        own_(blocks.own().size()),
        sums_(static_cast<std::size_t>(run.threads())) {
    for (AnchorSums& sum : sums_) sum.values.assign(anchor_count, 0.0F);
  }

  void begin(float weight) {
    for (const std::uint32_t anchor : anchor_of_) {
      if (anchor != kNoAnchor) current_.items.push_back({anchor, weight});
      current_.end_row();
    }
  }
  void step(float weight) {
    finish(weight);
    current_ = gather_rows(communicator_of(run_), blocks_, packed(own_));
  }
  void finish(float weight) {
    for_rows(run_, blocks_.own(), kContextsPerPiece, [&](const Piece& piece) {
      AnchorSums& sum = sums_[static_cast<std::size_t>(piece.worker)];
      for (std::size_t user = piece.begin; user < piece.end; ++user) {
        add_neighbours(static_cast<UserId>(user), sum);
        if (anchor_of_[user] != kNoAnchor) sum.add(anchor_of_[user], weight);
        Entries& visits = own_[user - blocks_.own().begin];
        sum.move_to(visits, 0.2F * kLeastWalkMass);
        keep_strongest(visits, most_entries_);
      }
      task_.advance(piece.end - piece.begin);
    });
  }
  std::vector<Entries> take() { return std::move(own_); }

 private:
  void add_neighbours(UserId user, AnchorSums& sum) const {
    const auto neighbours = steps_.of(user);
    if (neighbours.empty()) {  // stays where it is
      for (const ContextEntry& entry : current_.of(user)) sum.add(entry.anchor, entry.weight);
      return;
    }
    const float share = 1.0F / static_cast<float>(neighbours.size());
    for (const UserId neighbour : neighbours)
      for (const ContextEntry& entry : current_.of(neighbour))
        sum.add(entry.anchor, share * entry.weight);
  }

  const Adjacency& steps_;
  const RowBlocks& blocks_;
  std::span<const std::uint32_t> anchor_of_;
  std::size_t most_entries_;
  Task& task_;
  Run& run_;
  Rows<ContextEntry> current_;  // of everybody
  std::vector<Entries> own_;    // of this rank
  std::vector<AnchorSums> sums_;
};

// Replaces masses by logarithms; returns each anchor's mean square over the users of all ranks.
std::vector<double> take_logarithms(std::vector<Entries>& rows, const RowBlocks& blocks,
                                    std::size_t anchor_count, float unit, Run& run) {
  ColumnSums squares(blocks, anchor_count, communicator_of(run));
  squares.collect(run, [&](std::size_t user, std::vector<double>& sums) {
    Entries& row = rows[user - blocks.own().begin];
    std::erase_if(row, [](const ContextEntry& entry) { return entry.weight < kLeastWalkMass; });
    for (ContextEntry& entry : row) {
      entry.weight = std::log1p(entry.weight / unit);
      sums[entry.anchor] += double{entry.weight} * entry.weight;
    }
  });
  std::vector<double> mean_squares(anchor_count);
  for (std::size_t anchor = 0; anchor < anchor_count; ++anchor)
    mean_squares[anchor] = squares[anchor] / static_cast<double>(blocks.rows());
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
  Communicator& communicator = communicator_of(run);
  const RowBlocks blocks_a(networks.a.both().begins, communicator);
  const RowBlocks blocks_b(networks.b.both().begins, communicator);
  std::vector<Entries> contexts_a(blocks_a.own().size());
  std::vector<Entries> contexts_b(blocks_b.own().size());
  Task task(run, "walking to anchors",
            directions * static_cast<std::uint64_t>(params.walk_steps) *
                (contexts_a.size() + contexts_b.size()));
  for (std::size_t direction = 0; direction < directions; ++direction) {
    const auto visits = [&](const Network& network, const RowBlocks& blocks,
                            std::span<const std::uint32_t> anchor_of) {
      SparseForm form(steps_of(network, direction), blocks, anchor_of, anchors.size(),
                      4 * static_cast<std::size_t>(params.most_entries), task, run);
      take_walk(form, params.restart_probability, params.walk_steps);
      return form.take();
    };
    auto rows_a = visits(networks.a, blocks_a, anchor_of_a);
    auto rows_b = visits(networks.b, blocks_b, anchor_of_b);
    const auto squares_a = take_logarithms(rows_a, blocks_a, anchors.size(), unit, run);
    const auto squares_b = take_logarithms(rows_b, blocks_b, anchors.size(), unit, run);
    std::vector<float> scale(anchors.size());
    for (std::size_t anchor = 0; anchor < anchors.size(); ++anchor)
      scale[anchor] = static_cast<float>(
          1.0 / std::sqrt(1e-6 + std::sqrt(squares_a[anchor] * squares_b[anchor])));
    const auto size = static_cast<std::size_t>(params.most_entries);
    const std::size_t shift = direction * anchors.size();
    append_directions(rows_a, scale, directions, shift, size, contexts_a, run);
    append_directions(rows_b, scale, directions, shift, size, contexts_b, run);
  }
  return {numbered_rows(blocks_a, packed(contexts_a)),
          gather_rows(communicator, blocks_b, packed(contexts_b)), directions * anchors.size()};
}

}  // namespace dalaup
