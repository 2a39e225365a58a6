#include "communicator/communicator.h"

#include <gmock/gmock.h>

#include <set>

#include "support/support.h"

namespace dalaup {
namespace {

using testing::ElementsAre;

// One of several ranks that is only asked who it is.
class NamedRank final : public Communicator {
 public:
  NamedRank(int rank, int size) : rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string host() const override { return "here"; }
  void barrier() override {}
  void broadcast(int, std::span<std::byte>) override {}
  void allreduce(std::span<std::uint64_t>) override {}
  void allgatherv(std::span<std::byte>, std::span<const std::size_t>) override {}
  void alltoallv(std::span<const std::byte>, std::span<const std::size_t>, std::span<std::byte>,
                 std::span<const std::size_t>) override {}
  void give_up() noexcept override {}
  RankOutcome conclude(RankOutcome own) override { return own; }

 private:
  int rank_;
  int size_;
};

std::vector<std::uint64_t> begins_of_rows(std::size_t rows, std::uint64_t edges_each) {
  std::vector<std::uint64_t> begins;
  for (std::size_t row = 0; row <= rows; ++row) begins.push_back(row * edges_each);
  return begins;
}

TEST(SingleRank, IsWhatARunHasWithoutCommunicator) {
  Communicator& alone = communicator_of(dalaup::Run());
  EXPECT_EQ(alone.rank(), 0);
  EXPECT_EQ(alone.size(), 1);
  EXPECT_TRUE(alone.is_first());
  EXPECT_FALSE(alone.host().empty());
  alone.barrier();
  std::uint64_t sum = 7;
  alone.allreduce({&sum, 1});
  EXPECT_EQ(sum, 7U);
  const RankOutcome outcome = alone.conclude({.exit_code = 2, .message = "error"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.message, "error");
  EXPECT_NO_THROW(require_same(alone, "file", 1, ""));
}

TEST(SingleRank, GetsItsOwnPartsBack) {
  Communicator& alone = communicator_of(dalaup::Run());
  EXPECT_THAT(gather_all(alone, std::vector<int>{3, 1}), ElementsAre(3, 1));
  EXPECT_THAT(gather_parcels(alone, std::vector<int>{3, 1}).begins, ElementsAre(0U, 2U));
  EXPECT_THAT(exchange(alone, Parcels<int>{{5, 6}, {0, 2}}).of(0), ElementsAre(5, 6));
  std::vector<int> visited;
  visit_in_turn(alone, std::vector<int>{4, 2},
                [&](std::span<const int> part) { visited.assign(part.begin(), part.end()); });
  EXPECT_THAT(visited, ElementsAre(4, 2));
  std::vector<std::byte> received(2);
  const std::vector<std::byte> sent{std::byte{1}, std::byte{2}};
  const std::vector<std::size_t> begins{0, 2};
  alone.alltoallv(sent, begins, received, begins);
  EXPECT_EQ(received, sent);
}

TEST(RowBlocks, AreTheSameAtAnyNumberOfRanksAndCoverEveryRow) {
  const auto begins = begins_of_rows(5313, 20);
  const RowBlocks alone(begins, NamedRank(0, 1));
  std::set<std::size_t> begins_of_blocks;
  for (const RowRange& block : alone.own_blocks()) {
    EXPECT_EQ(block.begin % RowBlocks::kAlignment, 0U);
    begins_of_blocks.insert(block.begin);
  }
  for (const int ranks : {2, 3, 4, 8, 16, 40}) {
    const RowBlocks blocks(begins, NamedRank(0, ranks));
    std::size_t end = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const RowRange rows = blocks.of(rank);
      EXPECT_EQ(rows.begin, end);
      end = rows.end;
      if (rows.size() == 0) continue;
      EXPECT_TRUE(begins_of_blocks.contains(rows.begin));
      EXPECT_EQ(blocks.owner(rows.begin), rank);
      EXPECT_EQ(blocks.owner(rows.end - 1), rank);
    }
    EXPECT_EQ(end, 5313U);
    EXPECT_EQ(blocks.begins().back(), 5313U);
  }
}

TEST(RowBlocks, GiveARankWithManyEdgesFewerRows) {
  auto begins = begins_of_rows(16'384, 10);
  for (std::size_t row = 1; row <= 2048; ++row) begins[row] = row * 1000;  // an eighth has most
  for (std::size_t row = 2049; row <= 16'384; ++row) begins[row] = begins[row - 1] + 10;
  const RowBlocks blocks(begins, NamedRank(0, 2));
  const auto edges = [&](RowRange rows) { return begins[rows.end] - begins[rows.begin]; };
  EXPECT_LT(blocks.of(0).size(), blocks.of(1).size() / 2);
  EXPECT_LT(edges(blocks.of(0)), 2 * edges(blocks.of(1)));
  EXPECT_LT(edges(blocks.of(1)), 2 * edges(blocks.of(0)));
}

// Users of files are often in an order of falling degree.
TEST(RowBlocks, GiveFourRanksTheSameWorkWhereDegreesFall) {
  std::vector<std::uint64_t> begins{0};
  for (std::size_t row = 0; row < 30'000; ++row)
    begins.push_back(begins.back() + 5 + 200'000 / (row + 500));
  for (int rank = 0; rank < 4; ++rank) {
    const RowRange own = RowBlocks(begins, NamedRank(rank, 4)).own();
    const double work = static_cast<double>(begins[own.end] - begins[own.begin] + 32 * own.size());
    const double all = static_cast<double>(begins.back() + 32 * 30'000);
    EXPECT_NEAR(work / all, 0.25, 0.01) << rank;
  }
}

TEST(RowBlocks, OfNoRowsAreEmpty) {
  const std::vector<std::uint64_t> begins{0};
  const RowBlocks blocks(begins, NamedRank(1, 2));
  EXPECT_EQ(blocks.own().size(), 0U);
  EXPECT_EQ(blocks.rows(), 0U);
}

TEST(NumberedRows, KeepTheirNumbersAmongAll) {
  const auto begins = begins_of_rows(200, 1);
  const RowBlocks blocks(begins, NamedRank(1, 2));
  ASSERT_EQ(blocks.own().begin, 128U);
  Rows<int> own;
  for (int row = 0; row < 72; ++row) {
    own.items.push_back(row);
    own.end_row();
  }
  const Rows<int> numbered = numbered_rows(blocks, own);
  ASSERT_EQ(numbered.size(), 200U);
  EXPECT_TRUE(numbered.of(0).empty());
  EXPECT_TRUE(numbered.of(127).empty());
  EXPECT_THAT(numbered.of(128), ElementsAre(0));
  EXPECT_THAT(numbered.of(199), ElementsAre(71));
}

TEST(ColumnSums, AreThoseOfAllRowsInTheOrderOfBlocks) {
  dalaup::Run run({.threads = 3});
  const RowBlocks blocks(begins_of_rows(1000, 1), communicator_of(run));
  ColumnSums sums(blocks, 2, communicator_of(run));
  for (int again = 0; again < 2; ++again)
    sums.collect(run, [](std::size_t row, std::vector<double>& to) {
      to[0] += 1.0;
      to[1] += 1.0 / (1.0 + static_cast<double>(row));
    });
  EXPECT_EQ(sums[0], 1000.0);
  double expected = 0.0;
  for (const RowRange& rows : blocks.own_blocks()) {
    double block = 0.0;
    for (std::size_t row = rows.begin; row < rows.end; ++row)
      block += 1.0 / (1.0 + static_cast<double>(row));
    expected += block;
  }
  EXPECT_EQ(sums[1], expected);
}

TEST(Digest, DependsOnEveryByteAndOnTheLength) {
  EXPECT_NE(digest_of("abcdefghi"), digest_of("abcdefghj"));
  EXPECT_NE(digest_of("abc"), digest_of(std::string("abc\0", 4)));
  EXPECT_NE(digest_of("a", digest_of("b")), digest_of("b", digest_of("a")));
  EXPECT_EQ(digest_of("abc"), digest_of("abc"));
}

}  // namespace
}  // namespace dalaup
