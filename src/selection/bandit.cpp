#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "selection/selection.h"

namespace dalaup {
namespace {

constexpr std::int64_t kMostChoices = 1'000'000'000'000;

}  // namespace

Bandit::Bandit(const std::vector<std::string>& arms) {
  if (arms.empty()) throw ParameterError("arms: found none, expected at least one strategy");
  for (const std::string& name : arms) {
    if (std::ranges::find(arms_, name, &Arm::name) != arms_.end())
      throw ParameterError(fmt::format("arms: found \"{}\" twice, expected each once", name));
    arms_.push_back({.name = name});
  }
}

Bandit::Choice Bandit::choose(std::int64_t round, Random random, bool tries_each) const {
  if (arms_.empty()) throw StateError("the bandit has no arms to choose from");
  Choice choice;
  choice.exploration_probability = random.beta(0.1, static_cast<double>(round));
  choice.explored = random.uniform() < choice.exploration_probability;
  if (choice.explored) {
    choice.arm = random.below(arms_.size());
    return choice;
  }
  const auto worth = [&](const Arm& arm) {
    return tries_each && arm.times_chosen == 0 ? std::numeric_limits<double>::infinity()
                                               : arm.mean_reward;
  };
  const double best = worth(*std::ranges::max_element(arms_, {}, worth));
  std::vector<std::size_t> tied;
  for (std::size_t arm = 0; arm < arms_.size(); ++arm)
    if (worth(arms_[arm]) == best) tied.push_back(arm);
  choice.arm = tied[random.below(tied.size())];
  return choice;
}

void Bandit::reward(std::size_t arm, double reward) {
  Arm& chosen = arms_.at(arm);
  const auto times = static_cast<double>(chosen.times_chosen);
  chosen.mean_reward = (times * chosen.mean_reward + reward) / (times + 1.0);
  ++chosen.times_chosen;
}

std::string Bandit::to_json() const {
  nlohmann::json list = nlohmann::json::array();
  for (const Arm& arm : arms_)
    list.push_back(
        {{"name", arm.name}, {"times_chosen", arm.times_chosen}, {"mean_reward", arm.mean_reward}});
  return list.dump();
}

Bandit Bandit::from_json(const std::string& text) {
  Bandit bandit;
  try {
    for (const auto& entry : nlohmann::json::parse(text))
      bandit.arms_.push_back({.name = entry.at("name").get<std::string>(),
                              .times_chosen = entry.at("times_chosen").get<std::int64_t>(),
                              .mean_reward = entry.at("mean_reward").get<double>()});
    for (const Arm& arm : bandit.arms_)
      if (arm.times_chosen < 0 || arm.times_chosen > kMostChoices)
        throw InputError(
            fmt::format("the state of the bandit has {} choices of {}, expected 0 to {}",
                        arm.times_chosen, dalaup::quoted(arm.name), kMostChoices));
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("the state of the bandit cannot be read: {}", error.what()));
  }
  return bandit;
}

}  // namespace dalaup
