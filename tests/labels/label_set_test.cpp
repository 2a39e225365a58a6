#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <map>

#include "support/support.h"

namespace dalaup {
namespace {

using testing::ElementsAre;

TEST(LabelSet, OneAnchorSettlesItsRowAndColumn) {
  LabelSet labels(3, 3);
  EXPECT_FALSE(labels.add({0, 1}, Label::kAnchor));
  EXPECT_EQ(labels.answer({0, 1}), Label::kAnchor);
  EXPECT_EQ(labels.answer({0, 2}), Label::kNotAnchor);
  EXPECT_EQ(labels.answer({2, 1}), Label::kNotAnchor);
  EXPECT_EQ(labels.answer({1, 2}), std::nullopt);
}

TEST(LabelSet, TakingAnAnchorBackTakesItsImplicationsBack) {
  LabelSet labels(3, 3);
  labels.add({0, 1}, Label::kAnchor);
  labels.add({0, 2}, Label::kNotAnchor);
  EXPECT_TRUE(labels.remove({0, 1}));
  EXPECT_EQ(labels.answer({0, 0}), std::nullopt);
  EXPECT_EQ(labels.answer({0, 2}), Label::kNotAnchor);  // was given itself
  EXPECT_FALSE(labels.remove({0, 1}));
  EXPECT_FALSE(labels.add({0, 0}, Label::kAnchor));
}

TEST(LabelSet, AConflictNamesTheEarlierAnswerAndChangesNothing) {
  LabelSet labels(3, 3);
  labels.add({0, 1}, Label::kAnchor);
  const auto conflict = labels.add({2, 1}, Label::kAnchor);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->pair, (UserPair{0, 1}));
  EXPECT_EQ(conflict->label, Label::kAnchor);
  EXPECT_TRUE(labels.add({0, 1}, Label::kNotAnchor));
  EXPECT_EQ(labels.anchors().size(), 1U);
  EXPECT_TRUE(labels.negatives().empty());
}

// The slow twin keeps given answers only and looks through all of them every time.
struct SlowLabels {
  std::map<UserPair, Label> given;

