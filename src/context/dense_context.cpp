// Contexts as dense matrices. Columns are computed in panels of 16: all rows of a panel fit into
// the second-level cache, and one row of it is a cache line. A step of the walk is then a sum of
// such lines over the neighbours of each user. The panel starts with 16 entries, so the first steps
// push from its few non-zero rows; once that is dearer than visiting everyone, steps pull.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <numeric>
#include <utility>

#include "context/walk.h"

namespace dalaup {
namespace {

constexpr std::size_t kLanes = 16;
using Half = Lanes;

struct Line {
  Half low{};
  Half high{};

  static Line load(const float* from) { return {load_lanes(from), load_lanes(from + 8)}; }
  void store(float* to) const {
    store_lanes(to, low);
    store_lanes(to + 8, high);
  }
  void store(float* to, std::size_t count) const {
    if (count == kLanes) return store(to);
    float values[kLanes];
    store(values);
    std::copy_n(values, count, to);
  }
  Line& operator+=(const Line& other) {
    low += other.low;
    high += other.high;
    return *this;
  }
  Line operator*(float factor) const { return {low * factor, high * factor}; }
};

void transpose(Half (&r)[8]) {
  Half s[8];
  for (int i = 0; i < 8; i += 2) {
    s[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    s[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 8; i += 4)
    for (int k = 0; k < 2; ++k) {
      r[i + 2 * k] = __builtin_shufflevector(s[i + k], s[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      r[i + 2 * k + 1] =
          __builtin_shufflevector(s[i + k], s[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; ++i) {
    const Half upper = r[i];
    r[i] = __builtin_shufflevector(upper, r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    r[i + 4] = __builtin_shufflevector(upper, r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

void transpose(Line (&lines)[kLanes]) {
  Half quarters[4][8];  // low halves of the upper and lower lines, then the high halves
  for (int i = 0; i < 8; ++i) {
    quarters[0][i] = lines[i].low;
    quarters[1][i] = lines[i + 8].low;
    quarters[2][i] = lines[i].high;
    quarters[3][i] = lines[i + 8].high;
  }
  for (auto& quarter : quarters) transpose(quarter);
  for (int i = 0; i < 8; ++i) {
    lines[i] = {quarters[0][i], quarters[1][i]};
    lines[i + 8] = {quarters[2][i], quarters[3][i]};
  }
}

// All users' values in 16 columns.
class Panel {
 public:
  explicit Panel(std::size_t users)
      : memory_(static_cast<float*>(
            std::aligned_alloc(64, std::max<std::size_t>(users, 1) * kLanes * sizeof(float)))) {
    if (memory_ == nullptr) throw std::bad_alloc();
    std::fill_n(memory_.get(), users * kLanes, 0.0F);
  }
  float* row(UserId user) { return memory_.get() + user * kLanes; }
  const float* row(UserId user) const { return memory_.get() + user * kLanes; }

 private:
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  std::unique_ptr<float, Free> memory_;
};

// The sum of share * line over a user's row of D, not yet scaled.
template <bool kWeighted>
Line pull_row(const Walk& walk, const Panel& from, UserId user) {
  std::uint64_t i = walk.rows.begins[user];
  const std::uint64_t end = walk.rows.begins[user + 1];
  if (i == end) return Line::load(from.row(user));
  const UserId* const users = walk.rows.users.data();
  const auto line = [&](std::uint64_t at) {
    const Line found = Line::load(from.row(users[at]));
    if constexpr (kWeighted)
      return found * walk.rows.weights[at];
    else
      return found;
  };
  Line even;
  Line odd;
  for (; i + 1 < end; i += 2) {
    even += line(i);
    odd += line(i + 1);
  }
  if (i < end) even += line(i);
  even += odd;
  return even;
}

// The walk into up to 16 columns, but for its last step, which need not be stored.
class PanelWalk {
 public:
  explicit PanelWalk(const Walk& walk)
      : walk_(walk),
        current_(walk.user_count()),
        next_(walk.user_count()),
        is_active_(walk.user_count(), 0) {}

  void begin(std::span<const UserId> homes, float weight) {
    clear_current();
    if (std::exchange(next_is_dirty_, false)) clear_all(next_);
    homes_ = homes;
    add_home(weight);
  }

  // current = D * current + weight * I
  void step(float weight) {
    if (!is_full_ && push_is_cheaper())
      push();
    else
      pull();
    add_home(weight);
  }

  const Panel& current() const { return current_; }

 private:
  void add_home(float weight) {
    for (std::size_t lane = 0; lane < homes_.size(); ++lane) {
      current_.row(homes_[lane])[lane] += weight;
      if (!is_full_) activate(homes_[lane]);
    }
  }
  void activate(UserId user) {
    if (is_active_[user] != 0) return;
    is_active_[user] = 1;
    active_.push_back(user);
  }
  void clear_all(Panel& panel) { std::fill_n(panel.row(0), walk_.user_count() * kLanes, 0.0F); }
  void clear_current() {
    if (std::exchange(is_full_, false)) clear_all(current_);
    for (const UserId user : active_) {
      std::fill_n(current_.row(user), kLanes, 0.0F);
      is_active_[user] = 0;
    }
    active_.clear();
  }

  bool push_is_cheaper() const {
    std::uint64_t lines = 0;
    for (const UserId user : active_)
      lines += walk_.columns.begins[user + 1] - walk_.columns.begins[user] + 1;
    return lines * 2 <
           walk_.rows.users.size();  // a push also writes, and its rows are scaled after
  }

  void add(UserId to, const Line& line) {
    Line sum = Line::load(next_.row(to));
    sum += line;
    sum.store(next_.row(to));
    activate(to);
  }
  void push() {
    sources_.assign(active_.begin(), active_.end());
    for (const UserId user : sources_) is_active_[user] = 0;
    active_.clear();
    for (const UserId user : sources_) {
      const Line line = Line::load(current_.row(user));
      std::fill_n(current_.row(user), kLanes, 0.0F);
      for (std::uint64_t i = walk_.columns.begins[user]; i < walk_.columns.begins[user + 1]; ++i)
        add(walk_.columns.users[i], walk_.has_weights() ? line * walk_.columns.weights[i] : line);
      if (walk_.stays_home(user)) add(user, line);
    }
    for (const UserId user : active_)
      (Line::load(next_.row(user)) * walk_.scale[user]).store(next_.row(user));
    std::swap(current_, next_);
  }

  void pull() {
    const auto pull_all = [&]<bool kWeighted>() {
      for (UserId user = 0; user < walk_.user_count(); ++user)
        (pull_row<kWeighted>(walk_, current_, user) * walk_.scale[user]).store(next_.row(user));
    };
    if (walk_.has_weights())
      pull_all.operator()<true>();
    else
      pull_all.operator()<false>();
    if (is_full_)
      next_is_dirty_ = true;
    else
      clear_current();
    is_full_ = true;
    std::swap(current_, next_);
  }

  const Walk& walk_;
  Panel current_;
  Panel next_;
  std::span<const UserId> homes_;
  std::vector<UserId> active_;  // non-zero rows of current_, unless it is full
  std::vector<UserId> sources_;
  std::vector<std::uint8_t> is_active_;
  bool is_full_ = false;        // any row of current_ may be non-zero
  bool next_is_dirty_ = false;  // otherwise next_ is all zeroes
};

// The last step of a panel straight into columns [first, first + homes.size()) of the result.
template <bool kWeighted>
void write_columns(const Walk& walk, const Panel& panel, std::span<const UserId> homes,
                   std::size_t first, Matrix& result) {
  for (UserId user = 0; user < walk.user_count(); ++user)
    (pull_row<kWeighted>(walk, panel, user) * walk.scale[user])
        .store(&result(user, static_cast<Eigen::Index>(first)), homes.size());
}

// The same for the context of everyone without weights, where row totals times context is a
// symmetric matrix: rows below `first` are known from earlier panels' columns, so only the others
// are summed, and each tile of sums serves both its place and the mirrored one.
void write_mirrored(const Walk& walk, const Panel& panel, std::size_t lanes, std::size_t first,
                    Matrix& result) {
  const std::size_t users = walk.user_count();
  for (std::size_t top = first; top < users; top += kLanes) {
    const std::size_t rows = std::min(kLanes, users - top);
    Line sums[kLanes];
    for (std::size_t row = 0; row < rows; ++row) {
      const auto user = static_cast<UserId>(top + row);
      sums[row] = pull_row<false>(walk, panel, user);
      (sums[row] * walk.scale[user]).store(&result(user, static_cast<Eigen::Index>(first)), lanes);
    }
    if (top == first) continue;  // on the diagonal the tile is its own mirror image
    transpose(sums);
    for (std::size_t lane = 0; lane < lanes; ++lane)
      (sums[lane] * walk.scale[first + lane])
          .store(&result(static_cast<Eigen::Index>(first + lane), static_cast<Eigen::Index>(top)),
                 rows);
  }
}

enum class Columns { kChosen, kEveryone };

// The columns of some of the chosen users, from piece.begin on, as a form of the walk.
struct PanelForm {
  PanelWalk& panel;
  const Walk& walk;
  std::span<const UserId> homes;
  Columns kind;
  std::size_t first;  // column of the result
  Matrix& result;

  void begin(float weight) { panel.begin(homes, weight); }
  void step(float weight) { panel.step(weight); }
  void finish(float weight) {
    if (walk.has_weights())
      write_columns<true>(walk, panel.current(), homes, first, result);
    else if (kind == Columns::kChosen)
      write_columns<false>(walk, panel.current(), homes, first, result);
    else
      write_mirrored(walk, panel.current(), homes.size(), first, result);
    for (std::size_t lane = 0; lane < homes.size(); ++lane)
      result(homes[lane], static_cast<Eigen::Index>(first + lane)) += weight;
  }
};

void dense_context(const Walk& walk, std::span<const UserId> chosen, Columns kind,
                   const ContextParams& params, Run& run, Matrix& result,
                   std::size_t first_column = 0) {
  std::vector<std::unique_ptr<PanelWalk>> walks(static_cast<std::size_t>(run.threads()));
  Task task(run, "structural context", chosen.size());
  run.for_pieces(chosen.size(), kLanes, [&](const Piece& piece) {
    auto& panel = walks[static_cast<std::size_t>(piece.worker)];
    if (!panel) panel = std::make_unique<PanelWalk>(walk);
    const auto homes = chosen.subspan(piece.begin, piece.end - piece.begin);
    PanelForm form{*panel, walk, homes, kind, first_column + piece.begin, result};
    take_walk(form, params.restart_probability, params.walk_steps);
    task.advance(homes.size());
  });
}

void require_room(std::uint64_t users, std::uint64_t columns, const Run& run) {
  const std::uint64_t panels = static_cast<std::uint64_t>(run.threads()) * 2 * users * kLanes;
  require_memory((users * columns + panels) * sizeof(float), "the dense context",
                 "use a smaller network, or the sparse form of the contexts");
}

}  // namespace

void structural_context_into(const Network& network, const ContextParams& params, Run& run,
                             Matrix& result) {
  check_fields(params);
  const UserId users = network.user_count();
  if (result.rows() != users || result.cols() != users) {
    result.resize(0, 0);
    require_room(users, users, run);
    result = large_matrix(users, users);
  }
  std::vector<UserId> everyone(users);
  std::iota(everyone.begin(), everyone.end(), UserId{0});
  dense_context(Walk(network.both(), true), everyone, Columns::kEveryone, params, run, result);
}

Matrix structural_context(const Network& network, const ContextParams& params, Run& run) {
  Matrix result;
  structural_context_into(network, params, run, result);
  return result;
}

void context_of_chosen_into(const Adjacency& steps, std::span<const UserId> chosen,
                            const ContextParams& params, Run& run, Matrix& result,
                            std::size_t first_column) {
  check_fields(params);
  check_chosen(steps, chosen);
  const Walk walk(steps, false);
  const auto columns = static_cast<std::size_t>(result.cols());
  if (static_cast<std::size_t>(result.rows()) != walk.user_count() ||
      first_column + chosen.size() > columns)
    throw ParameterError(fmt::format(
        "context: found a matrix of {} rows and {} columns, expected {} rows and at least {} "
        "columns",
        result.rows(), columns, walk.user_count(), first_column + chosen.size()));
  dense_context(walk, chosen, Columns::kChosen, params, run, result, first_column);
}

}  // namespace dalaup
