// All pairs of two embedding matrices in tiles of scores that never leave the registers unless one
// of them passes the worst candidate kept, which soon is rare: the products dominate.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ranking/ranking.h"
#include "ranking/score_tiles.h"

namespace dalaup {
namespace {

constexpr std::size_t kRowsPerPiece = 16 * kTileRows;  // some 20 kB at d = 56: stay in cache

std::vector<UserId> allowed_rows(const Matrix& embedding, const std::vector<bool>& is_allowed) {
  std::vector<UserId> users;
  for (UserId user = 0; user < embedding.rows(); ++user)
    if (is_allowed.empty() || is_allowed[user]) users.push_back(user);
  return users;
}

void check_shapes(const Matrix& from, const Matrix& to, const std::vector<bool>& is_allowed) {
  if (from.cols() != to.cols())
    throw ParameterError(fmt::format(
        "embeddings: found {} and {} columns, expected the same number", from.cols(), to.cols()));
  if (!is_allowed.empty() && is_allowed.size() != static_cast<std::size_t>(to.rows()))
    throw ParameterError(fmt::format("allowed candidates: found {} entries, expected {}",
                                     is_allowed.size(), to.rows()));
}

// The best candidates met so far, and the score a further one must exceed: candidates come in order
// of id, so one that only equals the least is never better.
class Best {
 public:
  explicit Best(std::size_t top) : top_(top) { heap_.reserve(top); }

  float least() const { return least_; }
  void offer(const Candidate& candidate) {
    if (heap_.size() == top_) {
      std::ranges::pop_heap(heap_, ranks_before);
      heap_.pop_back();
    }
    heap_.push_back(candidate);
    std::ranges::push_heap(heap_, ranks_before);
    if (heap_.size() == top_) least_ = heap_.front().score;
  }
  std::vector<Candidate> take() {
    std::ranges::sort_heap(heap_, ranks_before);
    return std::move(heap_);
  }

