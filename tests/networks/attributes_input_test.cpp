#include <gmock/gmock.h>

#include "support/support.h"

namespace dalaup {
namespace {

using testing::HasSubstr;

Network three_users() { return network_of("alice bob\nbob carol"); }

AttributeTable table_of(std::string_view csv, bool strict = false) {
  dalaup::Run run;
  const Network network = three_users();
  return read_attributes(bytes_of(csv), "a.csv", network, {.strict = strict}, run);
}

std::string error_of(std::string_view csv, bool strict = false) {
  try {
    table_of(csv, strict);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ReadAttributes, TakesQuotesBlanksLineEndsAndAByteOrderMark) {
  const AttributeTable table = table_of(
      "\xEF\xBB\xBFuser,name,city\r\ncarol,\"Smith, \"\"Caz\"\" C.\", Bern \r\nalice,,Ulm\r\n");
  ASSERT_EQ(table.fields, (std::vector<std::string>{"name", "city"}));
  EXPECT_EQ(table.columns[0][2], "Smith, \"Caz\" C.");
  EXPECT_EQ(table.columns[1][2], "Bern");
  EXPECT_EQ(table.columns[0][0], "");
  EXPECT_EQ(table.columns[1][0], "Ulm");
  EXPECT_EQ(table.columns[1][1], "");  // bob has no row
}

TEST(ReadAttributes, ASecondRowForOneUserIsAnErrorWithItsLine) {
  EXPECT_THAT(error_of("user,name\nalice,A\nbob,B\nalice,C\n"),
              testing::AllOf(HasSubstr("a.csv:4"), HasSubstr("\"alice\" a second time")));
}

TEST(ReadAttributes, ARowOfAnotherLengthIsAnErrorWithItsLine) {
  EXPECT_THAT(error_of("user,name\nalice,A\nbob,B,extra\n"),
              testing::AllOf(HasSubstr("a.csv:3"), HasSubstr("found 3 columns, expected 2")));
}

TEST(ReadAttributes, BadUtf8IsAnErrorWithItsLine) {
  EXPECT_THAT(error_of("user,name\nalice,\xC3\x28\n"), HasSubstr("a.csv:2"));
}

TEST(ReadAttributes, AFieldNamedTwiceIsAnError) {
  EXPECT_THAT(error_of("user,name,name\nalice,A,B\n"), HasSubstr("field \"name\" twice"));
}

TEST(ReadAttributes, ARunawayQuoteIsAnErrorAtTheRowWhereItBegan) {
  EXPECT_THAT(error_of("user,name\nalice,\"A\nbob,B\n"),
              testing::AllOf(HasSubstr("a.csv:2"), HasSubstr("quote that never ends")));
}

TEST(ReadAttributes, NoRowOfTheNetworkIsAnError) {
  EXPECT_THAT(error_of("user,name\nzoe,A\n"), HasSubstr("none of users of the network"));
}

TEST(ReadAttributes, UnknownUsersAreCountedAndNamedOrRefusedWhenStrict) {
  std::vector<std::string> warnings;
  RunOptions options;
  options.on_warning = [&](const std::string& warning) { warnings.push_back(warning); };
  dalaup::Run run(options);
  const std::string_view csv = "user,name\nalice,A\nzoe,Z\nyan,Y\n";
  read_attributes(bytes_of(csv), "a.csv", three_users(), {}, run);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], testing::AllOf(HasSubstr("2 rows"), HasSubstr("\"zoe\", \"yan\"")));
  EXPECT_THAT(error_of(csv, true), testing::AllOf(HasSubstr("a.csv:3"), HasSubstr("\"zoe\"")));
}

TEST(ReadSimilarities, TakesTabsOrCommasAHeaderAndTheHigherOfTwoValues) {
  const TemporaryFolder folder;
  dalaup::Run run;
  const NetworkPair networks{three_users(), network_of("x y\ny z")};
  write_file(folder / "s.tsv", "bob\ty\t0.5\nalice\tz\t0.25\nbob\ty\t0.75\n");
  write_file(folder / "s.csv", "a,b,value\nbob,y,0.75\nalice,z,0.25\n");
  for (const char* name : {"s.tsv", "s.csv"}) {
    const PairSimilarities found = read_similarities(folder / name, networks, {}, run);
    ASSERT_EQ(found.entries.size(), 2U) << name;
    EXPECT_EQ(found.of(0)[0].b, 2U);
    EXPECT_FLOAT_EQ(found.of(1)[0].value, 0.75F);
    EXPECT_TRUE(found.of(2).empty());
  }
}

TEST(ReadAttributes, SaysWhichColumnHoldsUsersAndWhatElseIsWrong) {
  const TemporaryFolder folder;
  dalaup::Run run;
  const Network network = network_of("ann bob\nbob cid");
  const auto fault = [&](const std::string& text) -> std::string {
    write_file(folder / "p.csv", text);
    try {
      read_attributes(folder / "p.csv", network, {}, run);
    } catch (const InputError& error) {
      return std::string(error.what()) + " | " + error.hint();
    }
    return "read";
  };
  EXPECT_THAT(fault("row,handle,city\n0,ann,Rome\n1,bob,Bonn\n"),
              HasSubstr("column 2 (\"handle\") holds users: put it first"));
  EXPECT_THAT(fault("user,city\nANN,Rome\nBob,Bonn\n"),
              HasSubstr("differ from users in case only"));
  EXPECT_THAT(fault("ann,Rome\nbob,Bonn\n"),
              HasSubstr("found the user \"ann\" in the first line, expected names of columns"));
  EXPECT_EQ(fault("user,city,\nann,Rome,\nbob,Bonn,\n"), "read");
  EXPECT_THAT(fault("user,city,\nann,Rome,x\n"), HasSubstr("found 3 columns, expected 2"));
}

TEST(ReadSimilarities, AValueThatIsNotANumberIsAnErrorWithItsLine) {
  const TemporaryFolder folder;
  dalaup::Run run;
  const NetworkPair networks{three_users(), network_of("x y\ny z")};
  for (const char* value : {"much", "nan", "inf"}) {
    write_file(folder / "s.tsv", std::string("bob\ty\t0.5\nalice\tz\t") + value + "\n");
    try {
      read_similarities(folder / "s.tsv", networks, {}, run);
      ADD_FAILURE() << "accepted " << value;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(),
                  testing::AllOf(HasSubstr("s.tsv:2"), HasSubstr("expected a number")));
    }
  }
}

