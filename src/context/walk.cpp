#include "context/walk.h"

#include <fmt/format.h>

#include <numeric>

namespace dalaup {
namespace {

// Each row's weights divided by their sum, in double: weights may be tiny or huge.
Adjacency row_shares(const Adjacency& steps) {
  if (steps.weights.empty()) return {};
  Adjacency shares = steps;
  for (UserId user = 0; user + 1 < steps.begins.size(); ++user) {
    const auto weights = steps.weights_of(user);
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::uint64_t i = steps.begins[user]; i < steps.begins[user + 1]; ++i)
      shares.weights[i] = static_cast<float>(steps.weights[i] / total);
  }
  return shares;
}

Adjacency transpose(const Adjacency& rows) {
  Adjacency result;
  const std::size_t count = rows.begins.size() - 1;
  result.begins.assign(count + 1, 0);
  for (const UserId user : rows.users) ++result.begins[user + 1];
  std::partial_sum(result.begins.begin(), result.begins.end(), result.begins.begin());
  result.users.resize(rows.users.size());
  result.weights.resize(rows.weights.size());
  std::vector<std::uint64_t> next(result.begins.begin(), result.begins.end() - 1);
  for (UserId user = 0; user < count; ++user)
    for (std::uint64_t i = rows.begins[user]; i < rows.begins[user + 1]; ++i) {
      const std::uint64_t place = next[rows.users[i]]++;
      result.users[place] = user;
      if (!rows.weights.empty()) result.weights[place] = rows.weights[i];
    }
  return result;
}

}  // namespace

std::vector<float> power_weights(double restart_probability, int walk_steps) {
  std::vector<float> weights;
  double walks_on = 1.0;  // (1-c)^k
  for (int power = 0; power <= walk_steps; ++power) {
    const double weight = (walk_steps - power) * restart_probability * walks_on;
    weights.push_back(static_cast<float>(power > 0 ? weight + walks_on : weight));
    walks_on *= 1.0 - restart_probability;
  }
  return weights;
}

Walk::Walk(const Adjacency& steps, bool is_symmetric)
    : shares_(row_shares(steps)),
      transposed_(is_symmetric && steps.weights.empty()
                      ? Adjacency{}
                      : transpose(steps.weights.empty() ? steps : shares_)),
      rows(steps.weights.empty() ? steps : shares_),
      columns(is_symmetric && steps.weights.empty() ? steps : transposed_),
      scale(steps.begins.size() - 1, 1.0F) {
  if (has_weights()) return;
  for (UserId user = 0; user < scale.size(); ++user)
    if (!stays_home(user)) scale[user] = 1.0F / static_cast<float>(rows.of(user).size());
}

void check_chosen(const Adjacency& steps, std::span<const UserId> chosen) {
  const std::size_t count = steps.begins.size() - 1;
  for (const UserId user : chosen)
    if (user >= count)
      throw ParameterError(
          fmt::format("chosen users: found user {}, expected one below {}", user, count));
}

}  // namespace dalaup
