#include "study/user_search.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace dalaup {
namespace {

constexpr std::size_t kMostWords = 20;  // of a search: each is looked for in every name

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::istringstream all(lower_case(text));
  for (std::string word; words.size() < kMostWords && all >> word;) words.push_back(word);
  return words;
}

bool has_all(const std::string& text, const std::vector<std::string>& words) {
  return std::ranges::all_of(
      words, [&](const std::string& word) { return text.find(word) != std::string::npos; });
}

std::vector<UserId> most_connected(const Network& network,
                                   const std::unordered_set<UserId>& left_out, std::size_t most) {
  std::vector<UserId> users;
  for (UserId user = 0; user < network.user_count(); ++user)
    if (!left_out.contains(user)) users.push_back(user);
  const std::size_t count = std::min(most, users.size());
  std::ranges::partial_sort(
      users, users.begin() + static_cast<std::ptrdiff_t>(count), {},
      [&](UserId user) { return std::pair(~network.degree(user), user); });  // most first
  users.resize(count);
  return users;
}

}  // namespace

std::vector<UserId> find_users(const Network& network, const Profiles& profiles,
                               std::string_view text, std::size_t most,
                               const std::unordered_set<UserId>& left_out) {
  const std::vector<std::string> words = words_of(text);
  if (words.empty()) return most_connected(network, left_out, most);
  std::vector<UserId> found;
  const auto add_where = [&](const auto& text_of) {
    for (UserId user = 0; user < network.user_count() && found.size() < most; ++user)
      if (!left_out.contains(user) && has_all(text_of(user), words) &&
          std::ranges::find(found, user) == found.end())
        found.push_back(user);
  };
  if (const UserId exact = network.find(text); exact != kNoUser && !left_out.contains(exact))
    found.push_back(exact);
  add_where([&](UserId user) { return lower_case(network.name(user)); });
  if (!profiles.rows.empty())
    add_where([&](UserId user) {
      std::string all = lower_case(network.name(user));
      if (const auto row = profiles.rows.find(user); row != profiles.rows.end())
        for (const std::string& cell : row->second) all += '\n' + lower_case(cell);
      return all;
    });
  return found;
}

}  // namespace dalaup
