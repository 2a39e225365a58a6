#include <fmt/format.h>

#include <cmath>

#include "networks/networks.h"

namespace dalaup {
UserId require_user(const Network& network, std::string_view name, Side side,
                    const std::string& path, std::size_t line) {
  const UserId user = network.find(name);
  if (user != kNoUser) return user;
  std::vector<std::string> known;
  for (UserId candidate = 0; candidate < network.user_count(); ++candidate)
    known.emplace_back(network.name(candidate));
  throw InputError(path, line,
                   fmt::format("found {}, expected the name of a user of network {}", quoted(name),
                               name_of(side)),
                   suggestion(name, known));
}

void save_network(ArchiveWriter& archive, const std::string& prefix, const Network& network) {
  archive.put_strings(prefix + ".names", network.user_count(),
                      [&](std::size_t user) { return network.name(static_cast<UserId>(user)); });
  archive.put(prefix + ".directed", std::int64_t{network.is_directed() ? 1 : 0});
  const Adjacency& rows = network.is_directed() ? network.out() : network.both();
  archive.put(prefix + ".begins", rows.begins);
  archive.put(prefix + ".users", rows.users);
  archive.put(prefix + ".weights", rows.weights);
}

namespace {

constexpr std::string_view kNotInNames("\t\r\n\0", 4);

}  // namespace

Network load_network(const ArchiveReader& archive, const std::string& prefix) {
  NetworkBuilder builder;
  for (const auto& name : archive.strings(prefix + ".names")) {
    if (name.empty() || !is_utf8(name) || name.find_first_of(kNotInNames) != name.npos)
      throw InputError(
          archive.path(), 0,
          fmt::format("found {} as the name of a user, expected one line of UTF-8", quoted(name)));
    builder.add_user(name);
  }
  const bool directed = archive.whole_number(prefix + ".directed") != 0;
  const auto begins = archive.values<std::uint64_t>(prefix + ".begins");
  const auto users = archive.values<UserId>(prefix + ".users");
  const auto weights = archive.values<float>(prefix + ".weights");
  const UserId count = builder.user_count();
  if (begins.size() != std::size_t{count} + 1 || begins[0] != 0 || begins.back() != users.size() ||
      (!weights.empty() && weights.size() != users.size()))
    throw InputError(archive.path(), 0, "found a network whose parts do not fit together");
  for (UserId user = 0; user < count; ++user) {
    if (begins[user] > begins[user + 1] || begins[user + 1] > users.size())
      throw InputError(archive.path(), 0, "found a network whose parts do not fit together");
    for (std::uint64_t i = begins[user]; i < begins[user + 1]; ++i) {
      if (!weights.empty() && !(weights[i] > 0.0F && std::isfinite(weights[i])))
        throw InputError(archive.path(), 0, "found an edge weight that is not positive");
      if (users[i] >= count)
        throw InputError(archive.path(), 0, "found an edge to a user that does not exist");
      if (directed || user < users[i])
        builder.add_edge(user, users[i], weights.empty() ? 1.0F : weights[i]);
    }
  }
  return builder.build(directed);
}

}  // namespace dalaup
