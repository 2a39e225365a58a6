// All pairs of two embedding matrices in tiles of scores. A row of a tile is looked at only when
// one of its scores passes the worst candidate kept, which soon is rare: the products dominate.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ranking/ranking.h"
#include "ranking/score_tiles.h"

namespace dalaup {
namespace {

constexpr std::size_t kPanelsPerPiece = 8;
constexpr std::size_t kRowsPerPiece = kPanelsPerPiece * kTileRows;

// The panels of rows that a piece of at most kRowsPerPiece rows covers.
std::size_t panels_of(const Piece& piece) {
  return (piece.end - piece.begin + kTileRows - 1) / kTileRows;
}

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
// of id, so one that only equals the least is never better. Up to `top` more are
// buffered, then pruned at once, which costs the same per candidate however long the list.
class Best {
 public:
  explicit Best(std::size_t top) : top_(top) { met_.reserve(2 * top); }

  float least() const { return least_; }
  void offer(const Candidate& candidate) {
    met_.push_back(candidate);
    if (met_.size() == 2 * top_) sift();
  }
  std::vector<Candidate> take() {
    if (met_.size() > top_) sift();
    std::ranges::sort(met_, is_better);
    return std::move(met_);
  }

 private:
  // ranks_before as a type, so that algorithms do not call it through a pointer.
  static constexpr auto is_better = [](const Candidate& left, const Candidate& right) {
    return ranks_before(left, right);
  };
  void sift() {
    std::ranges::nth_element(met_, met_.begin() + static_cast<std::ptrdiff_t>(top_) - 1, is_better);
    met_.resize(top_);
    least_ = met_.back().score;
  }

