// May one start from the attributes alone?
#include <algorithm>
#include <cmath>
#include <numeric>

#include "attributes/attributes.h"

namespace dalaup {
namespace {

constexpr int kPermutations = 20;
constexpr std::size_t kMostUsers = 5000;  // of A that are looked at
constexpr double kLeastFieldScore = 2.0;  // of one field; weaker ones are shut without labels

struct Match {
  UserId user;
  float weight;
};

// Rows of the soft matching by attributes alone.
class AttributePlan {
 public:
  AttributePlan(const AttributeEvidence& evidence, const std::size_t* field, UserId users_b)
      : evidence_(evidence), field_(field), users_b_(users_b) {}
  void row(UserId a, std::vector<Match>& matches) const {
    matches.clear();
    double total = 0.0;
    const auto candidates = evidence_.candidates(a);
    for (const UserId b : candidates) {
      const double ratio =
          field_ == nullptr ? evidence_.ratio({a, b}) : evidence_.ratio(*field_, {a, b});
      if (ratio <= 0.0) continue;
      matches.push_back({b, static_cast<float>(std::exp(ratio))});
      total += matches.back().weight;
    }
    const double rest = evidence_.rest_weight(a, users_b_) *
                        (static_cast<double>(users_b_) - static_cast<double>(matches.size()));
    for (Match& match : matches) match.weight = static_cast<float>(match.weight / (total + rest));
  }

 private:
  const AttributeEvidence& evidence_;
  const std::size_t* field_;
  UserId users_b_;
};

}  // namespace

double check_start(const NetworkPair& networks, const AttributeEvidence& evidence,
                   const std::size_t* field, Run& run) {
  const UserId users_a = networks.a.user_count();
  const UserId users_b = networks.b.user_count();
  Random random = run.random("attribute start");
  std::vector<UserId> sample(users_a);
  std::iota(sample.begin(), sample.end(), UserId{0});
  random.shuffle(std::span(sample));
  sample.resize(std::min<std::size_t>(kMostUsers, sample.size()));
  std::vector<std::vector<UserId>> places(kPermutations + 1);  // where a user of B stands
  for (auto& place : places) {
    place.resize(users_b);
    std::iota(place.begin(), place.end(), UserId{0});
    if (&place != &places[0]) random.shuffle(std::span(place));
  }
  const AttributePlan plan(evidence, field, users_b);
  std::vector<double> matched_edges(places.size(), 0.0);
  std::vector<float> reached(users_b, 0.0F);
  std::vector<float> moved(users_b, 0.0F);
  std::vector<Match> row;
  std::vector<Match> own;
  std::vector<UserId> touched;
  for (const UserId a : sample) {
    plan.row(a, own);
    if (own.empty()) continue;
    for (const UserId neighbour : networks.a.neighbours(a)) {
      plan.row(neighbour, row);
      for (const Match& match : row) {
        if (reached[match.user] == 0.0F) touched.push_back(match.user);
        reached[match.user] += match.weight;
      }
    }
    for (std::size_t permutation = 0; permutation < places.size(); ++permutation) {
      const std::vector<UserId>& place = places[permutation];
      for (const UserId user : touched) moved[place[user]] = reached[user];
      for (const Match& match : own) {
        double sum = 0.0;
        for (const UserId neighbour : networks.b.neighbours(place[match.user]))
          sum += moved[neighbour];
        matched_edges[permutation] += match.weight * sum;
      }
      for (const UserId user : touched) moved[place[user]] = 0.0F;
    }
    for (const UserId user : touched) reached[user] = 0.0F;
    touched.clear();
  }
  double mean = 0.0;
  double square = 0.0;
  for (std::size_t permutation = 1; permutation < places.size(); ++permutation)
    mean += matched_edges[permutation] / kPermutations;
  for (std::size_t permutation = 1; permutation < places.size(); ++permutation)
    square += (matched_edges[permutation] - mean) * (matched_edges[permutation] - mean);
  const double deviation = std::sqrt(square / (kPermutations - 1));
  return deviation > 0.0 ? (matched_edges[0] - mean) / deviation : 0.0;
}

LabelFreeStart start_without_labels(const NetworkPair& networks,
                                    std::shared_ptr<const AttributeGains> gains, Run& run) {
  LabelFreeStart start{AttributeEvidence(std::move(gains), {}, run), 0.0};
  const std::size_t fields = start.evidence.fields().size();
  std::vector<double> scores(fields);
  for (std::size_t field = 0; field < fields; ++field) {
    scores[field] = check_start(networks, start.evidence, &field, run);
    start.evidence.note_structure(field, scores[field]);
  }
  if (fields > 1) {
    for (std::size_t field = 0; field < fields; ++field)
      if (scores[field] < kLeastFieldScore) start.evidence.shut(field);
    start.evidence.find_shares(run);
  }
  start.score = fields == 1 ? scores[0] : check_start(networks, start.evidence, nullptr, run);
  return start;
}

}  // namespace dalaup
