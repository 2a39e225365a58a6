#include "study/profiles.h"

#include <algorithm>
#include <sstream>

namespace dalaup {

Profiles read_profiles(const std::string& path, const Network& network, Run& run,
                       const TableOptions& table, std::string* understood) {
  AttributeTable values = read_attributes(path, network, {.table = table}, run, understood);
  Profiles profiles;
  for (UserId user = 0; user < network.user_count(); ++user) {
    std::vector<std::string> row;
    for (const TextColumn& column : values.columns) row.emplace_back(column[user]);
    if (std::ranges::any_of(row, [](const std::string& cell) { return !cell.empty(); }))
      profiles.rows.emplace(user, std::move(row));
  }
  profiles.columns = std::move(values.fields);
  return profiles;
}

namespace {

AttributeTable table_of(const Profiles& profiles, const Network& network) {
  AttributeTable table{profiles.columns, std::vector<TextColumn>(profiles.columns.size(),
                                                                 TextColumn(network.user_count()))};
  for (UserId user = 0; user < network.user_count(); ++user) {
    const auto row = profiles.rows.find(user);
    if (row == profiles.rows.end()) continue;
    for (std::size_t field = 0; field < table.columns.size(); ++field)
      table.columns[field].set(user, row->second[field]);
  }
  return table;
}

}  // namespace

std::shared_ptr<const PairAttributes> attributes_of(const Profiles& a, const Profiles& b,
                                                    const NetworkPair& networks,
                                                    const Settings& settings) {
  const SettingValue* const only = settings.find("profiles_only");
  if (only != nullptr && *only == SettingValue(true)) return nullptr;
  const SettingValue* const fields = settings.find("compare");
  const std::string compare = fields == nullptr ? "" : std::get<std::string>(*fields);
  const bool has_common = std::ranges::any_of(a.columns, [&](const std::string& field) {
    return std::ranges::find(b.columns, field) != b.columns.end();
  });
  if (compare.empty() && !has_common) return nullptr;
  auto attributes = std::make_shared<PairAttributes>();
  attributes->a = table_of(a, networks.a);
  attributes->b = table_of(b, networks.b);
  attributes->compare = compare;
  return attributes;
}

std::vector<std::pair<std::string, std::string>> compared_columns(const Settings& settings) {
  std::vector<std::pair<std::string, std::string>> columns;
  const SettingValue* const found = settings.find("compare");
  std::istringstream parts(found == nullptr ? "" : std::get<std::string>(*found));
  for (std::string part; std::getline(parts, part, ',');) {
    part = part.substr(0, part.rfind(':'));
    const std::size_t equals = part.find('=');
    const std::string a = part.substr(0, equals);
    if (!a.empty()) columns.emplace_back(a, equals == part.npos ? a : part.substr(equals + 1));
  }
  return columns;
}

}  // namespace dalaup