  std::size_t top_;
  std::vector<Candidate> met_;
  float least_ = -std::numeric_limits<float>::infinity();
};

}  // namespace

RankedLists best_by_cosine(const Matrix& from, const Matrix& to, std::span<const UserId> users,
                           std::size_t top, const CandidateFilter& filter, Run& run) {
  check_shapes(from, to, filter.is_allowed);
  const UnitPanels rows(from, {users.begin(), users.end()}, kTileRows, run);
  const UnitPanels panels(to, allowed_rows(to, filter.is_allowed), kTileColumns, run);
  RankedLists lists(users.size());
  for (std::size_t at = 0; at < users.size(); ++at) lists[at].user = users[at];
  top = std::min(top, panels.size());
  if (top == 0) return lists;
  Task task(run, "ranking", users.size());
  run.for_pieces(users.size(), kRowsPerPiece, [&](const Piece& piece) {
    std::vector<Best> best;
    for (std::size_t row = piece.begin; row < piece.end; ++row) best.emplace_back(top);
    const auto offer = [&](std::size_t row, std::size_t panel, const float* scores) {
      const std::size_t first = panel * kTileColumns;
      const std::size_t count = std::min(kTileColumns, panels.size() - first);
      Best& kept = best[row - piece.begin];
      std::size_t passing[kTileColumns];  // gathered without branches, which would be guesses
      std::size_t passing_count = 0;
      for (std::size_t i = 0; i < count; ++i) {
        passing[passing_count] = i;
        passing_count += scores[i] > kept.least() ? 1 : 0;
      }
      for (std::size_t at = 0; at < passing_count; ++at) {
        const float score = scores[passing[at]];
        if (!(score > kept.least())) continue;
        const UserId candidate = panels.user(first + passing[at]);
        if (!filter.is_refused || !filter.is_refused(users[row], candidate))
          kept.offer({candidate, score});
      }
    };
    for_score_tiles(rows, piece.begin / kTileRows, panels_of(piece), panels,
                    [&](std::size_t row_panel, std::size_t panel, const ScoreTile& tile) {
                      const std::size_t first = row_panel * kTileRows;
                      const std::size_t count = std::min(kTileRows, piece.end - first);
                      for (std::size_t row = 0; row < count; ++row)
                        if (tile.any_above(row, best[first - piece.begin + row].least()))
                          offer(first + row, panel, tile.scores[row]);
                    });
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
  const UnitPanels rows(from, std::move(users), kTileRows, run);
  // Everyone is scored, so that a partner that is no candidate itself has a rank too.
  const UnitPanels panels(to, allowed_rows(to, {}), kTileColumns, run);
  std::vector<std::uint32_t> counts(panels.panel_count() * kTileColumns, 0);
  for (std::size_t user = 0; user < panels.size(); ++user)
    counts[user] = is_allowed.empty() || is_allowed[user] ? 1 : 0;
  const ScoreKernel kernel = score_kernel();
  std::vector<double> ranks(pairs.size());
  Task task(run, "ranks", pairs.size());
  run.for_pieces(pairs.size(), kRowsPerPiece, [&](const Piece& piece) {
    struct Counts {
      float own = 0.0F;
      std::uint64_t higher = 0;
      std::uint64_t equal = 0;  // with the partner itself, if it counts
    };
    std::vector<Counts> of_row(piece.end - piece.begin);
    for (std::size_t row = piece.begin; row < piece.end; ++row) {
      const UserId partner = pairs[row].b;
      ScoreTile tile{};
      kernel(rows.panel(row / kTileRows), panels.panel(partner / kTileColumns), rows.width(), tile);
      of_row[row - piece.begin].own = tile.scores[row % kTileRows][partner % kTileColumns];
    }
    for_score_tiles(rows, piece.begin / kTileRows, panels_of(piece), panels,
                    [&](std::size_t row_panel, std::size_t panel, const ScoreTile& tile) {
                      const std::size_t first = row_panel * kTileRows;
                      const std::uint32_t* const ones = counts.data() + panel * kTileColumns;
                      for (std::size_t row = first; row < std::min(first + kTileRows, piece.end);
                           ++row) {
                        Counts& mine = of_row[row - piece.begin];
                        std::uint32_t higher = 0;
                        std::uint32_t equal = 0;
                        for (std::size_t i = 0; i < kTileColumns; ++i) {
                          const float score = tile.scores[row - first][i];
                          higher += score > mine.own ? ones[i] : 0U;
                          equal += score == mine.own ? ones[i] : 0U;
                        }
                        mine.higher += higher;
                        mine.equal += equal;
                      }
                    });
    for (std::size_t row = piece.begin; row < piece.end; ++row) {
      const Counts& mine = of_row[row - piece.begin];
      ranks[row] = 1.0 + static_cast<double>(mine.higher) +
                   0.5 * static_cast<double>(mine.equal - counts[pairs[row].b]);
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

// Peaks of columns met so far, and once more what a score must reach to change them: side by side,
// so that a row of a tile is compared at once.
struct ColumnPeaks {
  std::vector<Peak> peaks;
  std::vector<float> least;

  void resize(std::size_t size) {
    peaks.resize(size);
    least.resize(size, Peak{}.next);
  }
  bool any_from(std::size_t begin, const float* scores) const {
    std::int32_t from = 0;
    for (std::size_t i = 0; i < kTileColumns; ++i) from += scores[i] >= least[begin + i] ? 1 : 0;
    return from != 0;
  }
  void offer_to(std::size_t column, UserId user, float score) {
    offer(peaks[column], user, score);
    least[column] = peaks[column].next;
  }
};

}  // namespace

Peaks peaks_by_cosine(const Matrix& a, const Matrix& b, const std::vector<bool>& is_allowed_a,
                      const std::vector<bool>& is_allowed_b, Run& run) {
  check_shapes(a, b, is_allowed_b);
  check_shapes(b, a, is_allowed_a);
  const UnitPanels rows(a, allowed_rows(a, {}), kTileRows, run);
  const UnitPanels panels(b, allowed_rows(b, {}), kTileColumns, run);
  Peaks peaks{std::vector<Peak>(rows.size()), std::vector<Peak>(panels.size())};
  std::vector<ColumnPeaks> of_worker(static_cast<std::size_t>(run.threads()));
  Task task(run, "peaks", rows.size());
  run.for_pieces(rows.size(), kRowsPerPiece, [&](const Piece& piece) {
    ColumnPeaks& columns = of_worker[static_cast<std::size_t>(piece.worker)];
    columns.resize(panels.panel_count() * kTileColumns);
    for_score_tiles(
        rows, piece.begin / kTileRows, panels_of(piece), panels,
        [&](std::size_t row_panel, std::size_t panel, const ScoreTile& tile) {
          const std::size_t begin = panel * kTileColumns;
          const std::size_t width = std::min(kTileColumns, panels.size() - begin);
          const std::size_t first = row_panel * kTileRows;
          for (std::size_t row = first; row < std::min(first + kTileRows, piece.end); ++row) {
            const float* const scores = tile.scores[row - first];
            if (tile.any_from(row - first, peaks.a[row].next))
              for (std::size_t i = 0; i < width; ++i)
                if (is_allowed_b.empty() || is_allowed_b[begin + i])
                  offer(peaks.a[row], static_cast<UserId>(begin + i), scores[i]);
            if ((is_allowed_a.empty() || is_allowed_a[row]) && columns.any_from(begin, scores))
              for (std::size_t i = 0; i < width; ++i)
                columns.offer_to(begin + i, static_cast<UserId>(row), scores[i]);
          }
        });
    task.advance(piece.end - piece.begin);
  });
  for (const ColumnPeaks& columns : of_worker)
    for (std::size_t user = 0; user < panels.size() && user < columns.peaks.size(); ++user) {
      const Peak& peak = columns.peaks[user];
      if (peak.partner == kNoUser) continue;
      offer(peaks.b[user], peak.partner, peak.best);
      offer(peaks.b[user], kNoUser, peak.next);
    }
  return peaks;
}

}  // namespace dalaup
