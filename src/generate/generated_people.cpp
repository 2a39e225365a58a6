// Names, places and dates of birth of generated people.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "generate/generate.h"

namespace dalaup {
namespace {

constexpr int kFirstNames = 4000;
constexpr int kLastNames = 60'000;
constexpr int kPlaces = 400;
constexpr std::array<std::string_view, 24> kBegins = {"b",  "br", "c", "ch", "d", "f", "g", "gr",
                                                      "h",  "j",  "k", "kl", "l", "m", "n", "p",
                                                      "pr", "r",  "s", "st", "t", "v", "w", "z"};
constexpr std::array<std::string_view, 10> kMiddles = {"a",  "e",  "i",  "o",  "u",
                                                       "ai", "ea", "io", "ou", "ie"};
constexpr std::array<std::string_view, 12> kEnds = {"",  "n", "r", "s",  "l",  "m",
                                                    "t", "k", "x", "nd", "rt", "ll"};

// The word of a number: always the same, 2 or 3 syllables.
std::string word_of(std::uint64_t seed, std::string_view purpose, std::uint64_t number) {
  Random random(seed, purpose, number);
  std::string word;
  const std::uint64_t syllables = 2 + random.below(2);
  for (std::uint64_t i = 0; i < syllables; ++i) {
    word += kBegins[random.below(kBegins.size())];
    word += kMiddles[random.below(kMiddles.size())];
    if (i + 1 == syllables) word += kEnds[random.below(kEnds.size())];
  }
  word[0] = static_cast<char>(word[0] - 32);
  return word;
}

// Low numbers are frequent: the chance of a number falls with its square root.
std::uint64_t skewed(Random& random, int count) {
  const double place = random.uniform();
  return static_cast<std::uint64_t>(place * place * count);
}

struct DrawnPerson {
  std::array<std::string, 3> values;  // name, place, born
};

DrawnPerson draw_person(std::uint64_t seed, std::uint64_t number) {
  Random random(seed, "generate person", number);
  const std::string first = word_of(seed, "first name", skewed(random, kFirstNames));
  const std::string last = word_of(seed, "last name", skewed(random, kLastNames));
  const std::string place = word_of(seed, "place", skewed(random, kPlaces)) + "ton";
  return {{fmt::format("{} {}", first, last), place,
           fmt::format("{:04}-{:02}-{:02}", 1940 + random.below(70), 1 + random.below(12),
                       1 + random.below(28))}};
}

// One letter changed, dropped, doubled or swapped with the next.
void mistype(std::string& name, Random& random) {
  const std::size_t place = random.below(name.size());
  switch (random.below(4)) {
    case 0:
      name[place] = static_cast<char>('a' + random.below(26));
      break;
    case 1:
      name.erase(place, 1);
      break;
    case 2:
      name.insert(place, 1, name[place]);
      break;
    default:
      if (place + 1 < name.size()) std::swap(name[place], name[place + 1]);
  }
}

AttributeTable draw_table(const std::vector<std::uint64_t>& person_of, std::uint64_t people,
                          Side side, const GeneratorParams& params, std::uint64_t seed) {
  AttributeTable table{{"name", "place", "born"},
                       std::vector<TextColumn>(3, TextColumn(person_of.size()))};
  for (UserId user = 0; user < person_of.size(); ++user) {
    Random random(seed, side == Side::kA ? "generate values a" : "generate values b", user);
    DrawnPerson person = draw_person(seed, person_of[user]);
    for (std::size_t field = 0; field < 3; ++field) {
      std::string& value = person.values[field];
      if (random.chance(params.wrong_values_share))
        value = draw_person(seed, random.below(people)).values[field];
      if (field == 0 && random.chance(params.typo_share)) mistype(value, random);
      if (!random.chance(params.missing_share)) table.columns[field].set(user, value);
    }
  }
  return table;
}

}  // namespace

std::shared_ptr<const PairAttributes> draw_attributes(const NetworkPair& networks,
                                                      std::span<const UserPair> truth,
                                                      const GeneratorParams& params, Run& run) {
  constexpr std::uint64_t kNobody = ~std::uint64_t{0};
  std::vector<std::uint64_t> person_of_a(networks.a.user_count(), kNobody);
  std::vector<std::uint64_t> person_of_b(networks.b.user_count(), kNobody);
  std::uint64_t people = 0;
  for (const UserPair& anchor : truth) person_of_a[anchor.a] = person_of_b[anchor.b] = people++;
  for (auto* person_of : {&person_of_a, &person_of_b})
    for (std::uint64_t& person : *person_of)
      if (person == kNobody) person = people++;
  auto attributes = std::make_shared<PairAttributes>();
  attributes->a = draw_table(person_of_a, people, Side::kA, params, run.seed());
  attributes->b = draw_table(person_of_b, people, Side::kB, params, run.seed());
  return attributes;
}

}  // namespace dalaup
