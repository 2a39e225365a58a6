// Best 30 of 27 million pairs by cosine against the bare matrix product, and the matching of a
// million users with 30 candidates each.
#include "ranking/ranking.h"

#include <cmath>
#include <numeric>

#include "base/base.h"
#include "measure.h"

namespace dalaup::bench {
namespace {

constexpr int kUsersA = 5313;
constexpr int kUsersB = 5120;
constexpr int kWidth = 56;

Matrix random_embedding(int users, std::uint64_t seed) {
  Random random(seed, "ranking bench");
  Matrix matrix(users, kWidth);
  for (Eigen::Index i = 0; i < matrix.size(); ++i)
    matrix.data()[i] = static_cast<float>(random.normal());
  return matrix;
}

// The bare product in tiles that stay in cache: faster than one large one, which writes to memory.
void bare_product(const Matrix& a, const Matrix& b, Matrix& tile) {
  constexpr int kTile = 384;
  for (int row = 0; row < kUsersA; row += kTile)
    for (int column = 0; column < kUsersB; column += kTile)
      tile.noalias() = a.middleRows(row, std::min(kTile, kUsersA - row)) *
                       b.middleRows(column, std::min(kTile, kUsersB - column)).transpose();
}

void verify(const Matrix& a, const Matrix& b, const RankedLists& lists) {
  require(lists.size() == kUsersA, "number of lists");
  for (std::size_t at = 0; at < lists.size(); at += 101) {
    std::vector<double> scores;
    for (int user = 0; user < kUsersB; ++user)
      scores.push_back(a.row(static_cast<Eigen::Index>(at))
                           .cast<double>()
                           .normalized()
                           .dot(b.row(user).cast<double>().normalized()));
    std::ranges::sort(scores, std::greater<>());
    for (std::size_t i = 0; i < 30; ++i)
      require(std::abs(scores[i] - static_cast<double>(lists[at].candidates[i].score)) < 1e-6,
              fmt::format("score {} of user {}", i, at));
  }
}

bool cosine_bench() {
  print_machine("best 30 of 27 million pairs by cosine, d = 56");
  Run run;
  const Matrix a = random_embedding(kUsersA, 1);
  const Matrix b = random_embedding(kUsersB, 2);
  std::vector<UserId> users(kUsersA);
  std::iota(users.begin(), users.end(), UserId{0});
  std::vector<UserPair> pairs;
  for (UserId user = 0; user < 1600; ++user) pairs.push_back({user, user});
  Matrix tile;
  RankedLists lists;
  std::vector<double> ranks;
  std::vector<Contender> contenders{
      {"best_by_cosine", [&] { lists = best_by_cosine(a, b, users, 30, {}, run); }},
      {"bare product (Eigen, AVX2, tiles of 384)", [&] { bare_product(a, b, tile); }},
      {"ranks_by_cosine of 1,600 pairs", [&] { ranks = ranks_by_cosine(a, b, pairs, {}, run); }},
  };
  measure(contenders, 9);
  verify(a, b, lists);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (ranks[i] <= 30.0)
      require(lists[i].candidates[static_cast<std::size_t>(ranks[i]) - 1].user == pairs[i].b,
              "a rank");
  return report_ratio("best_by_cosine / bare product",
                      contenders[0].median() / contenders[1].median(), 3.0, true);
}

// A right candidate near the top for most users, and 29 that many share.
RankedLists random_probabilities(std::uint32_t users, std::size_t candidates) {
  RankedLists lists(users);
  Random random(3, "matching bench");
  for (UserId user = 0; user < users; ++user) {
    lists[user].user = user;
    auto& list = lists[user].candidates;
    if (random.chance(0.7)) list.push_back({user, static_cast<float>(random.uniform())});
    while (list.size() < candidates) {
      const double skewed = random.uniform() * random.uniform();
      const auto other = static_cast<UserId>(skewed * users);
      if (std::ranges::find(list, other, &Candidate::user) == list.end())
        list.push_back({other, static_cast<float>(0.5 * random.uniform() * random.uniform())});
    }
    std::ranges::sort(list, ranks_before);
  }
  return lists;
}

void matching_bench(UserId users, double least_probability) {
  print_machine(fmt::format("one-to-one matching, {} users with 30 candidates each, at least {}",
                            grouped(users), least_probability));
  Run run;
  const RankedLists lists = random_probabilities(users, 30);
  std::vector<Match> matches;
  std::vector<Contender> contenders{
      {"one_to_one",
       [&] { matches = one_to_one(lists, {.least_probability = least_probability}, run); }}};
  measure(contenders, 3);
  std::vector<bool> is_taken(lists.size(), false);
  for (const Match& match : matches) {
    require(!is_taken[match.pair.b], "a user of B matched twice");
    is_taken[match.pair.b] = true;
  }
  fmt::print("matched {}\n", grouped(matches.size()));
}

}  // namespace
}  // namespace dalaup::bench

int main() {
  const bool met = dalaup::bench::cosine_bench();
  dalaup::bench::matching_bench(1'000'000, 0.5);
  dalaup::bench::matching_bench(100'000, 0.0);
  dalaup::bench::matching_bench(1'000'000, 0.0);
  return met ? 0 : 3;
}
