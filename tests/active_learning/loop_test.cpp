#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "active_learning/active_learning.h"
#include "support/copied_society.h"
#include "support/support.h"
#include "support/table_aligner.h"

namespace dalaup {
namespace {

struct Setting {
  CopiedSociety society = copied_society(150, 10.0, 0.85, 3);
  SimulationParams params{.strategy = "dalaup,cs,random",
                          .initial = 12,
                          .validation = 20,
                          .test = 40,
                          .label_budget = 50,
                          .batch_size = 10,
                          .repeats = 2};
  QueryParams query;
  bool trust_no = false;
  Settings settings;

  SimulationInput input(const std::string& folder = "") const {
    return {.networks = society.networks,
            .truth = society.truth,
            .params = params,
            .query = query,
            .trust_no = trust_no,
            .make_aligner = [] { return std::make_unique<NeighbourAligner>(); },
            .settings = settings,
            .folder = folder};
  }
  std::vector<SimulatedRun> run(const std::string& folder = "") const {
    Run run;
    return simulate(input(folder), run);
  }
};

// curves.csv without the columns that tell seconds.
std::string curves_without_time(const std::string& folder) {
  std::string kept;
  LineReader lines(folder + "/curves.csv");
  std::string_view line;
  while (lines.next(line)) {
    std::size_t column = 0;
    for (std::size_t begin = 0; begin <= line.size(); ++column) {
      const std::size_t end = std::min(line.find(',', begin), line.size());
      if (column != 10 && column < 17) kept += std::string(line.substr(begin, end - begin)) + ",";
      begin = end + 1;
    }
    kept += "\n";
  }
  return kept;
}

TEST(Loop, LearnsFromAnswersAndBeatsTheControl) {
  Setting setting;
  setting.params.strategy = "cs";
  for (const SimulatedRun& run : setting.run()) {
    const auto& rounds = run.state.rounds;
    ASSERT_EQ(rounds.size(), 6U);
    EXPECT_EQ(rounds.front().answers, 0U);
    EXPECT_EQ(rounds.back().answers, 50U);
    if (run.strategy == kControl) {
      EXPECT_EQ(rounds.back().test.mrr, rounds.front().test.mrr);
      EXPECT_TRUE(run.state.asked.empty());
    } else {
      EXPECT_GT(rounds.back().test.mrr, rounds.front().test.mrr + 0.05);
      EXPECT_GT(rounds.back().positives, 15U);
    }
  }
}

TEST(Loop, NeverAsksAboutValidationOrTestUsersNorTheSamePairTwice) {
  Setting setting;
  setting.params.strategy = "dalaup-all";
  setting.query.questions = "pick";
  const auto runs = setting.run();
  dalaup::Run run;
  for (const auto& [strategy, repeat, state] : runs) {
    const Split split = split_truth(setting.society.truth, {12, 20, 40},
                                    run.random("split", static_cast<std::uint64_t>(repeat)));
    std::set<UserId> kept_out;
    for (const auto* part : {&split.validation, &split.test})
      for (const UserPair pair : *part) kept_out.insert(pair.a);
    std::set<UserPair> asked;
    for (const AskedQuestion& one : state.asked)
      for (std::size_t i = 0; i < one.question.candidates.size(); ++i) {
        EXPECT_TRUE(asked.insert(one.question.pair(i)).second);
        EXPECT_FALSE(kept_out.contains(one.question.user));
        EXPECT_FALSE(kept_out.contains(149 - one.question.candidates[i]));
      }
  }
}

TEST(Loop, RewardsTheArmWithTheRiseOnValidationData) {
  Setting setting;
  setting.params.strategy = "dalaup";
  for (const SimulatedRun& run : setting.run()) {
    if (run.strategy == kControl) continue;
    const auto& rounds = run.state.rounds;
    Bandit expected({"saie", "cs", "eer"});
    for (std::size_t i = 1; i < rounds.size(); ++i) {
      const double rise =
          0.5 * (rounds[i].validation.precision - rounds[i - 1].validation.precision +
                 rounds[i].validation.map - rounds[i - 1].validation.map);
      EXPECT_DOUBLE_EQ(rounds[i].reward, rise);
      for (std::size_t arm = 0; arm < 3; ++arm)
        if (expected.arms()[arm].name == rounds[i].strategy) expected.reward(arm, rise);
    }
    EXPECT_EQ(run.state.bandit, expected);
  }
}

TEST(Loop, SurvivesWrongAnswersAndStillLearns) {
  Setting setting;
  setting.params.strategy = "cs";
  setting.params.oracle_error = 0.1;
  for (const bool trust_no : {false, true})
    for (const char* form : {"pair", "pick"}) {
      setting.trust_no = trust_no;
      setting.query.questions = form;
      for (const SimulatedRun& run : setting.run())
        if (run.strategy != kControl) {
          EXPECT_GT(run.state.rounds.back().test.mrr, run.state.rounds.front().test.mrr);
        }
    }
}

// A truth file that leaves half of the pool's anchors out makes true pairs answer "no".
TEST(Loop, AFalseNoLeavesTheLabelsUntouchedUnlessItIsTrusted) {
  Setting setting;
  const CopiedSociety& society = setting.society;
  const Split split = split_truth(society.truth, {12, 20, 40}, Random(1));
  for (const bool trust_no : {false, true}) {
    LoopParams params;
    params.strategy = "cs";
    params.label_budget = 40;
    params.batch_size = 10;
    params.trust_no = trust_no;
    TruthOracle oracle(society.networks, {});  // answers no to everything
    NeighbourAligner aligner;
    dalaup::Run run;
    LoopState state = begin_loop(society.networks, split, params);
    run_loop(aligner, society.networks, split, params, oracle, state, run);
    EXPECT_EQ(state.labels.negatives().size(), trust_no ? 40U : 0U);
    EXPECT_EQ(state.rounds.back().test.mrr, state.rounds.front().test.mrr);
    EXPECT_EQ(state.rounds.back().positives, 0U);
  }
}

TEST(Loop, EndsNormallyWhenNothingIsLeftToAsk) {
  const CopiedSociety society = copied_society(9, 4.0, 1.0, 2);
  LoopParams params;
  params.strategy = "ie";
  params.label_budget = 1000;
  params.batch_size = 7;
  const Split split = split_truth(society.truth, {2, 1, 1}, Random(1));
  TruthOracle oracle(society.networks, society.truth);
  NeighbourAligner aligner;
  dalaup::Run run;
  LoopState state = begin_loop(society.networks, split, params);
  run_loop(aligner, society.networks, split, params, oracle, state, run);
  EXPECT_TRUE(state.pool_is_empty);
  EXPECT_EQ(state.rounds.back().positives, 5U);  // every anchor of the pool was found
  EXPECT_EQ(state.pool.pair_count(state.labels), 0U);
}

struct Killed {};

TEST(Simulate, ContinuesToTheSameResultAfterBeingKilledAtAnyRound) {
  for (const bool warm : {false, true}) {
    Setting setting;
    setting.params.strategy = "dalaup,eer";
    setting.params.repeats = 1;
    setting.params.warm = warm;
    const TemporaryFolder whole;
    setting.run(whole.path());
    const std::string expected_curves = curves_without_time(whole.path());
    const std::string expected_questions = content_of(whole / "questions.csv");
    const TemporaryFolder stopped;
    // Every attempt may fit a few times and is then killed in the middle of a round.
    for (int allowed = 2;; ++allowed) {
      int fits = 0;
      struct Fragile : NeighbourAligner {
        explicit Fragile(int& fits_made, int most) : count(fits_made), limit(most) {}
        void refit(const LabelSet& labels, dalaup::Run& run) override {
          if (++count > limit) throw Killed();
          NeighbourAligner::refit(labels, run);
        }
        int& count;
        int limit;
      };
      SimulationInput input = setting.input(stopped.path());
      input.make_aligner = [&] { return std::make_unique<Fragile>(fits, allowed); };
      dalaup::Run run;
      try {
        simulate(input, run);
        break;
      } catch (const Killed&) {
      }
    }
    EXPECT_EQ(curves_without_time(stopped.path()), expected_curves);
    EXPECT_EQ(content_of(stopped / "questions.csv"), expected_questions);
  }
}

TEST(Simulate, WritesCurvesAsTheInterfaceSays) {
  Setting setting;
  setting.params.strategy = "cs";
  setting.params.repeats = 1;
  const TemporaryFolder folder;
  setting.settings.set("batch_size", std::int64_t{10});
  setting.settings.set("oracle_error", 0.0);
  setting.settings.set("a", std::string("C:\\a \"b\".edges"));
  setting.run(folder.path());
  const std::string curves = content_of(folder / "curves.csv");
  EXPECT_TRUE(
      curves.starts_with("strategy,repeat,round,labels,positives,precision@30,map@30,"
                         "hits@1,hits@10,mrr,seconds,"));
  EXPECT_NE(curves.find("\ncs,1,0,0,0,"), std::string::npos);
  EXPECT_NE(curves.find("\ncs,1,5,50,"), std::string::npos);
  EXPECT_NE(curves.find("\ncontrol,1,5,50,0,"), std::string::npos);
  const std::string questions = content_of(folder / "questions.csv");
  EXPECT_TRUE(questions.starts_with(
      "strategy,repeat,round,question,kind,arm,score,a,b,probability,answer\ncs,1,1,1,pair,cs,"));
  EXPECT_EQ(std::ranges::count(questions, '\n'), 51);
  const std::string settings = content_of(folder / "settings.toml");
  EXPECT_NE(settings.find("[simulate]\nbatch_size = 10\noracle_error = 0.0\n"
                          "a = \"C:\\\\a \\\"b\\\".edges\"\nseed = 1\n"),
            std::string::npos)
      << settings;
}

TEST(Simulate, RefusesAFolderMadeFromOtherNetworksUnderTheSameNames) {
  Setting setting;
  setting.params.strategy = "cs";
  setting.params.repeats = 1;
  const TemporaryFolder folder;
  setting.run(folder.path());
  setting.society = copied_society(150, 10.0, 0.85, 4);
  try {
    setting.run(folder.path());
    FAIL() << "continued on other data";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("other data"), std::string::npos) << error.what();
  }
}

TEST(Simulate, RefusesAFolderMadeWithOtherSettings) {
  Setting setting;
  setting.params.strategy = "cs";
  setting.params.repeats = 1;
  const TemporaryFolder folder;
  setting.settings.set("batch_size", std::int64_t{10});
  setting.run(folder.path());
  setting.settings.set("batch_size", std::int64_t{20});
  try {
    setting.run(folder.path());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("cs-1.state: found a simulation with batch_size 10, expected 20"),
              std::string::npos)
        << error.what();
  }
}

