#include <fmt/format.h>
#include <gmock/gmock.h>

#include "labels/labels.h"
#include "support/samples.h"
#include "support/support.h"

// Label files as they lie around (tests/labels/samples): how each is understood, or refused.
namespace dalaup {
namespace {

using testing::HasSubstr;

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
        Expected{"header.csv", "comma-separated, header, columns user_a, user_b, label",
                 "ann=x, bob!z"},
        Expected{"excel-german.csv", "semicolon-separated, header, columns user_a, user_b",
                 "ann=x, bob=y"},
        Expected{"quoted.csv", "comma-separated, quoted, no header, columns 1, 2", "ann=x, bob=y"},
        Expected{"swapped-header.csv", "comma-separated, header, columns user_a, user_b",
                 "ann=x, bob=y"},
        Expected{"spaces.txt", "separated by spaces, no header, columns 1, 2", "ann=x, bob=y"},
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
  EXPECT_THAT(fault("words.tsv"), HasSubstr("words.tsv:1: found label \"yes\", expected 1"));
  EXPECT_THAT(fault("swapped.tsv"), HasSubstr("--label-columns 2,1 swaps them"));
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
