// Numbers and dates: the nearer, the rarer.
#include <algorithm>
#include <cmath>

#include "attributes/gains.h"
#include "attributes/tokens.h"

namespace dalaup {
namespace {

constexpr std::size_t kNearest = 20;  // candidates on either side of a value
constexpr double kMostSteps = 2e8;    // of exact means
constexpr std::size_t kNumbersPerPiece = 256;

// gain = sqrt(row * column), row = (n_B / k) / Z, k users of B being at most as far from a as b is.
class NumberGains final : public FieldGains {
 public:
  NumberGains(const ComparedField& field, const NetworkPair& networks, Run& run)
      : FieldGains(field.name, field.kind) {
    const TextColumn* const columns[] = {&networks.attributes->a.columns[field.column_a],
                                         &networks.attributes->b.columns[field.column_b]};
    for (const int side : {0, 1}) {
      const TextColumn& column = *columns[side];
      known_[side].assign(column.size(), 0);
      values_[side].assign(column.size(), 0.0);
      for (UserId user = 0; user < column.size(); ++user) {
        const auto value =
            column[user].empty() ? std::nullopt : parse_value(column[user], field.kind);
        if (!value) continue;
        known_[side][user] = 1;
        values_[side][user] = *value;
        order_[side].push_back(user);
      }
      std::ranges::sort(order_[side], [&](UserId left, UserId right) {
        const double left_value = values_[side][left];
        const double right_value = values_[side][right];
        return left_value != right_value ? left_value < right_value : left < right;
      });
      for (const UserId user : order_[side]) sorted_[side].push_back(values_[side][user]);
    }
    for (const int side : {0, 1}) find_means(side, run);
  }

  float gain(UserPair pair) const override {
    const double a = values_[0][pair.a];
    const double b = values_[1][pair.b];
    return static_cast<float>(
        std::sqrt(one_way(0, pair.a, a, std::abs(a - b)) * one_way(1, pair.b, b, std::abs(a - b))));
  }
  double mean_gain(UserId) const override { return 1.0; }
  void add_candidates(UserId a, std::vector<UserId>& users) const override {
    if (!is_known(Side::kA, a)) return;
    const auto place = static_cast<std::size_t>(
        std::ranges::lower_bound(sorted_[1], values_[0][a]) - sorted_[1].begin());
    const std::size_t begin = place > kNearest ? place - kNearest : 0;
    const std::size_t end = std::min(place + kNearest, order_[1].size());
    for (std::size_t i = begin; i < end; ++i) users.push_back(order_[1][i]);
  }

 private:
  // Among the users of the other side, seen from a user of `side`.
  double one_way(int side, UserId user, double value, double distance) const {
    const std::vector<double>& others = sorted_[1 - side];
    const auto begin = std::ranges::lower_bound(others, value - distance);
    const auto end = std::ranges::upper_bound(others, value + distance);
    const double near = std::max(1.0, static_cast<double>(end - begin));
    return static_cast<double>(others.size()) / near / means_[side][user];
  }

  // Z of each user: the sum over the other side of 1 / k.
  void find_means(int side, Run& run) {
    const std::vector<double>& others = sorted_[1 - side];
    double harmonic = 0.0;
    for (std::size_t i = 1; i <= others.size(); ++i) harmonic += 1.0 / static_cast<double>(i);
    means_[side].assign(values_[side].size(), std::max(harmonic, 1.0));
    std::vector<double> distinct;
    std::vector<double> counts;
    for (const double value : others) {
      if (distinct.empty() || value != distinct.back()) {
        distinct.push_back(value);
        counts.push_back(0.0);
      }
      counts.back() += 1.0;
    }
    if (static_cast<double>(order_[side].size()) * static_cast<double>(distinct.size()) >
        kMostSteps)
      return;
    run.for_pieces(order_[side].size(), kNumbersPerPiece, [&](const Piece& piece) {
      for (std::size_t i = piece.begin; i < piece.end; ++i) {
        const UserId user = order_[side][i];
        means_[side][user] = mean_around(values_[side][user], distinct, counts);
      }
    });
  }

  // From the value outwards, nearer first: users at the same distance share one k.
  static double mean_around(double value, const std::vector<double>& distinct,
                            const std::vector<double>& counts) {
    auto above =
        static_cast<std::size_t>(std::ranges::lower_bound(distinct, value) - distinct.begin());
    std::size_t below = above;  // the next one down is below - 1
    double reached = 0.0;
    double sum = 0.0;
    while (below > 0 || above < distinct.size()) {
      const double down = below > 0 ? value - distinct[below - 1] : HUGE_VAL;
      const double up = above < distinct.size() ? distinct[above] - value : HUGE_VAL;
      double group = 0.0;
      if (down <= up) group += counts[--below];
      if (up <= down) group += counts[above++];
      reached += group;
      sum += group / reached;
    }
    return std::max(sum, 1.0);
  }

  std::vector<double> values_[2];
  std::vector<UserId> order_[2];   // users by value
  std::vector<double> sorted_[2];  // their values
  std::vector<double> means_[2];   // Z by user
};

}  // namespace

std::unique_ptr<const FieldGains> number_gains(const ComparedField& field,
                                               const NetworkPair& networks, Run& run) {
  return std::make_unique<NumberGains>(field, networks, run);
}

}  // namespace dalaup