std::string message_of(const Setting& setting) {
  try {
    setting.run();
  } catch (const ParameterError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Simulate, RefusesWhatItCannotServe) {
  Setting setting;
  setting.params.label_budget = 10000;
  EXPECT_EQ(message_of(setting),
            "budget: found 10000 questions, expected at most 6084: no more pairs are left without "
            "the users of initial, validation and test anchors");
  setting = Setting();
  setting.params.batch_size = 60;
  EXPECT_EQ(message_of(setting),
            "batch: found 60 questions between refits, expected at most the budget of 50");
  setting = Setting();
  setting.params.test = 140;
  EXPECT_EQ(
      message_of(setting),
      "found 150 anchor pairs in the truth, expected at least 172 (12 initial + 20 validation "
      "+ 140 test)");
  setting = Setting();
  setting.params.oracle_error = 0.5;
  EXPECT_EQ(message_of(setting).substr(0, 23), "oracle_error: found 0.5");
  setting = Setting();
  setting.params.strategy = "cs,cs";
  EXPECT_EQ(message_of(setting), "strategy: found \"cs\" twice, expected each once");
  setting.params.strategy = "cs,";
  EXPECT_EQ(message_of(setting), "strategy: found \"cs,\", expected names separated by commas");
  setting.params.strategy = "dalap";
  EXPECT_EQ(message_of(setting).substr(0, 30), "unknown query strategy \"dalap\"");
  setting.params.strategy = "dalaup";
  setting.params.arms = "saie,dalaup";
  EXPECT_EQ(message_of(setting).substr(0, 31), "unknown query strategy \"dalaup\"");
}

TEST(Simulate, ScalesTheSplitToASmallTruthOrSaysThatItIsTooSmall) {
  const SplitSizes kept = scale_to_truth({100, 300, 600}, 1000);
  EXPECT_EQ(kept.test, 600U);
  const SplitSizes smaller = scale_to_truth({100, 300, 600}, 300);
  EXPECT_EQ(smaller.initial, 20U);
  EXPECT_EQ(smaller.validation, 60U);
  EXPECT_EQ(smaller.test, 120U);
  EXPECT_THROW(scale_to_truth({100, 300, 600}, 12), ParameterError);
}

}  // namespace
}  // namespace dalaup
