#pragma once
// Settings by name, as they travel between the command line, TOML, model files and reports.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dalaup {

using SettingValue = std::variant<bool, std::int64_t, double, std::string>;

// Keeps the order in which names were first set.
class Settings {
 public:
  void set(const std::string& name, SettingValue value);
  const SettingValue* find(std::string_view name) const;  // nullptr when absent
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  bool empty() const { return values_.empty(); }
  bool operator==(const Settings&) const = default;

  std::string to_json() const;                         // one flat object
  static Settings from_json(const std::string& text);  // throws InputError

 private:
  std::vector<std::pair<std::string, SettingValue>> values_;
};

}  // namespace dalaup
