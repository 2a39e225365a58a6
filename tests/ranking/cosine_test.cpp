
#include <cmath>
#include <limits>
#include <numeric>

#include "ranking/ranking.h"
#include "support/support.h"

namespace dalaup {
namespace {

Matrix random_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Random random(seed, "ranking test");
  Matrix matrix(rows, columns);
  for (Eigen::Index i = 0; i < matrix.size(); ++i)
    matrix.data()[i] = static_cast<float>(random.normal());
  return matrix;
}

std::vector<UserId> everyone(const Matrix& matrix) {
  std::vector<UserId> users(static_cast<std::size_t>(matrix.rows()));
  std::iota(users.begin(), users.end(), UserId{0});
  return users;
}

double cosine(const Matrix& from, UserId user, const Matrix& to, UserId candidate) {
  const Eigen::VectorXd left = from.row(user).cast<double>();
  const Eigen::VectorXd right = to.row(candidate).cast<double>();
  const double length = left.norm() * right.norm();
  return length == 0.0 ? 0.0 : left.dot(right) / length;
}

TEST(PeaksByCosine, AreTheTwoHighestOfEachRowAndColumnAtAnyThreadCount) {
  Matrix a = random_matrix(131, 9, 21);
  Matrix b = random_matrix(87, 9, 22);
  b.row(40) = b.row(7);  // ties go to the lower id
  a.row(99) = a.row(98);
  b.row(5).setZero();
  std::vector<bool> allowed_a(131, true);
  std::vector<bool> allowed_b(87, true);
  allowed_a[3] = allowed_b[0] = allowed_b[86] = false;
  for (const int threads : {1, 3}) {
    dalaup::Run run({.threads = threads});
    const Peaks peaks = peaks_by_cosine(a, b, allowed_a, allowed_b, run);
    const auto check = [&](const std::vector<Peak>& found, const Matrix& from, const Matrix& to,
                           const std::vector<bool>& allowed) {
      ASSERT_EQ(found.size(), static_cast<std::size_t>(from.rows()));
      for (UserId user = 0; user < found.size(); ++user) {
        const auto list = best_by_cosine(from, to, std::vector{user}, 2, {allowed, nullptr}, run);
        EXPECT_EQ(found[user].partner, list[0].candidates[0].user) << user;
        EXPECT_NEAR(found[user].best, list[0].candidates[0].score, 1e-6) << user;
        EXPECT_NEAR(found[user].next, list[0].candidates[1].score, 1e-6) << user;
      }
    };
    check(peaks.a, a, b, allowed_b);
    check(peaks.b, b, a, allowed_a);
    EXPECT_EQ(peaks.a[0].besides(peaks.a[0].partner), peaks.a[0].next);
    EXPECT_EQ(peaks.a[0].besides(kNoUser - 1), peaks.a[0].best);
  }
}

TEST(PeaksByCosine, OfNobodyAreTheLeastACosineCanBe) {
  dalaup::Run run;
  const Matrix a = random_matrix(2, 3, 1);
  const Peaks peaks = peaks_by_cosine(a, a, {true, false}, {false, false}, run);
  EXPECT_EQ(peaks.a[0].best, -1.0F);
  EXPECT_EQ(peaks.a[0].partner, kNoUser);
  EXPECT_EQ(peaks.b[1].partner, 0U);
  EXPECT_EQ(peaks.b[1].next, -1.0F) << "one candidate only";
}

TEST(BestByCosine, RanksByAngleAndNotByLength) {
  Matrix from(1, 2);
  from << 2, 0;
  Matrix to(4, 2);
  to << 1, 1,  // 45 degrees
      100, 0,  // none
      -1, 0,   // opposite
      0, 0;    // nowhere: counts as 0
  dalaup::Run run;
  const auto lists = best_by_cosine(from, to, everyone(from), 4, {}, run);
  ASSERT_EQ(lists.size(), 1U);
  const std::vector<Candidate>& list = lists[0].candidates;
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list[0], (Candidate{1, 1.0F}));
  EXPECT_EQ(list[1].user, 0U);
  EXPECT_NEAR(list[1].score, std::sqrt(0.5F), 1e-6F);
  EXPECT_EQ(list[2], (Candidate{3, 0.0F}));
  EXPECT_EQ(list[3], (Candidate{2, -1.0F}));
}

// Sizes around the tile borders, against every cosine computed in double and sorted.
TEST(BestByCosine, FindsWhatSortingEveryPairFinds) {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {5, 15}, {7, 17}, {96, 32}, {300, 2000}}) {
    const Matrix from = random_matrix(rows, 7, 1);
    const Matrix to = random_matrix(columns, 7, 2);
    dalaup::Run run({.threads = 2});
    const auto lists = best_by_cosine(from, to, everyone(from), 10, {}, run);
    ASSERT_EQ(lists.size(), static_cast<std::size_t>(rows));
    for (const RankedList& list : lists) {
      std::vector<double> scores;
      for (UserId candidate = 0; candidate < to.rows(); ++candidate)
        scores.push_back(cosine(from, list.user, to, candidate));
      std::ranges::sort(scores, std::greater<>());
      ASSERT_EQ(list.candidates.size(), std::min<std::size_t>(10, scores.size()));
      for (std::size_t i = 0; i < list.candidates.size(); ++i) {
        EXPECT_NEAR(list.candidates[i].score, scores[i], 1e-6);
        EXPECT_NEAR(cosine(from, list.user, to, list.candidates[i].user), scores[i], 1e-6);
      }
    }
  }
}