  std::optional<Label> answer(UserPair pair) const {
    if (const auto found = given.find(pair); found != given.end()) return found->second;
    for (const auto& [known, label] : given)
      if (label == Label::kAnchor && (known.a == pair.a || known.b == pair.b))
        return Label::kNotAnchor;
    return std::nullopt;
  }
  bool add(UserPair pair, Label label) {
    const auto found = given.find(pair);
    if (found != given.end()) return found->second == label;
    if (label == Label::kAnchor && answer(pair) == Label::kNotAnchor) return false;
    given[pair] = label;
    return true;
  }
};

TEST(LabelSet, AgreesWithASlowTwinUnderAnySequenceOfAnswersAndUndos) {
  const bool holds = rc::check([](const std::vector<std::tuple<UserId, UserId, int>>& steps) {
    constexpr UserId kUsers = 5;
    LabelSet labels(kUsers, kUsers);
    SlowLabels slow;
    for (const auto& [a, b, action] : steps) {
      const UserPair pair{a % kUsers, b % kUsers};
      if (action % 3 == 0) {
        RC_ASSERT(labels.remove(pair) == (slow.given.erase(pair) > 0));
      } else {
        const Label label = action % 3 == 1 ? Label::kAnchor : Label::kNotAnchor;
        RC_ASSERT(!labels.add(pair, label).has_value() == slow.add(pair, label));
      }
      RC_ASSERT(labels.anchors().size() + labels.negatives().size() == slow.given.size());
      for (UserId left = 0; left < kUsers; ++left)
        for (UserId right = 0; right < kUsers; ++right)
          RC_ASSERT(labels.answer({left, right}) == slow.answer({left, right}));
    }
  });
  EXPECT_TRUE(holds);
}

NetworkPair two_paths() {
  return {network_of("alice bob\nbob carol"), network_of("anna bert\nbert cleo")};
}

std::string fault(std::string_view content, const LabelOptions& options = {}) {
  const NetworkPair networks = two_paths();
  try {
    LabelReader rows(bytes_of(content), "l.tsv", options.table);
    read_labels(rows, networks, options);
  } catch (const InputError& error) {
    return std::string(error.what()) + " | " + error.hint();
  }
  return "no error";
}

TEST(LabelFile, EveryFaultIsNamedWithItsLine) {
  EXPECT_EQ(fault("alice\tanna\nbbo\tbert\n"),
            "l.tsv:2: found \"bbo\", expected the name of a user of network A | did you mean "
            "\"bob\"?");
  EXPECT_EQ(fault("alice\tanna\nalice\tbert\n"),
            "l.tsv:2: found (\"alice\", \"bert\") labelled 1, but line 1 labels (\"alice\", "
            "\"anna\") 1 | a user has at most one partner; remove the wrong line");
  EXPECT_EQ(fault("alice\tanna\n#\nalice\tanna\t0\n"),
            "l.tsv:3: found (\"alice\", \"anna\") labelled 0, but line 1 labels (\"alice\", "
            "\"anna\") 1 | one of the two is wrong: remove it");
  EXPECT_EQ(fault("# nothing\n\n"),
            "l.tsv: found no labels, expected at least one line | such as \"alice<TAB>bob\": a "
            "user of A and its partner in B");
  EXPECT_EQ(fault("alice\tanna\t2\n"),
            "l.tsv:1: found label \"2\", expected 1 (one person) or 0 (not) | leave the "
            "third column out for pairs that are one person");
  EXPECT_EQ(fault("alice\n").substr(0, 14), "l.tsv:1: found");
}

TEST(LabelFile, AllUnknownUsersAreListedAtOnceWithTheClosestNames) {
  EXPECT_EQ(fault("bbo\tanna\nalice\tbret\ncarl\tzoe\n"),
            "l.tsv: found 4 names that no user has, expected names of users\n"
            "  line 1: \"bbo\" is no user of A, which has \"bob\"\n"
            "  line 2: \"bret\" is no user of B, which has \"bert\"\n"
            "  line 3: \"carl\" is no user of A, which has \"carol\"\n"
            "  line 3: \"zoe\" is no user of B | --skip-unknown leaves such lines out");
  std::string many;
  for (int i = 0; i < 15; ++i) many += "nobody" + std::to_string(i) + "\tanna\n";
  const std::string words = fault(many);
  EXPECT_NE(words.find("found 15 names"), std::string::npos) << words;
  EXPECT_NE(words.find("line 10: "), std::string::npos) << words;
  EXPECT_EQ(words.find("line 11: "), std::string::npos) << words;
  EXPECT_NE(words.find("and 5 more"), std::string::npos) << words;
}

TEST(LabelFile, SwappedColumnsAreNamedAsSuch) {
  EXPECT_EQ(fault("anna\talice\n"),
            "l.tsv: found 2 names that no user has, expected names of users\n"
            "  line 1: \"anna\" is a user of network B, expected one of network A\n"
            "  line 1: \"alice\" is a user of network A, expected one of network B | the first "
            "column holds users of A, the second users of B; --label-columns 2,1 swaps them");
  EXPECT_EQ(fault("anna\talice\n", {.table = {.columns = "2,1"}}), "no error");
}

TEST(LabelFile, UnknownUsersMayBeLeftOutAndCaseIgnored) {
  const NetworkPair networks = two_paths();
  LabelNotes notes;
  LabelReader rows(bytes_of("alice\tanna\nnobody\tbert\n"), "l.tsv");
  EXPECT_EQ(read_labels(rows, networks, {.skip_unknown = true}, &notes).anchors().size(), 1U);
  EXPECT_EQ(notes.skipped, 1U);

  EXPECT_NE(fault("Alice\tANNA\n").find("2 of them differ in case only: --ignore-case"),
            std::string::npos);
  LabelReader loud(bytes_of("Alice\tANNA\nbob\tbert\n"), "l.tsv");
  EXPECT_EQ(read_labels(loud, networks, {.ignore_case = true}, &notes).anchors().size(), 2U);
  EXPECT_EQ(notes.other_case, 2U);
}

TEST(LabelFile, TablesAreUnderstood) {
  const NetworkPair networks = two_paths();
  const auto read = [&](std::string_view content) {
    LabelNotes notes;
    LabelReader rows(bytes_of(content), "labels");
    const LabelSet labels = read_labels(rows, networks, {}, &notes);
    return notes.understood + ": " + std::to_string(labels.anchors().size()) + " and " +
           std::to_string(labels.negatives().size());
  };
  EXPECT_EQ(read("alice,anna\nbob,bert\n"), "comma-separated, no header, columns 1, 2: 2 and 0");
  EXPECT_EQ(read("\xef\xbb\xbfuser_a;user_b;label\r\n\"alice\";anna;1\r\nbob;bert;0\r\n"),
            "semicolon-separated, quoted, header, columns user_a, user_b, label: 1 and 1");
  EXPECT_EQ(read("a\tb\tlabel\nalice\tanna\t1\nbob\tbert\t0\n"),
            "tab-separated, header, columns a, b, label: 1 and 1");
  EXPECT_EQ(read("alice anna\nbob bert\n"),
            "separated by spaces, no header, columns 1, 2: 2 and 0");
  EXPECT_EQ(read("target,source\nanna,alice\n"),
            "comma-separated, header, columns source, target: 1 and 0");
}

TEST(LabelFile, PredictionsAreNotTakenForLabelsByAccident) {
  constexpr std::string_view kMatching = "a\tb\tprobability\tmargin\nalice\tanna\t0.9\t0.5\n";
  EXPECT_NE(fault(kMatching).find("look like predictions"), std::string::npos) << fault(kMatching);
  EXPECT_EQ(fault(kMatching, {.table = {.columns = "a,b"}}), "no error");
}

TEST(LabelFile, WritingAndReadingGivesTheSameLabels) {
  const TemporaryFolder folder;
  const NetworkPair networks = two_paths();
  LabelSet labels = labels_of(networks, {{"bob", "anna"}, {"alice", "cleo"}});
  labels.add({networks.a.find("carol"), networks.b.find("anna")}, Label::kNotAnchor);
  write_labels(folder / "l.tsv", labels, networks);
  EXPECT_EQ(content_of(folder / "l.tsv"), "bob\tanna\t1\nalice\tcleo\t1\ncarol\tanna\t0\n");
  const LabelSet again = read_labels(folder / "l.tsv", networks);
  EXPECT_TRUE(std::ranges::is_permutation(again.anchors(), labels.anchors()));
  EXPECT_TRUE(std::ranges::is_sorted(again.anchors())) << "in the order of users";
  EXPECT_TRUE(std::ranges::equal(again.negatives(), labels.negatives()));
}

TEST(SplitTruth, PartsAreDisjointCompleteAndIndependentOfTheOrder) {
  std::vector<UserPair> truth;
  for (UserId user = 0; user < 50; ++user) truth.push_back({user, 49 - user});
  const Split split = split_truth(truth, {.initial = 5, .validation = 10, .test = 15}, Random(7));
  std::ranges::reverse(truth);
  const Split again = split_truth(truth, {.initial = 5, .validation = 10, .test = 15}, Random(7));
  EXPECT_EQ(split.initial, again.initial);
  EXPECT_EQ(split.pool, again.pool);
  EXPECT_EQ(split.pool.size(), 20U);
  std::vector<UserPair> all = split.initial;
  for (const auto* const part : {&split.validation, &split.test, &split.pool})
    all.insert(all.end(), part->begin(), part->end());
  std::ranges::sort(all);
  std::ranges::sort(truth);
  EXPECT_EQ(all, truth);
  EXPECT_THROW(split_truth(truth, {.initial = 51, .validation = 0, .test = 0}, Random(7)),
               ParameterError);
}

TEST(LabelSet, AUserWithoutPartnerSettlesAllItsPairsAndCanBeTakenBack) {
  LabelSet labels(3, 3);
  EXPECT_FALSE(labels.add(no_partner(Side::kA, 1), Label::kNotAnchor));
  EXPECT_EQ(labels.answer({1, 2}), Label::kNotAnchor);
  EXPECT_FALSE(labels.is_open(Side::kA, 1));
  const auto conflict = labels.add({1, 2}, Label::kAnchor);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->pair, no_partner(Side::kA, 1));
  EXPECT_TRUE(labels.remove(no_partner(Side::kA, 1)));
  EXPECT_FALSE(labels.answer({1, 2}));
  EXPECT_FALSE(labels.add({1, 2}, Label::kAnchor));
  const auto refused = labels.add(no_partner(Side::kB, 2), Label::kNotAnchor);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->pair, (UserPair{1, 2}));
}

