#include "methods/propagation/self_training.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "methods/propagation/calibration.h"
#include "propagation/example.h"

namespace dalaup {
namespace {

double length_of(std::span<const ContextEntry> row) {
  double sum = 0.0;
  for (const ContextEntry& entry : row) sum += double{entry.weight} * entry.weight;
  return std::sqrt(sum);
}

// log odds 2 is a probability of .88, 1 one of .73
TEST(SelfTraining, TakesProbablePairsOneToOneSurestFirst) {
  const std::vector<BestPair> best{{{0, 5}, 2.0F}, {{1, 5}, 4.0F}, {{2, 6}, 1.0F}, {{3, 7}, 3.0F}};
  EXPECT_EQ(sure_pairs(best, {}), (std::vector<UserPair>{{1, 5}, {3, 7}}));
  EXPECT_EQ(sure_pairs(best, {.slope = 1.0, .offset = -2.0}), (std::vector<UserPair>{{1, 5}}));
  EXPECT_TRUE(sure_pairs({}, {}).empty());
}

TEST(SelfTraining, BestPairsLeaveOutWhatWasAnsweredNo) {
  Propagated state;
  state.lists.pairs = {{0, 3}, 2};
  state.lists.pairs.assign(0, std::vector<ListedPair>{{4}, {5}});
  state.lists.pairs.assign(2, std::vector<ListedPair>{{4}, {6}});
  const std::vector<float> log_odds{1.0F, 2.0F, 0.0F, 0.0F, 3.0F, -1.0F};
  LabelSet labels(3, 7);
  dalaup::Run run;
  const auto before = best_pairs(state, log_odds, labels, communicator_of(run));
  ASSERT_EQ(before.size(), 2U);
  EXPECT_EQ(before[0].pair, (UserPair{0, 5}));
  EXPECT_EQ(before[1].pair, (UserPair{2, 4}));
  labels.add({2, 4}, Label::kNotAnchor);
  EXPECT_EQ(best_pairs(state, log_odds, labels, communicator_of(run)).size(), 1U);
}

TEST(SelfTraining, PseudoAnchorsAreColumnsForAllButTheirOwnUsers) {
  const Example example = small_society();
  const auto anchors = example.labels.anchors();
  const auto known = anchors.first(30);
  const auto pseudo = anchors.subspan(30);
  dalaup::Run run;
  const Prior prior = make_priors(example.networks, known, {}, {}, {}, run, pseudo)[0];
  const AnchorContext& context = *prior.view.context;
  EXPECT_EQ(context.vocabulary, anchors.size());
  std::size_t seen = 0;
  for (std::size_t column = 0; column < anchors.size(); ++column) {
    const bool is_pseudo = column >= known.size();
    for (const Side side : {Side::kA, Side::kB}) {
      const auto row = (side == Side::kA ? context.a : context.b).of(anchors[column].on(side));
      const bool has_own = std::ranges::find(row, column, &ContextEntry::anchor) != row.end();
      EXPECT_EQ(has_own, !is_pseudo) << column;
      if (!row.empty()) {
        EXPECT_NEAR(length_of(row), 1.0, 1e-5);
      }
    }
    for (UserId user = 0; user < example.networks.a.user_count(); ++user)
      seen += is_pseudo && std::ranges::find(context.a.of(user), column, &ContextEntry::anchor) !=
                               context.a.of(user).end();
    EXPECT_EQ(prior.best.of(anchors[column].a).empty(), !is_pseudo);
  }
  EXPECT_GT(seen, 100U);  // other users meet pseudo-anchors
}

// Two pseudo-anchors have exchanged partners: rounds believe them, the last lists need not.
TEST(SelfTraining, UsersOfPseudoAnchorsAreOpenInTheEnd) {
  const Example example = small_society();
  const auto anchors = example.labels.anchors();
  const auto known = anchors.first(anchors.size() - 12);
  std::vector<UserPair> pseudo(anchors.begin() + static_cast<std::ptrdiff_t>(known.size()),
                               anchors.end());
  std::swap(pseudo[0].b, pseudo[1].b);
  const NetworkWeights weights{neighbour_weights(example.networks.a),
                               neighbour_weights(example.networks.b)};
  dalaup::Run run;
  Task task(run, "propagating", 16);
  const Propagated state =
      propagate(example.networks, weights, known,
                make_priors(example.networks, known, {}, {}, {}, run, pseudo)[0], nullptr, {}, task,
                run, {}, {}, pseudo);
  EXPECT_EQ(state.anchors.size(), known.size());
  std::size_t found = 0;
  for (std::size_t i = 0; i < pseudo.size(); ++i) {
    const UserPair truth{pseudo[i].a, anchors[known.size() + i].b};
    const auto matched = state.matched.of(truth.a);
    ASSERT_EQ(matched.size(), 1U);
    EXPECT_EQ(matched[0].user, pseudo[i].b);
    const auto listed = state.lists.pairs.of(truth.a);
    const auto best = std::ranges::max_element(
        listed, {}, [&](const ListedPair& pair) { return state.lists.score(pair); });
    found += best != listed.end() && best->partner == truth.b;
  }
  EXPECT_GE(found, 9U);
  const UserId exchanged = anchors[known.size()].b;
  EXPECT_NE(std::ranges::find(state.lists.pairs.of(pseudo[0].a), exchanged, &ListedPair::partner),
            state.lists.pairs.of(pseudo[0].a).end());
}

// Progress is never told of two things at once, and knows each task it hears of.
class CheckedProgress : public Progress {
 public:
  void begin(std::string_view, std::uint64_t) override { enter(1); }
  void update(std::uint64_t, std::string_view) override { enter(0); }
  void end() override { enter(-1); }
  int most_tasks = 0;
  std::atomic<int> clashes = 0;

