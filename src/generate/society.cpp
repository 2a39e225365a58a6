#include "generate/society.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "numeric/numeric.h"

// Ties come from three sources: meeting anybody (Chung-Lu: both ends by sociability), meeting
// somebody of one's community, and being introduced by a common friend. Introductions look only at
// the ties of the first two sources, so that they can be drawn in parallel.
namespace dalaup {
namespace {

constexpr Tie kNoTie = ~Tie{0};
constexpr std::size_t kDrawsPerPiece = std::size_t{1} << 15;
constexpr int kMostRounds = 60;

// A person by weight.
class WeightedChoice {
 public:
  explicit WeightedChoice(const std::vector<float>& weights)
      : table_(std::vector<double>(weights.begin(), weights.end())) {}
  Person draw(Random& random) const {
    const std::uint64_t place = random.below(table_.size());
    return table_.choose(place, random.uniform());
  }

 private:
  AliasTable table_;
};

// Power law, cut where one person would know more than a fifth of all.
std::vector<float> draw_sociability(Person people, double exponent, Random random) {
  const double highest = 0.2 * std::pow(static_cast<double>(people), 0.85) + 1.0;
  std::vector<float> sociability(people);
  for (auto& value : sociability)
    value = static_cast<float>(
        std::min(highest, std::pow(1.0 - random.uniform(), -1.0 / (exponent - 1.0))));
  return sociability;
}

// Communities are runs of consecutive people; sizes follow an exponential law.
struct Communities {
  std::vector<Person> first;  // of each person's community
  std::vector<Person> end;
  std::vector<double> weights_before;  // sociability of all people before this one
};

Communities draw_communities(const std::vector<float>& sociability, int mean_size, Random random) {
  const auto people = static_cast<Person>(sociability.size());
  Communities communities{.first = std::vector<Person>(people),
                          .end = std::vector<Person>(people),
                          .weights_before = std::vector<double>(people + std::size_t{1}, 0.0)};
  for (Person first = 0; first < people;) {
    const double size = -std::log(1.0 - random.uniform()) * mean_size;
    const auto end = static_cast<Person>(std::min<double>(people, first + 3.0 + std::floor(size)));
    for (Person person = first; person < end; ++person) {
      communities.first[person] = first;
      communities.end[person] = end;
    }
    first = end;
  }
  for (Person person = 0; person < people; ++person)
    communities.weights_before[person + 1] =
        communities.weights_before[person] + static_cast<double>(sociability[person]);
  return communities;
}

Person draw_neighbour(const Communities& communities, Person person, Random& random) {
  const Person first = communities.first[person];
  const Person end = communities.end[person];
  const auto begin = communities.weights_before.begin();
  const double low = begin[first];
  const double target = low + random.uniform() * (begin[end] - low);
  const auto after = std::upper_bound(begin + first + 1, begin + end, target);
  return static_cast<Person>(after - begin - 1);
}

void sort_and_merge(std::vector<Tie>& ties, Run& run) {
  constexpr std::size_t kPiece = std::size_t{1} << 19;
  run.for_pieces(ties.size(), kPiece, [&](const Piece& piece) {
    std::sort(ties.begin() + static_cast<std::ptrdiff_t>(piece.begin),
              ties.begin() + static_cast<std::ptrdiff_t>(piece.end));
  });
  std::vector<Tie> merged(ties.size() > kPiece ? ties.size() : 0);
  for (std::size_t width = kPiece; width < ties.size(); width *= 2) {
    run.for_pieces(ties.size(), 2 * width, [&](const Piece& piece) {
      const auto at = [&](std::size_t i) { return ties.begin() + static_cast<std::ptrdiff_t>(i); };
      const std::size_t middle = std::min(piece.begin + width, piece.end);
      std::merge(at(piece.begin), at(middle), at(middle), at(piece.end),
                 merged.begin() + static_cast<std::ptrdiff_t>(piece.begin));
    });
    ties.swap(merged);
  }
  ties.erase(std::unique(ties.begin(), ties.end()), ties.end());
  if (!ties.empty() && ties.back() == kNoTie) ties.pop_back();
}

// Adds `count` proposals, each from the stream of its piece.
template <class Propose>
void propose_ties(std::vector<Tie>& ties, std::uint64_t count, std::string_view purpose, int round,
                  Run& run, const Propose& propose) {
  const std::size_t begin = ties.size();
  ties.resize(begin + count);
  run.for_pieces(count, kDrawsPerPiece, [&](const Piece& piece) {
    Random random =
        run.random(purpose, (std::uint64_t(round) << 40) | (piece.begin / kDrawsPerPiece));
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      const auto [left, right] = propose(random);
      ties[begin + i] = left == right ? kNoTie : tie_of(left, right);
    }
  });
  sort_and_merge(ties, run);
}

struct Friends {
  std::vector<std::uint64_t> begins;
  std::vector<Person> people;
};

Friends friends_of(Person people, const std::vector<Tie>& ties) {
  Friends friends{.begins = std::vector<std::uint64_t>(people + std::size_t{2}, 0),
                  .people = std::vector<Person>(2 * ties.size())};
  for (const Tie tie : ties) {
    ++friends.begins[lower_of(tie) + 2];
    ++friends.begins[higher_of(tie) + 2];
  }
  std::partial_sum(friends.begins.begin(), friends.begins.end(), friends.begins.begin());
  for (const Tie tie : ties) {
    friends.people[friends.begins[lower_of(tie) + 1]++] = higher_of(tie);
    friends.people[friends.begins[higher_of(tie) + 1]++] = lower_of(tie);
  }
  return friends;
}

}  // namespace