TEST(ReadLabels, AStarSaysThatTheOtherHasNoPartner) {
  const NetworkPair networks{network_of("alice bob"), network_of("x y")};
  const std::string_view text = "alice\tx\nbob\t*\t0\n*\ty\t0\n";
  LabelReader rows(bytes_of(text), "labels.tsv");
  const LabelSet labels = read_labels(rows, networks);
  EXPECT_TRUE(labels.has_no_partner(Side::kA, 1));
  EXPECT_TRUE(labels.has_no_partner(Side::kB, 1));
  const TemporaryFolder folder;
  write_labels(folder / "again.tsv", labels, networks);
  EXPECT_EQ(content_of(folder / "again.tsv"), "alice\tx\t1\nbob\t*\t0\n*\ty\t0\n");
}

TEST(ReadLabels, AStarWithLabelOneOrAgainstAnAnchorIsAnErrorWithItsLine) {
  const NetworkPair networks{network_of("alice bob"), network_of("x y")};
  const auto error_of = [&](std::string_view text) {
    LabelReader rows(bytes_of(text), "labels.tsv");
    try {
      read_labels(rows, networks);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(error_of("alice\t*\n"), testing::HasSubstr("labels.tsv:1: found \"*\" with label 1"));
  EXPECT_THAT(error_of("*\t*\t0\n"), testing::HasSubstr("twice"));
  EXPECT_THAT(error_of("alice\tx\nalice\t*\t0\n"),
              testing::HasSubstr("(\"alice\", \"*\") labelled 0, but line 1 labels (\"alice\", "
                                 "\"x\") 1"));
  EXPECT_THAT(error_of("alice\t*\t0\nalice\tx\n"),
              testing::HasSubstr("line 1 labels (\"alice\", \"*\") 0"));
}

}  // namespace
}  // namespace dalaup
