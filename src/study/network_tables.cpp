#include "study/network_tables.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace dalaup {
namespace {

std::vector<std::string> texts_of(const std::string& json, const char* what) {
  try {
    return nlohmann::json::parse(json).get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception& error) {
    throw StudyDamage(fmt::format("{}: found {}, expected a list of texts", what, error.what()));
  }
}

}  // namespace

void put_network(SQLite::Database& database, Side side, const Network& network) {
  SQLite::Statement add_user(database, "INSERT INTO users VALUES (?, ?, ?)");
  for (UserId user = 0; user < network.user_count(); ++user) {
    add_user.bind(1, number_of(side));
    add_user.bind(2, user);
    add_user.bind(3, std::string(network.name(user)));
    insert_row(add_user);
  }
  SQLite::Statement add_edge(database, "INSERT INTO edges VALUES (?, ?, ?, ?)");
  const Adjacency& edges = network.is_directed() ? network.out() : network.both();
  for (UserId user = 0; user < network.user_count(); ++user) {
    const auto targets = edges.of(user);
    const auto weights = edges.weights_of(user);
    for (std::size_t place = 0; place < targets.size(); ++place) {
      if (!network.is_directed() && targets[place] < user) continue;
      add_edge.bind(1, number_of(side));
      add_edge.bind(2, user);
      add_edge.bind(3, targets[place]);
      add_edge.bind(4, weights.empty() ? 1.0 : static_cast<double>(weights[place]));
      insert_row(add_edge);
    }
  }
}

Network get_network(SQLite::Database& database, Side side, bool directed) {
  NetworkBuilder builder;
  SQLite::Statement users(database, "SELECT id, name FROM users WHERE side = ? ORDER BY id");
  users.bind(1, number_of(side));
  while (users.executeStep()) {
    const UserId expected = builder.user_count();
    whole_in(users, 0, "id of a user", expected, expected);
    const std::string name = text_in(users, 1, "name of a user");
    if (builder.add_user(name) != expected)
      throw StudyDamage(fmt::format("network {}: found user {} twice", name_of(side), name));
  }
  SQLite::Statement edges(database, "SELECT source, target, weight FROM edges WHERE side = ?");
  edges.bind(1, number_of(side));
  while (edges.executeStep()) {
    const auto weight = static_cast<float>(number_in(edges, 2, "weight of an edge"));
    if (!(weight > 0.0F) || weight > std::numeric_limits<float>::max())
      throw StudyDamage(fmt::format("weight of an edge: found {}, expected a positive number",
                                    edges.getColumn(2).getDouble()));
    builder.add_edge(user_in(edges, 0, "user of an edge", builder.user_count()),
                     user_in(edges, 1, "user of an edge", builder.user_count()), weight);
  }
  return builder.build(directed);
}

void put_profiles(SQLite::Database& database, Side side, const Profiles& profiles) {
  SQLite::Statement add(database, "INSERT INTO profiles VALUES (?, ?, ?)");
  for (const auto& [user, cells] : profiles.rows) {
    add.bind(1, number_of(side));
    add.bind(2, user);
    add.bind(3, nlohmann::json(cells).dump());
    insert_row(add);
  }
}

Profiles get_profiles(SQLite::Database& database, Side side, const std::string& columns,
                      UserId users) {
  Profiles profiles;
  profiles.columns = texts_of(columns, "header of the profiles");
  SQLite::Statement rows(database, "SELECT id, cells FROM profiles WHERE side = ?");
  rows.bind(1, number_of(side));
  while (rows.executeStep()) {
    const UserId user = user_in(rows, 0, "user of a profile", users);
    std::vector<std::string> cells = texts_of(text_in(rows, 1, "a profile"), "a profile");
    if (cells.size() != profiles.columns.size())
      throw StudyDamage(fmt::format("profile of user {}: found {} cells, expected {}", user,
                                    cells.size(), profiles.columns.size()));
    profiles.rows.insert_or_assign(user, std::move(cells));
  }
  return profiles;
}

void put_setting(SQLite::Database& database, const std::string& name, const std::string& value) {
  SQLite::Statement add(database, "INSERT INTO settings VALUES (?, ?)");
  add.bind(1, name);
  add.bind(2, value);
  insert_row(add);
}

std::string get_setting(SQLite::Database& database, const std::string& name) {
  SQLite::Statement find(database, "SELECT value FROM settings WHERE name = ?");
  find.bind(1, name);
  if (!find.executeStep()) throw StudyDamage("found no setting \"" + name + "\" in the study");
  return text_in(find, 0, name.c_str());
}

void check_sides(SQLite::Database& database) {
  for (const char* const table : {"users", "edges", "profiles"}) {
    SQLite::Statement others(
        database, fmt::format("SELECT side FROM {} WHERE side NOT IN (0, 1) LIMIT 1", table));
    if (others.executeStep()) whole_in(others, 0, table, 0, 1);
  }
}

}  // namespace dalaup