std::vector<Tie> draw_society(Person people, const TieGoal& goal, const GeneratorParams& params,
                              Run& run) {
  const auto sociability =
      draw_sociability(people, params.degree_exponent, run.random("generate sociability"));
  const WeightedChoice anybody(sociability);
  const Communities communities =
      draw_communities(sociability, params.community_size, run.random("generate communities"));

  const auto meet = [&](Random& random) {
    const Person person = anybody.draw(random);
    const bool inside = random.chance(params.community_share);
    return std::pair(person,
                     inside ? draw_neighbour(communities, person, random) : anybody.draw(random));
  };
  std::vector<Tie> ties;
  const auto meetings_wanted = static_cast<std::uint64_t>(static_cast<double>(goal.first_guess) *
                                                          (1.0 - params.closure_share));
  Task task(run, "drawing a society", goal.first_guess);
  for (int round = 0; round < kMostRounds / 4 && ties.size() < meetings_wanted; ++round) {
    const std::size_t before = ties.size();
    propose_ties(ties, meetings_wanted - before + 16, "generate meetings", round, run, meet);
    task.advance(ties.size() - before);
  }

  const Friends friends = friends_of(people, ties);
  const auto introduce = [&](Random& random) {
    // The middle is an end of a random tie: sociable people introduce more often.
    if (friends.people.empty()) return std::pair<Person, Person>(0, 0);
    const Person middle = friends.people[random.below(friends.people.size())];
    const std::uint64_t begin = friends.begins[middle];
    const std::uint64_t count = friends.begins[middle + 1] - begin;
    return std::pair(friends.people[begin + random.below(count)],
                     friends.people[begin + random.below(count)]);
  };
  const auto meet_stranger = [&](Random& random) {
    return std::pair(static_cast<Person>(random.below(people)),
                     static_cast<Person>(random.below(people)));
  };
  for (int round = 0; round < kMostRounds; ++round) {
    const std::uint64_t missing = goal.missing(ties);
    if (missing == 0) return ties;
    const std::size_t before = ties.size();
    // Introductions alone may run dry, and in a crowded society only strangers are left to meet.
    if (round >= kMostRounds / 4)
      propose_ties(ties, 4 * missing, "generate strangers", round, run, meet_stranger);
    else if (round % 3 == 2 || params.closure_share == 0.0)
      propose_ties(ties, missing, "generate late meetings", round, run, meet);
    else
      propose_ties(ties, missing, "generate introductions", round, run, introduce);
    task.advance(ties.size() - before);
  }
  throw ParameterError(
      "edges_a and edges_b: found more edges than such a society can hold with this overlap",
      "lower the number of edges, or raise --overlap, --degree-exponent or the number of users");
}

}  // namespace dalaup