TEST(SaveAttributes, ComeBackAsTheyWere) {
  dalaup::Run run;
  const NetworkPair networks{three_users(), network_of("x y\ny z")};
  PairAttributes attributes;
  attributes.a = table_of("user,name\nalice,Ann\ncarol,\"C, d\"\n");
  attributes.b = read_attributes(bytes_of("user,nick\nz,Zed\n"), "b.csv", networks.b, {}, run);
  attributes.compare = "name=nick";
  attributes.similarity = {{0, 1, 1, 1}, {{2, 0.5F}}};
  ArchiveWriter writer;
  save_attributes(writer, attributes);
  const ArchiveReader reader(writer.to_bytes("model", 1), "model", "model", 1);
  const auto loaded = load_attributes(reader, networks);
  ASSERT_NE(loaded, nullptr);
  EXPECT_EQ(loaded->a.columns[0][2], "C, d");
  EXPECT_EQ(loaded->b.fields[0], "nick");
  EXPECT_EQ(loaded->b.columns[0][2], "Zed");
  EXPECT_EQ(loaded->compare, "name=nick");
  EXPECT_FLOAT_EQ(loaded->similarity.of(0)[0].value, 0.5F);
}

TEST(SaveAttributes, ModelsFromBeforeAttributesHaveNone) {
  const NetworkPair networks{three_users(), network_of("x y\ny z")};
  ArchiveWriter writer;
  writer.put("method", "propagation");
  const ArchiveReader reader(writer.to_bytes("model", 1), "model", "model", 1);
  EXPECT_EQ(load_attributes(reader, networks), nullptr);
}

}  // namespace
}  // namespace dalaup
