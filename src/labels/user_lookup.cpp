#include "labels/user_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

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
  found_ += user != kNoUser ? 1 : 0;
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
  if (same == known.end()) {
    const std::string look = look_of(unknown.name);
    const auto alike = std::ranges::find(known, look, look_of);
    if (alike != known.end())
      return fmt::format("no user of {}, which has {} in other characters", name_of(unknown.side),
                         quoted(*alike));
  }
  const auto closest = same != known.end() ? *same : closest_word(unknown.name, known).value_or("");
  return fmt::format("no user of {}{}", name_of(unknown.side),
                     closest.empty() ? "" : fmt::format(", which has {}", quoted(closest)));
}

// Every unknown name is one of the other network; where other lines are right, both names of each
// line, because numbers are often users of both.
bool UserLookup::is_swapped() const {
  const auto line_of = [&](std::size_t i) {
    return i < unknown_.size() ? unknown_[i].line : 0;  // lines begin at 1
  };
  for (std::size_t i = 0; i < unknown_.size(); ++i) {
    const Unknown& unknown = unknown_[i];
    if (networks_.on(other(unknown.side)).find(unknown.name) == kNoUser) return false;
    const bool is_pair =
        line_of(i + 1) == unknown.line || (i > 0 && line_of(i - 1) == unknown.line);
    if (found_ > 0 && !is_pair) return false;
  }
  return true;
}

// "Ann" and "Lee" of a line that holds the one name "Ann Lee".
bool UserLookup::are_names_cut() const {
  std::size_t count = 0;
  for (std::size_t i = 1; i < unknown_.size(); ++i) {
    if (unknown_[i].line != unknown_[i - 1].line) continue;
    const std::string whole = unknown_[i - 1].name + " " + unknown_[i].name;
    for (const Side side : {Side::kA, Side::kB})
      count += networks_.on(side).find(whole) != kNoUser ? 1 : 0;
  }
  return 4 * count >= unknown_.size();
}

std::string UserLookup::hint_for(const TableForm& form) const {
  if (is_swapped())
    return found_ == 0 ? "the first column holds users of A, the second users of B; "
                         "--label-columns 2,1 swaps them"
                       : "the first column holds users of A, the second users of B: exchange the "
                         "two in these lines";
  std::set<std::string> looks[2];
  Folded folded[2];
  for (const Side side : {Side::kA, Side::kB}) {
    folded[index_of(side)] = folded_names(networks_.on(side));
    for (const std::string& name : names_of(networks_.on(side)))
      looks[index_of(side)].insert(look_of(name));
  }
  std::size_t other_case = 0;
  std::size_t alike = 0;
  std::size_t commented = 0;
  std::size_t prefixed = 0;
  for (const Unknown& unknown : unknown_) {
    const std::string_view name = unknown.name;
    other_case += folded[index_of(unknown.side)].contains(lower_case(name)) ? 1 : 0;
    alike += looks[index_of(unknown.side)].contains(look_of(name)) ? 1 : 0;
    const Network& network = networks_.on(unknown.side);
    const std::size_t hash = name.find(" #");
    if (hash != std::string_view::npos)
      commented += network.find(trimmed(name.substr(0, hash))) != kNoUser ? 1 : 0;
    if (name[0] == unknown_[0].name[0] && std::ispunct(static_cast<unsigned char>(name[0])) != 0)
      prefixed += network.find(name.substr(1)) != kNoUser ? 1 : 0;
  }
  if (other_case > 0)
    return fmt::format("{} of them differ in case only: --ignore-case finds those",
                       grouped(other_case));
  if (alike > 0)
    return fmt::format(
        "{} of them look like users' names and differ in how accents or blanks are "
        "encoded (Unicode forms C and D, no-break spaces): write both alike",
        grouped(alike));
  if (commented > 0)
    return "comments have a line of their own that begins with #: take those behind names out";
  if (2 * prefixed >= unknown_.size())
    return fmt::format("{} of them are users without the {} in front: take it away",
                       grouped(prefixed), quoted(unknown_[0].name.substr(0, 1)));
  if (form.delimiter == ' ' && are_names_cut())
    return "names with blanks? --label-delimiter tab leaves them whole, and tabs separate the two";
  if (!form.has_header && unknown_[0].line <= 1 && unknown_.size() <= 2)
    return "if the first line is a header, give --label-header yes";
  return "--skip-unknown leaves such lines out";
}

void UserLookup::throw_if_unknown(const std::string& file, const TableForm& form) const {
  if (unknown_.empty()) return;
  if (unknown_.size() == 1 && !is_swapped()) {
    const Unknown& only = unknown_[0];
    require_user(networks_.on(only.side), only.name, only.side, file, only.line);
  }
  const std::vector<std::string> known[] = {names_of(networks_.a), names_of(networks_.b)};
  std::string message = fmt::format("found {} that no user has, expected names of users",
                                    counted(unknown_.size(), "name"));
  for (std::size_t i = 0; i < std::min(kShown, unknown_.size()); ++i)
    message += fmt::format("\n  line {}: {} is {}", unknown_[i].line, quoted(unknown_[i].name),
                           words_of(unknown_[i], known[index_of(unknown_[i].side)]));
  if (unknown_.size() > kShown)
    message += fmt::format("\n  and {} more", grouped(unknown_.size() - kShown));
  throw InputError(file, 0, message, hint_for(form));
}

}  // namespace dalaup
