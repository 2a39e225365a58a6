#include <fmt/format.h>

#include <limits>
#include <unordered_set>

#include "networks/readers.h"

namespace dalaup {

float parse_weight(std::string_view text, const Place& place, const char* hint) {
  const auto weight = parse_number(text);
  // What would round to zero or infinity as a float is not a weight either.
  if (!weight || !(*weight >= static_cast<double>(std::numeric_limits<float>::min())) ||
      *weight > static_cast<double>(std::numeric_limits<float>::max()))
    throw InputError(
        place.file, place.line,
        fmt::format("found weight {}, expected a positive number, 1.2e-38 to 3.4e38", quoted(text)),
        hint);
  return static_cast<float>(*weight);
}

std::string clean_name(std::string_view name, const Place& place) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = name.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  name = name.substr(begin, name.find_last_not_of(kBlanks) + 1 - begin);
  if (name.find_first_of("\t\r\n") != std::string_view::npos)
    throw InputError(
        place.file, place.line,
        fmt::format("found a tab or line end inside the name {}, expected one line", quoted(name)),
        "label files could not name this user; rename it");
  return std::string(name);
}

void throw_no_users(const std::string& file, const char* hint) {
  throw InputError(file, 0, "found no users, expected at least one", hint);
}

void check_user_count(std::uint64_t count, const ReadOptions& options, const Place& place) {
  if (count <= options.most_users) return;
  throw InputError(place.file, place.line,
                   fmt::format("found more than {} users, expected at most that many",
                               grouped(options.most_users)),
                   "split the network into parts");
}

void DeclaredNetwork::add_user(User user, const std::string& file) {
  const auto [known, is_new] = by_id_.try_emplace(user.id, users_.size());
  if (!is_new)
    throw InputError(file, user.line,
                     fmt::format("found the node {} again, first declared in line {}",
                                 quoted(user.id), users_[known->second].line),
                     "every node needs an id of its own");
  users_.push_back(std::move(user));
  check_user_count(users_.size(), options_, {file, users_.back().line});
}

DeclaredNetwork::NameKind DeclaredNetwork::choose_names(const std::string& file,
                                                        ReadNotes& notes) const {
  for (const auto& [kind, field, word] : {std::tuple{NameKind::kName, &User::name, "name"},
                                          std::tuple{NameKind::kLabel, &User::label, "label"}}) {
    std::unordered_set<std::string_view> seen;
    const User* repeated = nullptr;
    bool is_whole = true;
    for (const User& user : users_) {
      const std::string& text = user.*field;
      if (text.empty()) is_whole = false;
      if (!text.empty() && !seen.insert(text).second && repeated == nullptr) repeated = &user;
    }
    if (is_whole && repeated == nullptr) return kind;
    if (is_whole)
      notes.warnings.push_back(fmt::format("{}:{}: the {} {} repeats, so {}s are not used as names",
                                           file, repeated->line, word, quoted(repeated->*field),
                                           word));
    else if (!seen.empty())
      notes.warnings.push_back(fmt::format(
          "{}: not every node has a {}, so {}s are not used as names", file, word, word));
  }
  return NameKind::kId;
}

Network DeclaredNetwork::build(const std::string& file, ReadNotes& notes) {
  const NameKind kind = choose_names(file, notes);
  NetworkBuilder builder;
  for (const User& user : users_)
    builder.add_user(kind == NameKind::kName    ? user.name
                     : kind == NameKind::kLabel ? user.label
                                                : user.id);
  const auto place_of = [&](const std::string& id, std::size_t line) {
    const auto found = by_id_.find(id);
    if (found == by_id_.end())
      throw InputError(file, line,
                       fmt::format("found an edge to {}, expected a declared node", quoted(id)),
                       "declare every node before or after its edges");
    return static_cast<UserId>(found->second);
  };
  bool has_direction = declared_directed_ == true;
  std::size_t both_ways = 0;
  for (const Edge& edge : edges_) {
    const UserId from = place_of(edge.from, edge.line);
    const UserId to = place_of(edge.to, edge.line);
    builder.add_edge(from, to, edge.weight);
    const bool is_directed = edge.is_directed.value_or(declared_directed_.value_or(true));
    has_direction = has_direction || edge.is_directed == true;
    if (!options_.directed || is_directed || from == to) continue;
    builder.add_edge(to, from, edge.weight);
    ++both_ways;
  }
  if (has_direction && mentions_directed(options_))
    notes.understood += "; the file says directed: --directed uses that";
  if (both_ways > 0 && !options_.tells_direction)
    notes.understood += both_ways == edges_.size()
                            ? "; all edges go both ways, as the file says"
                            : fmt::format("; {} both ways, as the file says",
                                          counted(both_ways, "edge goes", "edges go"));
  return builder.build(options_.directed, &notes.dropped);
}

}  // namespace dalaup
