#include "methods/propagation/column_ranks.h"

#include <algorithm>
#include <numeric>

namespace dalaup {
namespace {

constexpr std::size_t kColumnsPerPiece = 64;

struct ListedScore {
  float score;
  UserId user;
};

// This rank's listed pairs by user of B.
struct PairsByColumn {
  std::vector<std::uint64_t> begins;
  std::vector<ListedScore> scores;
  std::vector<std::uint64_t> positions;  // beside the scores: places of the pairs in the lists
};

PairsByColumn by_column(const PairLists& lists, UserId users_b) {
  const RowRange own = lists.pairs.rows();
  PairsByColumn result;
  result.begins.assign(users_b + std::size_t{1}, 0);
  for (std::size_t user = own.begin; user < own.end; ++user)
    for (const ListedPair& pair : lists.pairs.of(user))
      ++result.begins[pair.partner + std::size_t{1}];
  std::partial_sum(result.begins.begin(), result.begins.end(), result.begins.begin());
  result.scores.resize(result.begins.back());
  result.positions.resize(result.begins.back());
  std::vector<std::uint64_t> next(result.begins.begin(), result.begins.end() - 1);
  for (std::size_t user = own.begin; user < own.end; ++user) {
    const auto pairs = lists.pairs.of(user);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const std::uint64_t place = next[pairs[i].partner]++;
      result.scores[place] = {lists.score(pairs[i]), static_cast<UserId>(user)};
      result.positions[place] = lists.pairs.begin_of(user) + i;
    }
  }
  return result;
}

// The pairs of some users of B as they came from the ranks.
struct ReceivedColumns {
  Parcels<ListedScore> scores;
  std::vector<std::uint64_t> begins;  // [rank * columns + column]: of the column within `scores`
  std::vector<std::uint32_t> counts;  // beside begins
  std::size_t columns = 0;
};

// Users of B are dealt out to ranks evenly; `columns_of` says where those of each begin.
// The scores leave `own`.
ReceivedColumns exchanged(PairsByColumn& own, std::span<const std::size_t> columns_of,
                          Communicator& communicator) {
  Parcels<ListedScore> scores{std::move(own.scores), {}};
  Parcels<std::uint32_t> counts{{}, {columns_of.begin(), columns_of.end()}};
  for (const std::size_t column : columns_of) scores.begins.push_back(own.begins[column]);
  for (std::size_t column = 0; column + 1 < own.begins.size(); ++column)
    counts.items.push_back(static_cast<std::uint32_t>(own.begins[column + 1] - own.begins[column]));
  const auto rank = static_cast<std::size_t>(communicator.rank());
  ReceivedColumns received{exchange(communicator, std::move(scores)),
                           {},
                           exchange(communicator, std::move(counts)).items,
                           columns_of[rank + 1] - columns_of[rank]};
  std::uint64_t begin = 0;
  for (const std::uint32_t count : received.counts) {
    received.begins.push_back(begin);
    begin += count;
  }
  return received;
}

}  // namespace

ColumnRanks column_ranks(const PairLists& lists, UserId users_b, Run& run) {
  Communicator& communicator = communicator_of(run);
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<std::size_t> columns_of;
  for (std::size_t rank = 0; rank <= ranks; ++rank) columns_of.push_back(users_b * rank / ranks);
  PairsByColumn own = by_column(lists, users_b);
  ReceivedColumns received = exchanged(own, columns_of, communicator);

  ColumnRanks result;
  result.best.resize(users_b);
  const std::size_t first = columns_of[static_cast<std::size_t>(communicator.rank())];
  Parcels<std::uint32_t> answers{std::vector<std::uint32_t>(received.scores.items.size()),
                                 received.scores.begins};
  std::vector<std::uint64_t> lengths(received.columns);
  run.for_pieces(received.columns, kColumnsPerPiece, [&](const Piece& piece) {
    std::vector<std::uint64_t> order;  // places in received.scores
    const std::vector<ListedScore>& scores = received.scores.items;
    for (std::size_t column = piece.begin; column < piece.end; ++column) {
      order.clear();
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        const std::size_t from = rank * received.columns + column;
        for (std::uint64_t i = 0; i < received.counts[from]; ++i)
          order.push_back(received.begins[from] + i);
      }
      std::ranges::sort(order, [&](std::uint64_t left, std::uint64_t right) {
        return scores[left].score != scores[right].score ? scores[left].score > scores[right].score
                                                         : scores[left].user < scores[right].user;
      });
      for (std::size_t rank = 0; rank < order.size(); ++rank)
        answers.items[order[rank]] = static_cast<std::uint32_t>(rank);
      ColumnBest& best = result.best[first + column];
      if (!order.empty()) {
        best.best = scores[order[0]].score;
        best.best_user = scores[order[0]].user;
      }
      if (order.size() > 1) best.second = scores[order[1]].score;
      lengths[column] = order.size();
    }
  });
  received = {};
  share_parts(communicator, std::span(result.best), columns_of);
  for (const std::uint64_t longest : gather_all(
           communicator,
           std::vector<std::uint64_t>{lengths.empty() ? 0 : *std::ranges::max_element(lengths)}))
    result.longest = std::max<std::size_t>(result.longest, longest);

  const Parcels<std::uint32_t> returned = exchange(communicator, std::move(answers));
  result.ranks.resize(lists.pairs.room());
  for (std::size_t i = 0; i < own.positions.size(); ++i)
    result.ranks[own.positions[i]] = returned.items[i];
  return result;
}

}  // namespace dalaup
