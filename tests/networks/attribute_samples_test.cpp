#include <fmt/format.h>
#include <gmock/gmock.h>

#include "networks/networks.h"
#include "support/samples.h"
#include "support/support.h"

// Attribute and similarity files as they lie around (tests/networks/samples).
namespace dalaup {
namespace {

using testing::HasSubstr;

std::string sample(const std::string& file) { return sample_path("networks", file); }

struct Reading {
  std::string understood;
  std::string values;  // "ann: Ann Lee | Bern; bob: Bob | "
};

Reading read(const std::string& file, const TableOptions& table = {}) {
  dalaup::Run run;
  const Network network = network_of("ann bob");
  Reading reading;
  const AttributeTable values =
      read_attributes(sample(file), network, {.table = table}, run, &reading.understood);
  for (UserId user = 0; user < network.user_count(); ++user) {
    reading.values += fmt::format("{}{}:", user == 0 ? "" : "; ", network.name(user));
    for (const TextColumn& column : values.columns)
      reading.values += fmt::format(" [{}]", column[user]);
  }
  return reading;
}

std::string fault(const std::string& file, const TableOptions& table = {}) {
  return complaint_of([&] { read(file, table); });
}

TEST(AttributeSamples, AreReadAsAPersonWould) {
  const Reading comma = read("attributes.csv");
  EXPECT_EQ(comma.understood, "comma-separated, header, user in column id, fields name, city");
  EXPECT_EQ(comma.values, "ann: [Lee, Ann] [Bern]; bob: [Bob] []");
  const Reading german = read("attributes-german.csv");
  EXPECT_EQ(german.understood, "semicolon-separated, header, user in column id, fields name, city");
  EXPECT_EQ(german.values, "ann: [Lee, Ann] [Bern]; bob: [Bob] [Biel; Bienne]");
  const Reading said = read("attributes-sep.csv");  // Excel's sep= line
  EXPECT_EQ(said.understood, "semicolon-separated, header, user in column id, fields name, city");
  EXPECT_EQ(said.values, "ann: [Lee, Ann] [Bern]; bob: [Bob] []");
  EXPECT_EQ(read("attributes-numbered.csv").values, "ann: [x] [y]; bob: [z] [w]");
  const Reading tabs = read("attributes.tsv");
  EXPECT_EQ(tabs.understood, "tab-separated, header, user in column user, fields name, tags");
  EXPECT_EQ(tabs.values, "ann: [Ann Lee] [red,blue;green]; bob: [Bob] []");
}

TEST(AttributeSamples, SayWhatIsWrongAndWhatSettlesIt) {
  EXPECT_EQ(fault("attributes-unsure.txt"),
            "attributes-unsure.txt: cannot tell whether columns are separated by comma or by "
            "semicolon | say which: --attribute-delimiter comma or --attribute-delimiter "
            "semicolon");
  EXPECT_EQ(read("attributes-unsure.txt", {.delimiter = "comma", .columns = {}}).values,
            "ann: [Ann;A]; bob: [Bob;B]");
  EXPECT_EQ(fault("attributes-ragged.csv"),
            "attributes-ragged.csv:3: found 4 columns, expected 3 as in the header | put a value "
            "that holds a comma in quotes; --attribute-delimiter says what separates columns");
  EXPECT_EQ(fault("attributes-quote.csv"),
            "attributes-quote.csv:2: found text after a closing quote, expected the next column | "
            "a quote inside a quoted cell is written twice; --attribute-quotes no takes quotes "
            "for a part of the names");
  EXPECT_EQ(read("attributes-quote.csv", {.quotes = "no", .columns = {}}).values,
            "ann: [\"Ann\" Lee]; bob: []");
  EXPECT_THAT(fault("attributes-narrow.csv"),
              HasSubstr("attributes-narrow.csv:1: found a header of 1 column"));
}

TEST(SimilaritySamples, AreReadAsAPersonWould) {
  dalaup::Run run;
  const NetworkPair networks{network_of("ann bob"), network_of("x y")};
  for (const auto& [file, words] :
       {std::pair{"similarity.csv", "comma-separated, header, columns a, b, similarity"},
        std::pair{"similarity-german.csv", "semicolon-separated, no header, columns 1, 2, 3"},
        std::pair{"similarity-columns.tsv",
                  "tab-separated, header, columns user_a, user_b, score (not read: rank)"}}) {
    std::string understood;
    const PairSimilarities found = read_similarities(sample(file), networks, {}, run, &understood);
    EXPECT_EQ(understood, words) << file;
    ASSERT_EQ(found.entries.size(), 2U) << file;
    EXPECT_FLOAT_EQ(found.of(0)[0].value, 0.5F) << file;
    EXPECT_FLOAT_EQ(found.of(1)[0].value, 1.0F) << file;
  }
}

}  // namespace
}  // namespace dalaup
