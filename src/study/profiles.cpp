#include "study/profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace dalaup {
Profiles read_profiles(const std::string& path, const Network& network, Run& run) {
  CsvReader reader{LineReader(path)};
  std::vector<std::string> cells;
  if (!reader.next(cells))
    throw InputError(path, 0, "found an empty file, expected a header line",
                     "the first column is the user's name, the others are shown with the user");
  Profiles profiles;
  profiles.columns.assign(cells.begin() + 1, cells.end());
  const std::size_t width = cells.size();
  std::uint64_t unknown = 0;
  while (reader.next(cells)) {
    if (cells.size() == 1 && cells[0].empty()) continue;
    if (cells.size() != width)
      throw InputError(
          path, reader.line_number(),
          fmt::format("found {} columns, expected {} as in the header", cells.size(), width));
    const UserId user = network.find(cells[0]);
    if (user == kNoUser) {
      ++unknown;
      continue;
    }
    if (!profiles.rows.emplace(user, std::vector(cells.begin() + 1, cells.end())).second)
      throw InputError(path, reader.line_number(),
                       fmt::format("found user {} a second time", dalaup::quoted(cells[0])));
  }
  if (unknown > 0)
    run.warn(fmt::format("{}: {} users are not in the network and were left out", path, unknown));
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
