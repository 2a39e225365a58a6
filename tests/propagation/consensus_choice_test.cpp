#include "methods/propagation/consensus_choice.h"

#include "propagation/example.h"

namespace dalaup {
namespace {

// A fold in which the partner of one hidden user of A stands at a given place of its list.
FoldRuns one_hidden_partner_at(std::size_t rank) {
  auto fold = std::make_unique<Fold>();
  fold->hidden = {{0, 5}};
  fold->state.plan = {.temperature = 0.035, .row_scale = {1.0}, .column_scale = {1, 1, 1, 1, 1, 1}};
  fold->state.lists.pairs = {1, 6};
  std::vector<ListedPair> row;
  for (UserId user = 0; user < 5; ++user)
    row.push_back({user, 0.0F, user + 1 < rank ? 0.9F : 0.1F, 0.0F});
  if (rank <= 5) row.push_back({5, 0.0F, 0.5F, 0.0F});
  fold->state.lists.pairs.assign(0, row);
  FoldRuns runs;
  runs.push_back(std::move(fold));
  return runs;
}

TEST(ConsensusChoice, RanksCountUnlistedPartnersBehindTheList) {
  const auto found = [](std::size_t place) {
    return log_ranks(one_hidden_partner_at(place), communicator_of(dalaup::Run()));
  };
  EXPECT_EQ(found(1), std::vector{0.0});
  EXPECT_EQ(found(3), std::vector{std::log(3.0)});
  EXPECT_EQ(found(6), std::vector{std::log(6.0)});
  EXPECT_TRUE(log_ranks({}, communicator_of(dalaup::Run())).empty());
}

TEST(ConsensusChoice, OneMatchingMustBeBetterByMoreThanItsStandardError) {
  // Differences 1, 1, 1, -1: mean .5, standard deviation 1, standard error .5.
  const std::vector<double> one{0.0, 0.0, 0.0, 1.0};
  EXPECT_FALSE(is_one_better(one, std::vector{1.0, 1.0, 1.0, 0.0}));
  EXPECT_TRUE(is_one_better(one, std::vector{1.0, 1.0, 1.1, 0.0}));
  EXPECT_FALSE(is_one_better(one, one)) << "the consensus where they are equal";
  EXPECT_FALSE(is_one_better(one, std::vector{0.0, 0.0, 0.0, 0.0})) << "and where it is better";
  EXPECT_FALSE(is_one_better({}, {}));
}

TEST(ConsensusChoice, IsMadeWhereItIsOpenAndLabelsSuffice) {
  const Example example = small_society();
  EXPECT_TRUE(is_consensus_cheap(example.networks, {}));
  EXPECT_TRUE(is_consensus_cheap(example.networks, {.evidence_damping = 0.7}));
  EXPECT_FALSE(is_consensus_cheap(example.networks, {.least_match = 0.1, .evidence_damping = 0.7}));
  EXPECT_FALSE(is_consensus_cheap(example.networks, {.consensus = "no"}));
  EXPECT_TRUE(can_judge_consensus(std::vector(3, std::vector<UserPair>(20))));
  EXPECT_FALSE(can_judge_consensus(std::vector(3, std::vector<UserPair>(19))));
}

}  // namespace
}  // namespace dalaup
