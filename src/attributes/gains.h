#pragma once
// How each kind of field finds similar users and turns similarity into gains.
#include <algorithm>

#include "attributes/attributes.h"

namespace dalaup {

// Candidates of a user of A: more in small networks, where they cost nothing.
inline std::size_t candidates_of(std::size_t users_a) {
  return std::clamp<std::size_t>((std::size_t{1} << 20U) / std::max<std::size_t>(1, users_a), 100,
                                 400);
}

inline constexpr std::size_t kFewUsers = 200'000;  // a side; beyond, fewer candidates are kept

std::unique_ptr<const FieldGains> token_gains(const ComparedField& field,
                                              const NetworkPair& networks, Run& run);
std::unique_ptr<const FieldGains> class_gains(const ComparedField& field,
                                              const NetworkPair& networks, Run& run);
std::unique_ptr<const FieldGains> number_gains(const ComparedField& field,
                                               const NetworkPair& networks, Run& run);
std::unique_ptr<const FieldGains> similarity_gains(const NetworkPair& networks, Run& run);

// A pair somebody listed, with a similarity that is comparable within its row and column.
struct SimilarPair {
  UserId a;
  UserId b;
  float similarity;
};

// Gains of listed pairs; every other pair has gain 0. `pairs` are sorted by a, then b.
//   gain = sqrt(row * column), row = (n_B / k) / Z: k users of B are at least as similar to a as b
//   is, Z makes the mean over the row 1; column alike.
class ListedGains final : public FieldGains {
 public:
  ListedGains(std::string name, FieldKind kind, std::vector<std::uint8_t> known_a,
              std::vector<std::uint8_t> known_b, std::vector<SimilarPair> pairs, Run& run);
  float gain(UserPair pair) const override;
  double mean_gain(UserId a) const override { return means_[a]; }
  void add_candidates(UserId a, std::vector<UserId>& users) const override;
  void gain_row(UserId a, std::span<float> gains) const override;

 private:
  struct Entry {
    UserId b;
    float gain;
  };
  std::span<const Entry> row(UserId a) const {
    return std::span(entries_).subspan(begins_[a], begins_[a + 1] - begins_[a]);
  }
  std::vector<std::uint64_t> begins_;
  std::vector<Entry> entries_;
  std::vector<float> means_;
};

}  // namespace dalaup
