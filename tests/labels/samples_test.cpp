#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "labels/labels.h"
#include "support/samples.h"
#include "support/support.h"

// Label files as they lie around (tests/labels/samples): how each is understood, or refused.
namespace dalaup {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string sample(const std::string& file) { return sample_path("labels", file); }

// ann, bob and cid here; x, y and z there.
const NetworkPair& networks() {
  static const NetworkPair pair{network_of("ann bob\nbob cid\n"), network_of("x y\ny z\n")};
  return pair;
}

// "ann=x, bob!z" in the order of users; "ann!*" has no partner.
std::string words_of(const LabelSet& labels) {
  std::string words;
  for_each_label(labels, [&](UserPair pair, Label label) {
    words +=
        fmt::format("{}{}{}{}", words.empty() ? "" : ", ", label_name(networks(), Side::kA, pair),
                    label == Label::kAnchor ? "=" : "!", label_name(networks(), Side::kB, pair));
  });
  return words;
}

struct Expected {
  const char* file;
  const char* understood;
  const char* labels;
};

class LabelSamples : public testing::TestWithParam<Expected> {};

TEST_P(LabelSamples, AreReadAsAPersonWould) {
  LabelNotes notes;
  const LabelSet labels = read_labels(sample(GetParam().file), networks(), {}, &notes);
  EXPECT_EQ(notes.understood, GetParam().understood);
  EXPECT_EQ(words_of(labels), GetParam().labels);
}

INSTANTIATE_TEST_SUITE_P(
    Files, LabelSamples,
    testing::Values(
        Expected{"labels.tsv", "tab-separated, no header, columns 1, 2, 3", "ann=x, bob=y, bob!z"},
        Expected{"labelled-scores.csv",
                 "comma-separated, header, columns a, b, label (not read: score)", "ann=x, bob!z"},
        Expected{"header.csv", "comma-separated, header, columns user_a, user_b, label",
                 "ann=x, bob!z"},
        Expected{"excel-german.csv", "semicolon-separated, header, columns user_a, user_b",
                 "ann=x, bob=y"},
        Expected{"quoted.csv", "comma-separated, quoted, no header, columns 1, 2", "ann=x, bob=y"},
        Expected{"swapped-header.csv", "comma-separated, header, columns user_a, user_b",
                 "ann=x, bob=y"},
        Expected{"spaces.txt", "separated by spaces, no header, columns 1, 2", "ann=x, bob=y"},
        Expected{"booleans.csv", "comma-separated, header, columns a, b, match", "ann=x, bob!y"},
        Expected{"floats.csv", "comma-separated, header, columns a, b, label", "ann=x, bob!z"},
        Expected{"yes-no.tsv", "tab-separated, no header, columns 1, 2, 3", "ann=x, bob!z"},
        Expected{"pandas-index.csv", "comma-separated, header, columns a, b (not read: column 1)",
                 "ann=x, bob=y"},
        Expected{"nobody.tsv", "tab-separated, no header, columns 1, 2, 3", "ann!*, *!z"}),
    [](const auto& sample_info) {
      std::string name = sample_info.param.file;
      std::ranges::replace_if(
          name, [](char c) { return c == '-' || c == '.'; }, '_');
      return name;
    });

std::string fault(const std::string& file, const LabelOptions& options = {}) {
  return complaint_of([&] { read_labels(sample(file), networks(), options); });
}

TEST(LabelSampleFaults, SayWhatIsWrongAndWhatToDo) {
  EXPECT_EQ(fault("matching.tsv"),
            "matching.tsv:1: found a column \"probability\", expected labels; the pairs of this "
            "file look like predictions | to take them for known all the same give "
            "--label-columns a,b");
  EXPECT_EQ(fault("two-partners.tsv"),
            "two-partners.tsv:2: found (\"ann\", \"y\") labelled 1, but line 1 labels (\"ann\", "
            "\"x\") 1 | a user has at most one partner; remove the wrong line");
  EXPECT_THAT(fault("words.tsv"), HasSubstr("words.tsv:1: found label \"maybe\", expected 1"));
  EXPECT_THAT(fault("swapped.tsv"), HasSubstr("--label-columns 2,1 swaps them"));
}

TEST(LabelSampleFaults, SayWhatHappenedToNames) {
  EXPECT_THAT(fault("scores.csv"), HasSubstr("found a column \"score\", expected labels"));
  EXPECT_THAT(fault("sheet.xlsx"),
              HasSubstr("found a zip archive or an Excel file, expected a table of text | save the "
                        "table as CSV first"));
  // Numbers are often users of both networks: one name alone is no exchange.
  EXPECT_THAT(fault("one-foreign.tsv"), Not(HasSubstr("exchange")));
  EXPECT_THAT(
      fault("half-swapped.tsv"),
      HasSubstr("the first column holds users of A, the second users of B: exchange the two "
                "in these lines"));
  EXPECT_THAT(fault("arrows.txt"), HasSubstr("--label-delimiter '=' reads them"));
  EXPECT_THAT(fault("behind-names.tsv"),
              HasSubstr("| comments have a line of their own that begins with #"));
  EXPECT_THAT(fault("at-signs.tsv"),
              HasSubstr("| 2 of them are users without the \"@\" in front: take it away"));
}

std::string fault_of(const std::string& text, const NetworkPair& pair) {
  const TemporaryFolder folder;
  write_file(folder / "labels.txt", text);
  return complaint_of([&] { read_labels(folder / "labels.txt", pair); });
}

TEST(LabelSampleFaults, NameWhatPeopleCannotSee) {
  NetworkBuilder a;
  a.add_edge(a.add_user("Jos\u00e9 Lee"), a.add_user("Ann Fox"));
  const NetworkPair pair{a.build(false), network_of("x y\n")};
  const std::string accents = fault_of("Jose\u0301 Lee\tx\nAnn\u00a0Fox\ty\n", pair);
  EXPECT_THAT(accents,
              HasSubstr("is no user of A, which has \"Jos\u00e9 Lee\" in other characters"));
  EXPECT_THAT(accents, HasSubstr("2 of them look like users' names and differ in how accents or "
                                 "blanks are encoded"));
  EXPECT_THAT(fault_of("Ann Fox\nAnn Fox\n", pair),
              HasSubstr("names with blanks? --label-delimiter tab leaves them whole"));
}

// A name that begins with # would be a comment, one that begins with a quote a quoted cell.
TEST(LabelSamples, LabelsOfAnyNamesAreReadAsTheyWereWritten) {
  NetworkBuilder a;
  a.add_edge(a.add_user("#golang"), a.add_user("\"Slim\" Jim"));
  const NetworkPair pair{a.build(false), network_of("x y\n")};
  LabelSet labels(2, 2);
  labels.add({0, 0}, Label::kAnchor);
  labels.add({1, 1}, Label::kAnchor);
  const TemporaryFolder folder;
  write_labels(folder / "labels.tsv", labels, pair);
  const LabelSet again = read_labels(folder / "labels.tsv", pair);
  EXPECT_EQ(again.anchors().size(), 2U);
  EXPECT_EQ(again.partner(Side::kA, 0), 0U);
}

// Whether cells are quoted is seen from the first lines of a file.
TEST(LabelSamples, QuotedNamesGoAboveTheOthers) {
  NetworkBuilder a;
  NetworkBuilder b;
  LabelSet labels(3000, 3000);
  for (UserId user = 0; user < 3000; ++user) {
    a.add_user(user == 2999 ? "#golang" : fmt::format("a{}", user));
    b.add_user(fmt::format("b{}", user));
    labels.add({user, user}, Label::kAnchor);
  }
  const NetworkPair pair{a.build(false), b.build(false)};
  const TemporaryFolder folder;
  write_labels(folder / "labels.tsv", labels, pair);
  const LabelSet again = read_labels(folder / "labels.tsv", pair);
  EXPECT_TRUE(std::ranges::equal(again.anchors(), labels.anchors()));
}

TEST(LabelSampleFaults, ListAllUnknownUsersAtOnce) {
  const std::string message = fault("unknown.tsv");
  EXPECT_THAT(message, HasSubstr("unknown.tsv: found 4 names that no user has"));
  EXPECT_THAT(message, HasSubstr("line 2: \"bbo\" is no user of A, which has \"bob\""));
  EXPECT_THAT(message, HasSubstr("line 4: \"q\" is no user of B"));
  EXPECT_THAT(message, HasSubstr("1 of them differ in case only: --ignore-case finds those"));
  LabelNotes notes;
  const LabelSet labels = read_labels(sample("unknown.tsv"), networks(),
                                      {.skip_unknown = true, .ignore_case = true}, &notes);
  EXPECT_EQ(words_of(labels), "ann=x, bob=y");
  EXPECT_EQ(notes.skipped, 2U);
  EXPECT_EQ(notes.other_case, 1U);
}

TEST(LabelSampleFaults, AreSettledByTheOptionsTheyName) {
  const auto read = [](const char* file, const TableOptions& table) {
    return words_of(read_labels(sample(file), networks(), {.table = table}));
  };
  EXPECT_EQ(read("matching.tsv", {.columns = "a,b"}), "ann=x");
  EXPECT_EQ(read("swapped.tsv", {.columns = "2,1"}), "ann=x, bob=y");
  EXPECT_EQ(read("spaces.txt", {.delimiter = "space", .columns = {}}), "ann=x, bob=y");
}

}  // namespace
}  // namespace dalaup
