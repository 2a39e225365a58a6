// What ranks exchange, run by mpirun: every rank checks what it got. tests/mpi/run starts it.
#include <gmock/gmock.h>

#include <numeric>

#include "communicator/communicator.h"
#include "generate/generate.h"
#include "methods/propagation/propagation.h"
#include "mpi/mpi_communicator.h"

namespace dalaup {
namespace {

Communicator* ranks = nullptr;  // of this program

TEST(Ranks, BroadcastAndMeet) {
  ranks->barrier();
  std::vector<std::byte> bytes(3, std::byte(ranks->rank()));
  ranks->broadcast(ranks->size() - 1, bytes);
  EXPECT_EQ(bytes, std::vector<std::byte>(3, std::byte(ranks->size() - 1)));
}

TEST(Ranks, SumWholeNumbers) {
  std::vector<std::uint64_t> sums{1, static_cast<std::uint64_t>(ranks->rank())};
  ranks->allreduce(sums);
  const auto size = static_cast<std::uint64_t>(ranks->size());
  EXPECT_EQ(sums[0], size);
  EXPECT_EQ(sums[1], size * (size - 1) / 2);
}

TEST(Ranks, GatherPartsOfAnyLengthInTheirOrder) {
  std::vector<int> own(static_cast<std::size_t>(ranks->rank()), ranks->rank());
  std::vector<int> expected;
  for (int rank = 0; rank < ranks->size(); ++rank)
    expected.insert(expected.end(), static_cast<std::size_t>(rank), rank);
  EXPECT_EQ(gather_all(*ranks, own), expected);
  std::vector<int> visited;
  visit_in_turn(*ranks, own, [&](std::span<const int> part) {
    visited.insert(visited.end(), part.begin(), part.end());
  });
  EXPECT_EQ(visited, ranks->is_first() ? expected : std::vector<int>());
}

TEST(Ranks, ExchangeParcels) {
  Parcels<std::uint64_t> sent;  // rank r sends rank q so many as q + 1, all of them 100 r + q
  for (int to = 0; to < ranks->size(); ++to) {
    sent.items.insert(sent.items.end(), static_cast<std::size_t>(to) + 1,
                      static_cast<std::uint64_t>(100 * ranks->rank() + to));
    sent.begins.push_back(sent.items.size());
  }
  const Parcels<std::uint64_t> received = exchange(*ranks, sent);
  for (int from = 0; from < ranks->size(); ++from) {
    const auto part = received.of(from);
    EXPECT_EQ(part.size(), static_cast<std::size_t>(ranks->rank()) + 1);
    for (const std::uint64_t value : part)
      EXPECT_EQ(value, static_cast<std::uint64_t>(100 * from + ranks->rank()));
  }
}

TEST(Ranks, GatherRowsAsOneProcessHasThem) {
  std::vector<std::uint64_t> begins(3001);
  std::iota(begins.begin(), begins.end(), 0U);
  const RowBlocks blocks(begins, *ranks);
  Rows<int> own;
  for (std::size_t row = blocks.own().begin; row < blocks.own().end; ++row) {
    own.items.insert(own.items.end(), row % 3, static_cast<int>(row));
    own.end_row();
  }
  const Rows<int> all = gather_rows(*ranks, blocks, own);
  ASSERT_EQ(all.size(), 3000U);
  for (std::size_t row = 0; row < 3000; ++row) {
    ASSERT_EQ(all.of(row).size(), row % 3);
    for (const int value : all.of(row)) ASSERT_EQ(value, static_cast<int>(row));
  }
}

TEST(Ranks, VisitRowsInTheirOrderSomeAtATime) {
  std::vector<std::uint64_t> begins(3001);
  std::iota(begins.begin(), begins.end(), 0U);
  std::vector<std::size_t> expected;
  for (std::size_t row = 0; row < 3000; ++row) expected.insert(expected.end(), row % 3, row);
  std::vector<std::size_t> visited;
  std::size_t longest = 0;
  visit_rows<std::size_t>(
      *ranks, RowBlocks(begins, *ranks).own(), 100,
      [](std::size_t row, std::vector<std::size_t>& items) {
        items.insert(items.end(), row % 3, row);
      },
      [&](std::span<const std::size_t> part) {
        visited.insert(visited.end(), part.begin(), part.end());
        longest = std::max(longest, part.size());
      });
  EXPECT_EQ(visited, ranks->is_first() ? expected : std::vector<std::size_t>());
  EXPECT_LE(longest, 102U);
}

TEST(Ranks, ColumnSumsHaveTheBitsOfOneProcess) {
  std::vector<std::uint64_t> begins(3001);
  std::iota(begins.begin(), begins.end(), 0U);
  static constexpr std::size_t kColumns = 101;
  const auto sums_with = [&](Communicator* communicator) {
    dalaup::Run run({.threads = 2, .communicator = communicator});
    const RowBlocks blocks(begins, communicator_of(run));
    ColumnSums sums(blocks, kColumns, communicator_of(run));
    for (int again = 0; again < 2; ++again)
      sums.collect(run, [](std::size_t row, std::vector<double>& to) {
        for (std::size_t column = 0; column < kColumns; ++column)
          to[column] += 1.0 / static_cast<double>(1 + row * kColumns + column);
      });
    std::vector<double> all;
    for (std::size_t column = 0; column < kColumns; ++column) all.push_back(sums[column]);
    return all;
  };
  EXPECT_EQ(sums_with(ranks), sums_with(nullptr));
}

// The model file of a fit; of several ranks, that of the first.
std::string fitted_model(const GeneratedPair& pair, const PropagationParams& params,
                         Communicator* communicator) {
  LabelSet labels(pair.networks.a.user_count(), pair.networks.b.user_count());
  for (std::size_t i = 0; i < pair.truth.size(); i += 5) labels.add(pair.truth[i], Label::kAnchor);
  labels.add({pair.truth[1].a, pair.truth[2].b}, Label::kNotAnchor);
  dalaup::Run run({.threads = 2, .communicator = communicator});
  const auto aligner = make_propagation(params);
  aligner->fit(pair.networks, labels, run);
  return model_bytes(*aligner);
}

TEST(Ranks, FitWhatOneProcessFits) {
  dalaup::Run run;
  const GeneratedPair pair = generate_pair(
      {.users_a = 1300, .users_b = 1100, .anchors = 800, .edges_a = 8000, .edges_b = 10000}, run);
  for (const char* const consensus : {"no", "auto"}) {
    const PropagationParams params{.iterations = 6, .consensus = consensus};
    const std::string together = fitted_model(pair, params, ranks);
    if (!ranks->is_first()) continue;
    const std::string alone = fitted_model(pair, params, nullptr);
    EXPECT_EQ(together.size(), alone.size());
    EXPECT_TRUE(together == alone) << "other bits, consensus " << consensus;
  }
}

TEST(Ranks, AnswerOnlyFromALoadedModel) {
  if (ranks->size() == 1) return;
  dalaup::Run run({.communicator = ranks});
  dalaup::Run alone;
  const GeneratedPair pair = generate_pair(
      {.users_a = 300, .users_b = 280, .anchors = 220, .edges_a = 1800, .edges_b = 2000}, alone);
  LabelSet labels(300, 280);
  for (std::size_t i = 0; i < pair.truth.size(); i += 2) labels.add(pair.truth[i], Label::kAnchor);
  const auto aligner = make_propagation({.iterations = 2});
  aligner->fit(pair.networks, labels, run);
  EXPECT_THROW(aligner->probability(pair.truth[1]), StateError);
  EXPECT_THROW(aligner->score(pair.truth[1]), StateError);
}

TEST(Ranks, NoticeWhatDiffers) {
  EXPECT_NO_THROW(require_same(*ranks, "file", 5, ""));
  const int last = ranks->size() - 1;
  if (last == 0) return;
  try {
    require_same(*ranks, "file", ranks->rank() == last ? 6 : 5, "copy it");
    ADD_FAILURE() << "no rank noticed";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("rank " + std::to_string(last) + " on "));
    EXPECT_EQ(error.hint(), "copy it");
  }
}

// Last: nothing can be exchanged afterwards.
TEST(RanksAtTheEnd, AFailureOfOneReachesTheOthersWhoWaitForIt) {
  const int last = ranks->size() - 1;
  // The others may not be waiting for anything else any more: each sends the last a byte.
  const auto size = static_cast<std::size_t>(ranks->size());
  const bool is_last = ranks->rank() == last;
  std::vector<std::byte> sent(is_last ? 0 : 1);
  std::vector<std::byte> received(is_last ? size - 1 : 0);
  std::vector<std::size_t> sent_begins(size + 1, 0);
  sent_begins.back() = sent.size();
  std::vector<std::size_t> received_begins(size + 1, received.size());
  if (is_last) std::iota(received_begins.begin(), received_begins.end() - 1, std::size_t{0});
  if (!is_last) std::ranges::fill(received_begins, 0);
  ranks->alltoallv(sent, sent_begins, received, received_begins);

  RankOutcome own{.exit_code = 1, .message = "error of the last"};
  if (is_last) {
    ranks->give_up();
  } else {
    EXPECT_THROW(ranks->barrier(), RankFailed);
    own = {.exit_code = 1, .is_own = false, .message = {}};
  }
  const RankOutcome all = ranks->conclude(own);
  EXPECT_EQ(all.exit_code, 1);
  EXPECT_EQ(all.message, "error of the last");
}

}  // namespace
}  // namespace dalaup

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const auto communicator = dalaup::make_mpi_communicator();
  dalaup::ranks = communicator.get();
  return RUN_ALL_TESTS();
}
