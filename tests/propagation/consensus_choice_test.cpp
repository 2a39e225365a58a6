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
  EXPECT_DOUBLE_EQ(mean_log_rank(one_hidden_partner_at(1), communicator_of(dalaup::Run())), 0.0);
  EXPECT_DOUBLE_EQ(mean_log_rank(one_hidden_partner_at(3), communicator_of(dalaup::Run())),
                   std::log(3.0));
  EXPECT_DOUBLE_EQ(mean_log_rank(one_hidden_partner_at(6), communicator_of(dalaup::Run())),
                   std::log(6.0));
  EXPECT_DOUBLE_EQ(mean_log_rank({}, communicator_of(dalaup::Run())), 0.0);
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
