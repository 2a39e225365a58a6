#include <gmock/gmock.h>

#include "attributes/example.h"
#include "attributes/tokens.h"

namespace dalaup {
namespace {

using testing::HasSubstr;

FieldKind kind_of(const std::string& field, const std::function<std::string(int)>& value) {
  People people(60);
  people.add_field(field, value, value);
  dalaup::Run run;
  return compared_fields(people.networks, run).at(0).kind;
}

TEST(ComparedFields, KindsAreDetectedFromTheValues) {
  EXPECT_EQ(kind_of("who", [](int i) { return fmt::format("person {}x", i * 7919); }),
            FieldKind::kName);
  EXPECT_EQ(kind_of("city", [](int i) { return fmt::format("L{}", i % 5); }), FieldKind::kCategory);
  EXPECT_EQ(kind_of("size", [](int i) { return fmt::format("{}.5", i); }), FieldKind::kNumber);
  EXPECT_EQ(kind_of("code", [](int i) { return fmt::format("{}", i % 4); }), FieldKind::kCategory);
  EXPECT_EQ(kind_of("born", [](int i) { return fmt::format("19{:02}-03-12", i); }),
            FieldKind::kDate);
  EXPECT_EQ(kind_of("likes", [](int i) { return fmt::format("tea;item{}", i); }), FieldKind::kSet);
  EXPECT_EQ(
      kind_of("about", [](int i) { return fmt::format("I am number {} and like to read", i); }),
      FieldKind::kText);
  EXPECT_EQ(kind_of("first_name", [](int i) { return fmt::format("n{}", i % 3); }),
            FieldKind::kName);
}

TEST(ComparedFields, CompareNamesFieldsAndKinds) {
  People people(10);
  people.add_field(
      "city", [](int i) { return fmt::format("c{}", i); },
      [](int i) { return fmt::format("c{}", i); });
  people.attributes->a.fields[0] = "town";
  people.attributes->compare = "town=city:category";
  dalaup::Run run;
  const auto fields = compared_fields(people.networks, run);
  ASSERT_EQ(fields.size(), 1U);
  EXPECT_EQ(fields[0].name, "town=city");
  EXPECT_EQ(fields[0].kind, FieldKind::kCategory);
}

template <class Wanted>
std::string error_of(const People& people) {
  dalaup::Run run;
  try {
    compared_fields(people.networks, run);
  } catch (const Wanted& error) {
    return std::string(error.what()) + " | " + error.hint();
  }
  return "no error";
}

TEST(ComparedFields, HeadersWithoutACommonFieldAreAnErrorThatSaysHowToPairThem) {
  People people(10);
  people.add_field(
      "city", [](int i) { return fmt::format("c{}", i); },
      [](int i) { return fmt::format("c{}", i); });
  people.attributes->a.fields[0] = "town";
  EXPECT_THAT(error_of<InputError>(people), testing::AllOf(HasSubstr("town in A and city in B"),
                                                           HasSubstr("--compare town=city")));
}

TEST(ComparedFields, AnUnknownFieldOrKindIsAnErrorWithASuggestion) {
  People people(10);
  people.add_field(
      "city", [](int i) { return fmt::format("c{}", i); },
      [](int i) { return fmt::format("c{}", i); });
  people.attributes->compare = "citi=city";
  EXPECT_THAT(error_of<ParameterError>(people),
              testing::AllOf(HasSubstr("no field \"citi\""), HasSubstr("did you mean \"city\"")));
  people.attributes->compare = "city:categorie";
  EXPECT_THAT(error_of<ParameterError>(people),
              testing::AllOf(HasSubstr("unknown kind"), HasSubstr("did you mean \"category\"")));
}

TEST(ComparedFields, ANumberThatIsNoneIsAnErrorThatNamesTheUser) {
  People people(10);
  const auto value = [](int i) { return i == 7 ? std::string("old") : fmt::format("{}", i); };
  people.add_field("age", value, value);
  people.attributes->compare = "age:number";
  EXPECT_THAT(error_of<InputError>(people),
              testing::AllOf(HasSubstr("\"old\" at user \"7\""), HasSubstr("expected a number")));
}

TEST(ComparedFields, AFieldThatIsTheSameForEverybodyIsLeftOutWithAWarning) {
  People people(10);
  people.add_field(
      "planet", [](int) { return std::string("Earth"); }, [](int) { return std::string("Earth"); });
  std::vector<std::string> warnings;
  RunOptions options;
  options.on_warning = [&](const std::string& warning) { warnings.push_back(warning); };
  dalaup::Run run(options);
  EXPECT_TRUE(compared_fields(people.networks, run).empty());
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], HasSubstr("the same value for everybody"));
}

TEST(Tokens, LettersAreFoldedAndPunctuationIsOneBlank) {
  EXPECT_EQ(folded("  Zoë-ŁUKASZ  Ñandú! "), U"zoe lukasz nandu");
  EXPECT_EQ(folded("Αθήνα МОСКВА 東京"), U"αθήνα москва 東京");
}

TEST(Tokens, ANameHasItsTwoToFourGramsWithBlanksAround) {
  std::vector<std::uint64_t> tokens;
  append_tokens("Ab", FieldKind::kName, tokens);  // " ab ": 3 + 2 + 1
  EXPECT_EQ(tokens.size(), 6U);
}

TEST(Tokens, DatesOfSeveralFormsAreDays) {
  EXPECT_EQ(parse_date("1970-01-02"), 1.0);
  EXPECT_EQ(parse_date("2.1.1970"), 1.0);
  EXPECT_EQ(parse_date("1970/1/2"), 1.0);
  EXPECT_EQ(parse_date("1970-01-02T23:00:00Z"), 1.0);
  EXPECT_EQ(parse_date("1970-02"), 31.0);
  EXPECT_EQ(parse_date("1970-13-02"), std::nullopt);
  EXPECT_EQ(parse_date("12"), std::nullopt);
  EXPECT_EQ(parse_date("soon"), std::nullopt);
}

}  // namespace
}  // namespace dalaup