 private:
  void enter(int change) {
    if (is_busy_.exchange(true)) ++clashes;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    tasks_ += change;
    most_tasks = std::max(most_tasks, tasks_);
    is_busy_ = false;
  }
  int tasks_ = 0;
  std::atomic<bool> is_busy_ = false;
};

TEST(SelfTraining, ProgressIsToldFromOneThreadAtATime) {
  const Example example = small_society();
  CheckedProgress progress;
  dalaup::Run run(RunOptions{.threads = 3, .progress = &progress});
  make_propagation({.consensus = "no", .self_training = "yes"})
      ->fit(example.networks, example.labels, run);
  EXPECT_EQ(progress.clashes, 0);
  EXPECT_EQ(progress.most_tasks, 1);
}

TEST(SelfTraining, FindsMorePartnersFromFewLabels) {
  SKIP_WITH_SANITIZERS();
  double mean[2] = {0.0, 0.0};
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    dalaup::Run run(RunOptions{.seed = seed});
    GeneratedPair pair = generate_pair(
        {.users_a = 600, .users_b = 560, .anchors = 420, .edges_a = 4000, .edges_b = 5000}, run);
    LabelSet labels(pair.networks.a.user_count(), pair.networks.b.user_count());
    std::vector<UserPair> tests;
    for (std::size_t i = 0; i < pair.truth.size(); ++i) {
      if (i % 12 == 0)
        labels.add(pair.truth[i], Label::kAnchor);
      else
        tests.push_back(pair.truth[i]);
    }
    for (const bool trains : {false, true}) {
      const auto aligner =
          make_propagation({.consensus = "no", .self_training = trains ? "yes" : "no"});
      aligner->fit(pair.networks, labels, run);
      mean[trains ? 1 : 0] += precision_at(*aligner, tests, 1.0) / 3.0;
    }
  }
  EXPECT_GT(mean[1], mean[0] + 0.02);
}

}  // namespace
}  // namespace dalaup
