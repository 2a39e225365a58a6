// Fields that are equal or not, and similarities that somebody else computed.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "attributes/gains.h"
#include "attributes/tokens.h"

namespace dalaup {
namespace {

constexpr std::size_t kMostOfAClass = 400;  // candidates with the same value

// Case, accents and punctuation do not count, unless there is nothing else.
std::u32string key_of(std::string_view value) {
  std::u32string key = folded(value);
  if (key.empty()) key.assign(value.begin(), value.end());
  return key;
}

// Equal values: gain = sqrt((n_A / users of A with it) * (n_B / users of B with it)).
class ClassGains final : public FieldGains {
 public:
  ClassGains(const ComparedField& field, const TextColumn& a, const TextColumn& b)
      : FieldGains(field.name, field.kind) {
    std::unordered_map<std::u32string, std::uint32_t> class_of;
    double known[2] = {0.0, 0.0};
    std::vector<double> counts[2];
    for (const int side : {0, 1}) {
      const TextColumn& column = side == 0 ? a : b;
      known_[side].assign(column.size(), 0);
      classes_[side].assign(column.size(), 0);
      for (UserId user = 0; user < column.size(); ++user) {
        if (column[user].empty()) continue;
        const auto [found, is_new] =
            class_of.try_emplace(key_of(column[user]), static_cast<std::uint32_t>(class_of.size()));
        if (is_new)
          for (auto& count : counts) count.push_back(0.0);
        known_[side][user] = 1;
        known[side] += 1.0;
        classes_[side][user] = found->second;
        counts[side][found->second] += 1.0;
        if (side == 1) {
          members_.resize(class_of.size());
          if (members_[found->second].size() <= kMostOfAClass)
            members_[found->second].push_back(user);
        }
      }
    }
    members_.resize(class_of.size());
    gains_.resize(class_of.size());
    means_.resize(class_of.size());
    for (std::size_t value = 0; value < gains_.size(); ++value) {
      if (counts[0][value] == 0.0 || counts[1][value] == 0.0) continue;
      gains_[value] =
          static_cast<float>(std::sqrt(known[0] / counts[0][value] * known[1] / counts[1][value]));
      means_[value] = gains_[value] * counts[1][value] / known[1];
    }
  }

  float gain(UserPair pair) const override {
    const std::uint32_t value = classes_[0][pair.a];
    return value == classes_[1][pair.b] ? gains_[value] : 0.0F;
  }
  double mean_gain(UserId a) const override {
    return is_known(Side::kA, a) ? means_[classes_[0][a]] : 0.0;
  }
  void add_candidates(UserId a, std::vector<UserId>& users) const override {
    if (!is_known(Side::kA, a)) return;
    const std::vector<UserId>& members = members_[classes_[0][a]];
    if (members.size() <= kMostOfAClass) users.insert(users.end(), members.begin(), members.end());
  }

 private:
  std::vector<std::uint32_t> classes_[2];
  std::vector<float> gains_;                  // of each value
  std::vector<double> means_;                 // over the users of B
  std::vector<std::vector<UserId>> members_;  // users of B with the value; too many are cut
};

}  // namespace

std::unique_ptr<const FieldGains> class_gains(const ComparedField& field,
                                              const NetworkPair& networks, Run&) {
  return std::make_unique<ClassGains>(field, networks.attributes->a.columns[field.column_a],
                                      networks.attributes->b.columns[field.column_b]);
}

std::unique_ptr<const FieldGains> similarity_gains(const NetworkPair& networks, Run& run) {
  const PairSimilarities& given = networks.attributes->similarity;
  std::vector<std::uint8_t> known_a(networks.a.user_count(), 0);
  std::vector<std::uint8_t> known_b(networks.b.user_count(), 0);
  std::vector<SimilarPair> pairs;
  pairs.reserve(given.entries.size());
  for (UserId a = 0; a < networks.a.user_count(); ++a)
    for (const PairSimilarities::Entry& entry : given.of(a)) {
      pairs.push_back({a, entry.b, entry.value});
      known_a[a] = 1;
      known_b[entry.b] = 1;
    }
  return std::make_unique<ListedGains>("similarity", FieldKind::kSimilarity, std::move(known_a),
                                       std::move(known_b), std::move(pairs), run);
}

}  // namespace dalaup
