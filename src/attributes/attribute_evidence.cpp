// From gains to log-likelihood ratios.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "attributes/attributes.h"

namespace dalaup {
namespace {

constexpr double kPriorPairs = 4.0;  // of reliability kUnlabelledTrust, beside the labels
constexpr double kUnlabelledTrust = 0.5;
constexpr double kMostTrust = 0.98;
constexpr double kLeastInformation = 3.0;  // on the labels; a useless field has 0 or less
constexpr int kMaximisations = 100;
constexpr std::size_t kMostRows = 200;  // of the sample that shares are found on
constexpr std::size_t kSampledPairs = 20'000'000;
constexpr double kMeanRatio = 1.5;  // a likelihood ratio has mean 1 over pairs of strangers
constexpr double kHighestRatio = 700.0;

// Maximises the sum of ln(1 - r + r * gain) over r, beside prior pairs of reliability one half.
double learned_reliability(std::span<const double> gains) {
  double reliability = kUnlabelledTrust;
  for (int step = 0; step < kMaximisations; ++step) {
    double agreeing = kPriorPairs * kUnlabelledTrust;
    for (const double gain : gains)
      agreeing += reliability * gain / (1.0 - reliability + reliability * gain);
    const double next = agreeing / (kPriorPairs + static_cast<double>(gains.size()));
    const bool is_still = std::abs(next - reliability) < 1e-6;
    reliability = next;
    if (is_still) break;
  }
  return std::min(reliability, kMostTrust);
}

}  // namespace

AttributeEvidence::AttributeEvidence(std::shared_ptr<const AttributeGains> gains,
                                     std::span<const UserPair> anchors, Run& run)
    : gains_(std::move(gains)) {
  for (const auto& field : gains_->fields) {
    FieldTrust trust{.name = field->name(),
                     .kind = field->kind(),
                     .coverage_a = field->coverage(Side::kA),
                     .coverage_b = field->coverage(Side::kB)};
    std::vector<double> labelled;
    for (const UserPair& anchor : anchors)
      if (field->is_known(anchor)) labelled.push_back(field->gain(anchor));
    trust.labels = labelled.size();
    trust.reliability = learned_reliability(labelled);
    for (const double gain : labelled)
      trust.information += std::log(1.0 - trust.reliability + trust.reliability * gain);
    trust.is_open = anchors.empty() || trust.information >= kLeastInformation;
    trust_.push_back(std::move(trust));
  }
  find_shares(run);
}

AttributeEvidence::AttributeEvidence(std::shared_ptr<const AttributeGains> gains,
                                     std::vector<FieldTrust> trust)
    : gains_(std::move(gains)), trust_(std::move(trust)) {
  const bool fits =
      gains_->fields.size() == trust_.size() &&
      std::ranges::equal(trust_, gains_->fields, [](const auto& left, const auto& right) {
        return left.name == right->name() && left.kind == right->kind();
      });
  if (!fits) throw InputError("found attributes of other fields than the model learned");
}

bool AttributeEvidence::is_open() const {
  return std::ranges::any_of(trust_, [](const FieldTrust& trust) { return trust.is_open; });
}

void AttributeEvidence::shut(std::size_t field) { trust_[field].is_open = false; }

double AttributeEvidence::ratio_of_gain(std::size_t field, double gain) const {
  const FieldTrust& trust = trust_[field];
  if (gain <= 0.0 && gains_->fields[field]->absent_is_silent()) return 0.0;
  return trust.share * std::log(1.0 - trust.reliability + trust.reliability * gain);
}

double AttributeEvidence::ratio(std::size_t field, UserPair pair) const {
  const FieldGains& gains = *gains_->fields[field];
  if (!trust_[field].is_open || !gains.is_known(pair)) return 0.0;
  return ratio_of_gain(field, gains.gain(pair));
}

double AttributeEvidence::ratio(UserPair pair) const {
  double sum = 0.0;
  for (std::size_t field = 0; field < trust_.size(); ++field) sum += ratio(field, pair);
  return sum;
}

double AttributeEvidence::rest_weight(UserId a, UserId users_b) const {
  double all = 1.0;    // mean of exp(ratio) over B, fields taken as independent
  double least = 1.0;  // of somebody who agrees in nothing
  for (std::size_t field = 0; field < trust_.size(); ++field) {
    const FieldGains& gains = *gains_->fields[field];
    if (!trust_[field].is_open || !gains.is_known(Side::kA, a)) continue;
    const double known = gains.coverage(Side::kB);
    const double mean = gains.mean_gain(a);
    all *= 1.0 - known + known * std::exp(ratio_of_gain(field, std::max(mean, 1e-9)));
    least *= 1.0 - known + known * std::exp(ratio_of_gain(field, 0.0));
  }
  double taken = 0.0;
  const auto candidates = this->candidates(a);
  for (const UserId b : candidates) taken += std::exp(ratio({a, b}));
  const double others =
      std::max(1.0, static_cast<double>(users_b) - static_cast<double>(candidates.size()));
  return std::max(least, (static_cast<double>(users_b) * all - taken) / others);
}

// A likelihood ratio has mean 1 over pairs of strangers, whatever the field. The product of two has
// mean 1 too if they say different things, and more if one repeats the other. So fields are added
// from the strongest on, each with the largest share of its ratio that keeps the mean. Nearly all
// pairs are strangers; each user's best pair may be its partner and is left out.
void AttributeEvidence::find_shares(Run& run) {
  std::vector<std::size_t> open;
  for (std::size_t field = 0; field < trust_.size(); ++field)
    if (trust_[field].is_open) open.push_back(field);
  if (open.size() < 2) return;
  const auto users_a = static_cast<UserId>(gains_->begins.size() - 1);
  std::size_t users_b = 0;
  {
    UserId last = 0;
    for (const UserId user : gains_->users) last = std::max(last, user);
    users_b = std::size_t{last} + 1;
  }
  std::vector<UserId> rows(users_a);
  std::iota(rows.begin(), rows.end(), UserId{0});
  Random random = run.random("attribute shares");
  random.shuffle(std::span(rows));
  rows.resize(std::min<std::size_t>(
      rows.size(),
      std::clamp(kSampledPairs / std::max<std::size_t>(1, users_b), std::size_t{20}, kMostRows)));
  // ratios[field][row * users_b + b]
  std::vector<std::vector<float>> ratios(open.size());
  std::vector<double> strength(open.size(), 0.0);
  for (std::size_t i = 0; i < open.size(); ++i) {
    trust_[open[i]].share = 1.0;
    ratios[i].resize(rows.size() * users_b);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::span<float> part = std::span(ratios[i]).subspan(row * users_b, users_b);
      gains_->fields[open[i]]->gain_row(rows[row], part);
      for (float& value : part) {
        value = value < 0.0F ? 0.0F : static_cast<float>(ratio_of_gain(open[i], value));
        strength[i] += std::exp(double{value}) * value;
      }
    }
  }
  std::vector<std::size_t> order(open.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t left, std::size_t right) { return strength[left] > strength[right]; });
  std::vector<float> joint = ratios[order[0]];
  for (std::size_t next = 1; next < order.size(); ++next) {
    const std::vector<float>& added = ratios[order[next]];
    std::vector<std::size_t> partner(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      std::size_t best = row * users_b;
      for (std::size_t i = best; i < (row + 1) * users_b; ++i)
        if (joint[i] + added[i] > joint[best] + added[best]) best = i;
      partner[row] = best;
    }
    const auto mean_at = [&](double share) {
      double sum = 0.0;
      for (std::size_t row = 0; row < rows.size(); ++row)
        for (std::size_t i = row * users_b; i < (row + 1) * users_b; ++i)
          if (i != partner[row])
            sum += std::exp(std::min(kHighestRatio, joint[i] + share * added[i]));
      return sum / static_cast<double>(joint.size());
    };
    double share = 1.0;
    if (mean_at(1.0) > kMeanRatio) {
      double low = 0.0;
      for (double high = 1.0; high - low > 0.02;) {
        const double middle = 0.5 * (low + high);
        (mean_at(middle) <= kMeanRatio ? low : high) = middle;
      }
      share = low;
    }
    trust_[open[order[next]]].share = share;
    for (std::size_t i = 0; i < joint.size(); ++i) joint[i] += static_cast<float>(share * added[i]);
  }
}

}  // namespace dalaup