 private:
  std::size_t top_;
  std::vector<Candidate> heap_;  // its front is the worst one kept
  float least_ = -std::numeric_limits<float>::infinity();
};

}  // namespace

RankedLists best_by_cosine(const Matrix& from, const Matrix& to, std::span<const UserId> users,
                           std::size_t top, const CandidateFilter& filter, Run& run) {
  check_shapes(from, to, filter.is_allowed);
  const UnitRows rows(from, {users.begin(), users.end()}, run);
  const UnitPanels panels(to, allowed_rows(to, filter.is_allowed), run);
  RankedLists lists(users.size());
  for (std::size_t at = 0; at < users.size(); ++at) lists[at].user = users[at];
  top = std::min(top, panels.size());
  if (top == 0) return lists;
  Task task(run, "ranking", users.size());
  run.for_pieces(users.size(), kRowsPerPiece, [&](const Piece& piece) {
    std::vector<Best> best;
    for (std::size_t row = piece.begin; row < piece.end; ++row) best.emplace_back(top);
    const auto offer = [&](std::size_t row, std::size_t panel, const ScoreTile& tile,
                           std::size_t tile_row) {
      float scores[kTileColumns];
      tile.store_row(tile_row, scores);
      const std::size_t first = panel * kTileColumns;
      const std::size_t count = std::min(kTileColumns, panels.size() - first);
      Best& kept = best[row - piece.begin];
      for (std::size_t i = 0; i < count; ++i) {
        if (!(scores[i] > kept.least())) continue;
        const UserId candidate = panels.user(first + i);
        if (!filter.is_refused || !filter.is_refused(users[row], candidate))
          kept.offer({candidate, scores[i]});
      }
    };
    for (std::size_t panel = 0; panel < panels.panel_count(); ++panel)
      for (std::size_t first = piece.begin; first < piece.end; first += kTileRows) {
        const ScoreTile tile = score_tile(rows, first, panels.panel(panel));
        const std::size_t count = std::min(kTileRows, piece.end - first);
        for (std::size_t row = 0; row < count; ++row)
          if (tile.any_above(row, best[first - piece.begin + row].least()))
            offer(first + row, panel, tile, row);
      }
    for (std::size_t row = piece.begin; row < piece.end; ++row)
      lists[row].candidates = best[row - piece.begin].take();
    task.advance(piece.end - piece.begin);
  });
  return lists;
}

std::vector<double> ranks_by_cosine(const Matrix& from, const Matrix& to,
                                    std::span<const UserPair> pairs,
                                    const std::vector<bool>& is_allowed, Run& run) {
  check_shapes(from, to, is_allowed);
  std::vector<UserId> users;
  for (const UserPair& pair : pairs) users.push_back(pair.a);
  const UnitRows rows(from, std::move(users), run);
  // Everyone is scored, so that a partner that is no candidate itself has a rank too.
  const UnitPanels panels(to, allowed_rows(to, {}), run);
  std::vector<std::uint8_t> counts(panels.panel_count() * kTileColumns, 0);
  for (std::size_t user = 0; user < panels.size(); ++user)
    counts[user] = is_allowed.empty() || is_allowed[user] ? 1 : 0;
  std::vector<double> ranks(pairs.size());
  Task task(run, "ranks", pairs.size());
  run.for_pieces(pairs.size(), kRowsPerPiece, [&](const Piece& piece) {
    float scores[kTileColumns];
    for (std::size_t first = piece.begin; first < piece.end; first += kTileRows) {
      const std::size_t count = std::min(kTileRows, piece.end - first);
      float own[kTileRows] = {};
      for (std::size_t row = 0; row < count; ++row) {
        const UserId partner = pairs[first + row].b;
        score_tile(rows, first, panels.panel(partner / kTileColumns)).store_row(row, scores);
        own[row] = scores[partner % kTileColumns];
      }
      std::uint64_t higher[kTileRows] = {};
      std::uint64_t equal[kTileRows] = {};  // with the partner itself, if it counts
      for (std::size_t panel = 0; panel < panels.panel_count(); ++panel) {
        const ScoreTile tile = score_tile(rows, first, panels.panel(panel));
        for (std::size_t row = 0; row < count; ++row) {
          tile.store_row(row, scores);
          for (std::size_t i = 0; i < kTileColumns; ++i) {
            const std::uint8_t one = counts[panel * kTileColumns + i];
            higher[row] += scores[i] > own[row] ? one : 0;
            equal[row] += scores[i] == own[row] ? one : 0;
          }
        }
      }
      for (std::size_t row = 0; row < count; ++row)
        ranks[first + row] = 1.0 + static_cast<double>(higher[row]) +
                             0.5 * static_cast<double>(equal[row] - counts[pairs[first + row].b]);
    }
    task.advance(piece.end - piece.begin);
  });
  return ranks;
}

namespace {

// Ends in the same peak whatever the order of the offers.
void offer(Peak& peak, UserId user, float score) {
  if (score < peak.next) return;
  if (score > peak.best || (score == peak.best && user < peak.partner)) {
    peak.next = peak.best;
    peak.best = score;
    peak.partner = user;
  } else {
    peak.next = score;
  }
}

}  // namespace

Peaks peaks_by_cosine(const Matrix& a, const Matrix& b, const std::vector<bool>& is_allowed_a,
                      const std::vector<bool>& is_allowed_b, Run& run) {
  check_shapes(a, b, is_allowed_b);
  check_shapes(b, a, is_allowed_a);
  const UnitRows rows(a, allowed_rows(a, {}), run);
  const UnitPanels panels(b, allowed_rows(b, {}), run);
  Peaks peaks{std::vector<Peak>(rows.size()), std::vector<Peak>(panels.size())};
  std::vector<std::vector<Peak>> of_worker(static_cast<std::size_t>(run.threads()));
  Task task(run, "peaks", rows.size());
  run.for_pieces(rows.size(), kRowsPerPiece, [&](const Piece& piece) {
    auto& columns = of_worker[static_cast<std::size_t>(piece.worker)];
    columns.resize(panels.size());
    float scores[kTileColumns];
    for (std::size_t panel = 0; panel < panels.panel_count(); ++panel) {
      const std::size_t begin = panel * kTileColumns;
      const std::size_t width = std::min(kTileColumns, panels.size() - begin);
      for (std::size_t first = piece.begin; first < piece.end; first += kTileRows) {
        const ScoreTile tile = score_tile(rows, first, panels.panel(panel));
        for (std::size_t row = first; row < std::min(first + kTileRows, piece.end); ++row) {
          tile.store_row(row - first, scores);
          const bool counts = is_allowed_a.empty() || is_allowed_a[row];
          for (std::size_t i = 0; i < width; ++i) {
            if (is_allowed_b.empty() || is_allowed_b[begin + i])
              offer(peaks.a[row], static_cast<UserId>(begin + i), scores[i]);
            if (counts) offer(columns[begin + i], static_cast<UserId>(row), scores[i]);
          }
        }
      }
    }
    task.advance(piece.end - piece.begin);
  });
  for (const auto& columns : of_worker)
    for (std::size_t user = 0; user < columns.size(); ++user) {
      if (columns[user].partner == kNoUser) continue;
      offer(peaks.b[user], columns[user].partner, columns[user].best);
      offer(peaks.b[user], kNoUser, columns[user].next);
    }
  return peaks;
}

}  // namespace dalaup
