#include "labels/user_lookup.h"

#include <fmt/format.h>

#include <algorithm>

namespace dalaup {
namespace {

constexpr std::size_t kShown = 10;

std::vector<std::string> names_of(const Network& network) {
  std::vector<std::string> names;
  for (UserId user = 0; user < network.user_count(); ++user) names.emplace_back(network.name(user));
  return names;
}

}  // namespace

UserLookup::Folded UserLookup::folded_names(const Network& network) {
  Folded names;
  for (UserId user = 0; user < network.user_count(); ++user) {
    const auto [place, is_new] = names.try_emplace(lower_case(network.name(user)), user);
    if (!is_new) place->second = kNoUser;
  }
  return names;
}

UserLookup::UserLookup(const NetworkPair& networks, bool ignore_case)
    : networks_(networks), ignore_case_(ignore_case) {
  if (ignore_case_)
    for (const Side side : {Side::kA, Side::kB})
      folded_[index_of(side)] = folded_names(networks.on(side));
}

UserId UserLookup::find(std::string_view name, Side side, std::size_t line) {
  const UserId user = networks_.on(side).find(name);
  if (user != kNoUser) return user;
  if (ignore_case_) {
    const Folded& folded = folded_[index_of(side)];
    const auto found = folded.find(lower_case(name));
    if (found != folded.end() && found->second != kNoUser) {
      ++found_by_case_;
      return found->second;
    }
  }
  unknown_.push_back({std::string(name), side, line});
  return kNoUser;
}

std::string UserLookup::words_of(const Unknown& unknown,
                                 const std::vector<std::string>& known) const {
  if (networks_.on(other(unknown.side)).find(unknown.name) != kNoUser)
    return fmt::format("a user of network {}, expected one of network {}",
                       name_of(other(unknown.side)), name_of(unknown.side));
  const auto same = std::ranges::find(known, lower_case(unknown.name), lower_case);
  const auto closest = same != known.end() ? *same : closest_word(unknown.name, known).value_or("");
  return fmt::format("no user of {}{}", name_of(unknown.side),
                     closest.empty() ? "" : fmt::format(", which has {}", quoted(closest)));
}

// Every unknown name is one of the other network.
bool UserLookup::is_swapped() const {
  return std::ranges::all_of(unknown_, [&](const Unknown& unknown) {
    return networks_.on(other(unknown.side)).find(unknown.name) != kNoUser;
  });
}

void UserLookup::throw_if_unknown(const std::string& file, const TableForm& form) const {
  if (unknown_.empty()) return;
  if (unknown_.size() == 1 && !is_swapped()) {
    const Unknown& only = unknown_[0];
    require_user(networks_.on(only.side), only.name, only.side, file, only.line);
  }
  const std::vector<std::string> known[] = {names_of(networks_.a), names_of(networks_.b)};
  std::size_t other_case = 0;
  const Folded folded[] = {folded_names(networks_.a), folded_names(networks_.b)};
  for (const Unknown& unknown : unknown_)
    other_case += folded[index_of(unknown.side)].contains(lower_case(unknown.name)) ? 1 : 0;
  std::string message = fmt::format("found {} that no user has, expected names of users",
                                    counted(unknown_.size(), "name"));
  for (std::size_t i = 0; i < std::min(kShown, unknown_.size()); ++i)
    message += fmt::format("\n  line {}: {} is {}", unknown_[i].line, quoted(unknown_[i].name),
                           words_of(unknown_[i], known[index_of(unknown_[i].side)]));
  if (unknown_.size() > kShown)
    message += fmt::format("\n  and {} more", grouped(unknown_.size() - kShown));
  std::string hint;
  if (is_swapped())
    hint =
        "the first column holds users of A, the second users of B; --label-columns 2,1 swaps them";
  else if (other_case > 0)
    hint = fmt::format("{} of them differ in case only: --ignore-case finds those",
                       grouped(other_case));
  else if (!form.has_header && unknown_[0].line <= 1 && unknown_.size() <= 2)
    hint = "if the first line is a header, give --label-header yes";
  else
    hint = "--skip-unknown leaves such lines out";
  throw InputError(file, 0, message, hint);
}

}  // namespace dalaup