TEST(BestByCosine, LeavesOutThoseNotAllowedAndRefusedPairs) {
  const Matrix from = random_matrix(40, 5, 3);
  const Matrix to = random_matrix(60, 5, 4);
  dalaup::Run run;
  CandidateFilter filter;
  filter.is_allowed.assign(60, true);
  for (UserId user = 0; user < 60; user += 3) filter.is_allowed[user] = false;
  filter.is_refused = [](UserId user, UserId candidate) { return (user + candidate) % 2 == 0; };
  const std::vector<UserId> users{31, 4};
  const auto lists = best_by_cosine(from, to, users, 100, filter, run);
  ASSERT_EQ(lists.size(), 2U);
  EXPECT_EQ(lists[0].user, 31U);
  EXPECT_EQ(lists[1].user, 4U);
  for (const RankedList& list : lists) {
    EXPECT_EQ(list.candidates.size(), 20U);
    for (const Candidate& candidate : list.candidates) {
      EXPECT_NE(candidate.user % 3, 0U);
      EXPECT_EQ((list.user + candidate.user) % 2, 1U);
    }
  }
}

// The same row twice must tie exactly wherever in the tiles it stands, or ranks with ties are
// wrong.
TEST(BestByCosine, GivesEqualRowsEqualScoresAndListsThemById) {
  const Matrix from = random_matrix(130, 56, 5);
  const Matrix one = random_matrix(1, 56, 6);
  Matrix to(1700, 56);
  for (Eigen::Index row = 0; row < to.rows(); ++row) to.row(row) = one.row(0);
  dalaup::Run run;
  const auto lists = best_by_cosine(from, to, everyone(from), 1700, {}, run);
  for (const RankedList& list : lists)
    for (UserId i = 0; i < 1700; ++i)
      ASSERT_EQ(list.candidates[i], (Candidate{i, list.candidates[0].score})) << list.user;
}

TEST(BestByCosine, IsTheSameAtAnyThreadCount) {
  const Matrix from = random_matrix(500, 20, 7);
  const Matrix to = random_matrix(900, 20, 8);
  dalaup::Run one;
  dalaup::Run three({.threads = 3});
  EXPECT_EQ(best_by_cosine(from, to, everyone(from), 30, {}, one),
            best_by_cosine(from, to, everyone(from), 30, {}, three));
}

TEST(BestByCosine, RefusesValuesThatAreNotFinite) {
  const Matrix from = random_matrix(5, 3, 9);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Matrix to = random_matrix(8, 3, 10);
    to(6, 1) = bad;
    dalaup::Run run;
    try {
      best_by_cosine(from, to, everyone(from), 3, {}, run);
      FAIL() << "expected a StateError";
    } catch (const StateError& error) {
      EXPECT_STREQ(error.what(), "found a value that is not finite in row 6 of an embedding");
    }
  }
}

TEST(BestByCosine, RefusesMatricesOfDifferentWidth) {
  dalaup::Run run;
  EXPECT_THROW(best_by_cosine(Matrix::Zero(2, 3), Matrix::Zero(2, 4), {}, 3, {}, run),
               ParameterError);
}

// Candidate 1 is the partner: 0 scores higher, 2 the same, 3 lower, 4 higher but not allowed.
TEST(RanksByCosine, CountsHigherOnesAndHalfOfTheTies) {
  Matrix from(1, 2);
  from << 1, 0;
  Matrix to(5, 2);
  to << 9, 0, 3, 3, 3, 3, -1, 0, 2, 1;
  dalaup::Run run;
  const std::vector<UserPair> pairs{{0, 1}};
  EXPECT_EQ(ranks_by_cosine(from, to, pairs, {true, true, true, true, false}, run),
            std::vector<double>{2.5});
  EXPECT_EQ(ranks_by_cosine(from, to, pairs, {}, run), std::vector<double>{3.5});
  // A partner that is no candidate itself is ranked among those that are.
  EXPECT_EQ(ranks_by_cosine(from, to, pairs, {true, false, true, true, false}, run),
            std::vector<double>{2.5});
}

TEST(RanksByCosine, AgreesWithThePlaceInTheFullList) {
  const Matrix from = random_matrix(210, 9, 11);
  const Matrix to = random_matrix(1600, 9, 12);
  dalaup::Run run({.threads = 2});
  const auto lists = best_by_cosine(from, to, everyone(from), 1600, {}, run);
  std::vector<UserPair> pairs;
  std::vector<double> places;
  for (const RankedList& list : lists) {
    const std::size_t place = (list.user * 7) % 1600;
    pairs.push_back({list.user, list.candidates[place].user});
    places.push_back(static_cast<double>(place + 1));
  }
  const auto ranks = ranks_by_cosine(from, to, pairs, {}, run);
  for (std::size_t i = 0; i < ranks.size(); ++i) EXPECT_NEAR(ranks[i], places[i], 0.5);
}

TEST(RankInRow, FollowsTheProtocolAndRefusesNaN) {
  const std::vector<float> scores{0.5F, 0.9F, 0.5F, 0.5F, 0.1F};
  EXPECT_EQ(rank_in_row(scores, 0), 3.0);  // one higher, two the same
  EXPECT_EQ(rank_in_row(scores, 0, {true, false, true, false, true}), 1.5);
  EXPECT_THROW(rank_in_row(std::vector<float>{0.5F, std::nanf("")}, 0), StateError);
}

}  // namespace
}  // namespace dalaup
