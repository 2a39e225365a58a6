#include <fmt/format.h>

#include "models/model_support.h"
#include "support/support.h"

// The same labels in another order of lines teach every method the same.
namespace dalaup {
namespace {

class LabelOrder : public testing::TestWithParam<MethodAndSettings> {
 protected:
  RankedLists learned(const GeneratedPair& pair, const std::string& lines) {
    dalaup::Run run({.threads = 1});
    LabelReader rows(bytes_of(lines), "labels");
    const LabelSet labels = read_labels(rows, pair.networks);
    const auto aligner =
        all_methods().make(GetParam().method, Settings::from_json(GetParam().settings));
    aligner->fit(pair.networks, labels, run);
    std::vector<UserId> users(pair.networks.a.user_count());
    std::iota(users.begin(), users.end(), UserId{0});
    return aligner->best_candidates(Side::kA, users, 5, run);
  }
};

TEST_P(LabelOrder, ChangesNothing) {
  dalaup::Run run({.threads = 1});
  const GeneratedPair pair = small_pair(run);
  std::vector<std::string> lines;
  for (std::size_t place = 0; place < pair.truth.size(); ++place) {
    const UserPair truth = pair.truth[place];
    if (place % 2 == 0)
      lines.push_back(
          fmt::format("{}\t{}\t1\n", pair.networks.a.name(truth.a), pair.networks.b.name(truth.b)));
    else
      lines.push_back(fmt::format("{}\t{}\t0\n", pair.networks.a.name(truth.a),
                                  pair.networks.b.name(pair.truth[place - 1].b)));
  }
  const auto joined = [&] {
    std::string text;
    for (const std::string& line : lines) text += line;
    return text;
  };
  const RankedLists expected = learned(pair, joined());
  for (const std::uint64_t seed : {1, 2}) {
    Random(seed).shuffle(std::span(lines));
    const RankedLists found = learned(pair, joined());
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t place = 0; place < found.size(); ++place) {
      ASSERT_EQ(found[place].candidates.size(), expected[place].candidates.size());
      for (std::size_t rank = 0; rank < found[place].candidates.size(); ++rank) {
        EXPECT_EQ(found[place].candidates[rank].user, expected[place].candidates[rank].user);
        EXPECT_EQ(found[place].candidates[rank].score, expected[place].candidates[rank].score);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, LabelOrder, testing::ValuesIn(kSmallMethods),
                         [](const auto& each) {
                           return fmt::format("{}{}", each.param.method, each.index);
                         });

}  // namespace
}  // namespace dalaup
