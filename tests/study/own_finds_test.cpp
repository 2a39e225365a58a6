#include "study_support.h"

namespace dalaup {
namespace {

// What people find without being asked, and what they see of earlier questions.
class OwnFinds : public SessionTest {};

TEST_F(OwnFinds, SearchSeesProfilesAndProposesHubsWithoutAWord) {
  const NetworkPair networks = twin_rings(30);
  Profiles profiles{.columns = {"city", "bio"}, .rows = {}};
  profiles.rows[networks.a.find("a7")] = {"Lima", "Plays the cello"};
  profiles.rows[networks.a.find("a8")] = {"Lima", "Bakes bread"};
  study_.emplace(Study::create(folder_ / "s.study", networks, profiles, {}, {}));
  start(pairs_only());
  EXPECT_EQ(session_->search(Side::kA, "lima", 20).size(), 2U);
  EXPECT_EQ(session_->search(Side::kA, "CELLO lima", 20),
            std::vector<UserId>{networks.a.find("a7")});
  const auto hubs = session_->search(Side::kA, "", 3);
  ASSERT_EQ(hubs.size(), 3U);
  for (UserId user = 0; user < networks.a.user_count(); ++user)
    EXPECT_LE(networks.a.degree(user), networks.a.degree(hubs[0]));
  import_known(*session_, 30);
  EXPECT_TRUE(session_->search(Side::kA, "", 3, true).empty()) << "everybody has a partner";
}

TEST_F(OwnFinds, APairFoundBySearchIsALabelThatCanBeTakenBack) {
  start(pairs_only());
  const Outcome found = session_->enter("ann", {3, 3}, Reply::kYes);
  ASSERT_TRUE(found.is_taken) << found.message;
  EXPECT_EQ(session_->status().anchors, 1U);
  EXPECT_EQ(session_->history({}).front().entry.source, "search");
  EXPECT_TRUE(session_->enter("bob", {3, 3}, Reply::kYes).is_taken) << "known already";
  EXPECT_EQ(session_->history({}).size(), 1U);
  EXPECT_FALSE(session_->enter("ann", {3, 4}, Reply::kYes).is_taken) << "a3 has a partner";
  EXPECT_FALSE(session_->enter("ann", {3, 400}, Reply::kYes).is_taken);
  EXPECT_TRUE(session_->undo("ann", found.entry).is_taken);
  EXPECT_EQ(session_->status().anchors, 0U);
}

TEST_F(OwnFinds, ANoteIsKeptWithItsAnswer) {
  start(pairs_only());
  const Next next = wait_for_question(*session_, "ann");
  session_->answer("ann", next.question->id, Reply::kNo, kNoUser, 1.0, {}, "other city");
  restart(pairs_only());
  EXPECT_EQ(session_->answers_to(next.question->id).at(0).note, "other city");
}

TEST_F(OwnFinds, AnEarlierQuestionIsShownAsItWas) {
  start(pairs_only());
  const Next next = wait_for_question(*session_, "ann");
  const Question& asked = next.question->question;
  const Outcome no = session_->answer("ann", next.question->id, Reply::kNo, kNoUser, 1.0);
  const NetworkPair& networks = study_->networks();
  import_known(*session_, 30);
  const auto past = session_->question_before(next.question->id, no.entry);
  ASSERT_TRUE(past);
  EXPECT_EQ(past->question.question.candidates, asked.candidates);
  EXPECT_EQ(session_->evidence(past->question, 0, false, 5, &past->labels).matched, 0U);
  EXPECT_GT(session_->evidence(past->question, 0, false, 5).matched, 0U)
      << networks.a.name(asked.user);
  EXPECT_FALSE(session_->question_before(999, 1));
}

// Learns nothing from no label, as every method that needs some.
class NeedsLabels : public CommonContactsAligner {
 public:
  void fit(const NetworkPair& networks, const LabelSet& labels, Run& run) override {
    if (labels.anchors().empty()) throw StateError("there are no labels to learn from");
    CommonContactsAligner::fit(networks, labels, run);
  }
};

TEST_F(OwnFinds, AFailureIsToldAtOnceAndEndsWithTheFirstLabel) {
  study_.emplace(Study::create(folder_ / "s.study", twin_rings(30), {}, {}, {}));
  session_.emplace(
      *study_, [] { return std::make_unique<NeedsLabels>(); }, pairs_only());
  Next next;
  for (int ask = 0; ask < 3; ++ask) {  // asking again must not hide it
    session_->wait_until_learned();
    next = session_->next("ann");
  }
  EXPECT_EQ(next.state, Next::State::kFailed);
  EXPECT_EQ(next.message, "there are no labels to learn from");
  ASSERT_TRUE(session_->enter("ann", {0, 0}, Reply::kYes).is_taken);
  EXPECT_EQ(wait_for_question(*session_, "ann").state, Next::State::kQuestion);
}

// Learns from profiles, or from labels; from neither it cannot.
class NeedsProfiles : public CommonContactsAligner {
 public:
  void fit(const NetworkPair& networks, const LabelSet& labels, Run& run) override {
    if (labels.anchors().empty() && networks.attributes == nullptr)
      throw StateError("there is nothing to learn from");
    CommonContactsAligner::fit(networks, labels, run);
  }
};

TEST_F(OwnFinds, AStudyWithoutLabelsBeginsWithItsProfilesElseWithHubs) {
  for (const bool has_profiles : {true, false}) {
    Profiles profiles[2];
    for (Profiles& one : profiles) {
      if (!has_profiles) continue;
      one.columns = {"city"};
      one.rows[3] = {"Lima"};
    }
    const std::string path = folder_ / (has_profiles ? "with.study" : "without.study");
    study_.emplace(Study::create(path, twin_rings(30), profiles[0], profiles[1], {}));
    session_.emplace(
        *study_, [] { return std::make_unique<NeedsProfiles>(); }, SessionOptions{});
    const Next next = wait_for_question(*session_, "ann");
    ASSERT_EQ(next.state, Next::State::kQuestion) << next.message;
    EXPECT_EQ(next.question->question.strategy == kHubPicks, !has_profiles);
    session_.reset();
    study_.reset();
  }
}

TEST_F(OwnFinds, ComparedColumnsComeFromTheSetting) {
  Settings settings;
  settings.set("compare", std::string("name=full_name,city:category,"));
  EXPECT_EQ(compared_columns(settings), (std::vector<std::pair<std::string, std::string>>{
                                            {"name", "full_name"}, {"city", "city"}}));
  EXPECT_TRUE(compared_columns({}).empty());
}

}  // namespace
}  // namespace dalaup
