#include "cli/config_file.h"

#define TOML_EXCEPTIONS 1
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "base/base.h"

namespace dalaup {
namespace {

std::string text_of(const toml::node& node, const std::string& path, std::string_view key) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto whole = node.value_exact<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
  if (const auto truth = node.value_exact<bool>()) return *truth ? "true" : "false";
  if (const toml::array* list = node.as_array()) {
    std::string joined;
    for (const auto& item : *list) joined += (joined.empty() ? "" : ",") + text_of(item, path, key);
    return joined;
  }
  throw InputError(path, node.source().begin.line,
                   fmt::format("found a value of another kind for \"{}\", expected text, a number, "
                               "true, false or a list of them",
                               std::string(key)));
}

}  // namespace

std::string dashed(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name;
}

std::vector<std::pair<std::string, std::string>> read_config(const std::string& path,
                                                             const std::string& command) {
  const std::string content = read_all(*open_bytes(path));
  toml::table table;
  try {
    table = toml::parse(content, path);
  } catch (const toml::parse_error& error) {
    throw InputError(path, error.source().begin.line,
                     fmt::format("found no valid TOML: {}", error.description()));
  }
  std::vector<std::pair<std::string, std::string>> values;
  const auto add_all = [&](const toml::table& from, const std::string& prefix) {
    for (const auto& [key, node] : from) {
      if (node.is_table()) continue;
      values.emplace_back(prefix + dashed(std::string(key.str())), text_of(node, path, key.str()));
    }
  };
  const auto add_tables = [&](const toml::table& from) {
    for (const auto& [key, node] : from)
      if (node.is_table() && key.str() != command)
        add_all(*node.as_table(), std::string(key.str()) + ".");
  };
  add_all(table, "");
  add_tables(table);
  if (const toml::table* const own = table[command].as_table()) {
    add_all(*own, "");
    add_tables(*own);
  }
  return values;
}

}  // namespace dalaup
