// Contexts as sparse rows: the steps of the dense form (see walk.h), each row of a product gathered
// in an accumulator as wide as the columns and pruned before it is stored.
#include <algorithm>
#include <memory>
#include <utility>

#include "context/walk.h"

namespace dalaup {
namespace {

struct Entry {
  std::uint32_t column;
  float value;
};

// Sums entries by column. A row costs what was added to it, not the number of columns.
class Accumulator {
 public:
  explicit Accumulator(std::size_t columns) : sums_(columns, 0.0F), is_touched_(columns, 0) {}

  void add(std::uint32_t column, float value) {
    if (is_touched_[column] == 0) {
      is_touched_[column] = 1;
      touched_.push_back(column);
    }
    sums_[column] += value;
  }

  // The entries worth keeping, columns rising; the accumulator is empty afterwards.
  std::span<const Entry> take(float smallest, std::size_t most) {
    kept_.clear();
    for (const std::uint32_t column : touched_) {
      if (sums_[column] >= smallest && sums_[column] > 0.0F)
        kept_.push_back({column, sums_[column]});
      sums_[column] = 0.0F;
      is_touched_[column] = 0;
    }
    touched_.clear();
    if (most > 0 && kept_.size() > most) {
      std::ranges::nth_element(kept_, kept_.begin() + static_cast<std::ptrdiff_t>(most),
                               [](const Entry& left, const Entry& right) {
                                 return left.value != right.value ? left.value > right.value
                                                                  : left.column < right.column;
                               });
      kept_.resize(most);
    }
    std::ranges::sort(kept_, {}, &Entry::column);
    return kept_;
  }

 private:
  std::vector<float> sums_;
  std::vector<std::uint8_t> is_touched_;
  std::vector<std::uint32_t> touched_;
  std::vector<Entry> kept_;
};

// The columns a user is the home of; usually none or one, but chosen may repeat users.
class Homes {
 public:
  Homes(UserId users, std::span<const UserId> chosen) : begins_(users + std::size_t{2}, 0) {
    for (const UserId user : chosen) ++begins_[user + 2];
    for (std::size_t user = 2; user < begins_.size(); ++user) begins_[user] += begins_[user - 1];
    columns_.resize(chosen.size());
    for (std::uint32_t column = 0; column < chosen.size(); ++column)
      columns_[begins_[chosen[column] + 1]++] = column;
  }
  std::span<const std::uint32_t> of(UserId user) const {
    return std::span(columns_).subspan(begins_[user], begins_[user + 1] - begins_[user]);
  }

 private:
  std::vector<std::uint32_t> begins_;
  std::vector<std::uint32_t> columns_;
};

struct Pruning {
  float smallest;
  std::size_t most;
};

class SparseWalk {
 public:
  SparseWalk(const Walk& walk, std::span<const UserId> chosen, Run& run)
      : walk_(walk),
        homes_(walk.user_count(), chosen),
        columns_(chosen.size()),
        run_(run),
        accumulators_(static_cast<std::size_t>(run.threads())) {}

  SparseRows start(float weight) {
    return rows_of([&](UserId user, Accumulator& row) { add_home(user, weight, row); }, {0.0F, 0});
  }
  // D * from + weight * I, pruned.
  SparseRows step(const SparseRows& from, float weight, const Pruning& pruning) {
    return rows_of(
        [&](UserId user, Accumulator& row) {
          for (std::uint64_t i = walk_.rows.begins[user]; i < walk_.rows.begins[user + 1]; ++i)
            add_row(from, walk_.rows.users[i],
                    walk_.has_weights() ? walk_.rows.weights[i] : walk_.scale[user], row);
          if (walk_.stays_home(user)) add_row(from, user, 1.0F, row);
          add_home(user, weight, row);
        },
        pruning);
  }

 private:
  void add_home(UserId user, float weight, Accumulator& row) const {
    for (const std::uint32_t column : homes_.of(user)) row.add(column, weight);
  }
  static void add_row(const SparseRows& from, UserId user, float factor, Accumulator& row) {
    for (std::uint64_t i = from.begins[user]; i < from.begins[user + 1]; ++i)
      row.add(from.columns[i], from.values[i] * factor);
  }

  template <class Fill>
  SparseRows rows_of(const Fill& fill, const Pruning& pruning) {
    constexpr std::size_t kGrain = 256;
    const std::size_t users = walk_.user_count();
    std::vector<std::vector<Entry>> parts((users + kGrain - 1) / kGrain);
    SparseRows result;
    result.begins.assign(users + 1, 0);
    run_.for_pieces(users, kGrain, [&](const Piece& piece) {
      auto& accumulator = accumulators_[static_cast<std::size_t>(piece.worker)];
      if (!accumulator) accumulator = std::make_unique<Accumulator>(columns_);
      auto& part = parts[piece.begin / kGrain];
      for (std::size_t user = piece.begin; user < piece.end; ++user) {
        fill(static_cast<UserId>(user), *accumulator);
        const auto kept = accumulator->take(pruning.smallest, pruning.most);
        part.insert(part.end(), kept.begin(), kept.end());
        result.begins[user + 1] = kept.size();
      }
    });
    for (std::size_t user = 0; user < users; ++user) result.begins[user + 1] += result.begins[user];
    result.columns.resize(result.begins.back());
    result.values.resize(result.begins.back());
    run_.for_pieces(parts.size(), 1, [&](const Piece& piece) {
      std::uint64_t to = result.begins[piece.begin * kGrain];
      for (const Entry& entry : std::exchange(parts[piece.begin], {})) {
        result.columns[to] = entry.column;
        result.values[to++] = entry.value;
      }
    });
    return result;
  }

  const Walk& walk_;
  Homes homes_;
  std::size_t columns_;
  Run& run_;
  std::vector<std::unique_ptr<Accumulator>> accumulators_;
};

}  // namespace

SparseRows sparse_context_of_chosen(const Adjacency& steps, std::span<const UserId> chosen,
                                    const SparseContextParams& params, Run& run) {
  check_fields(params);
  check_chosen(steps, chosen);
  const Walk walk(steps, true);  // rows suffice: nothing here walks along columns
  const std::vector<float> weights = power_weights(params.restart_probability, params.walk_steps);
  const auto smallest = static_cast<float>(params.smallest_mass);
  SparseWalk sparse(walk, chosen, run);
  Task task(run, "sparse context", static_cast<std::uint64_t>(params.walk_steps));
  SparseRows rows = sparse.start(weights.back());
  for (int power = params.walk_steps - 1; power >= 0; --power) {
    const std::size_t most = power == 0 ? static_cast<std::size_t>(params.most_entries) : 0;
    rows = sparse.step(rows, weights[static_cast<std::size_t>(power)], {smallest, most});
    task.advance();
  }
  return rows;
}

}  // namespace dalaup
