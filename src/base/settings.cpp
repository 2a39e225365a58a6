#include "base/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/errors.h"

namespace dalaup {

namespace {

constexpr std::size_t kLongestJson = std::size_t{1} << 16;

}  // namespace

void Settings::set(const std::string& name, SettingValue value) {
  const auto found = std::ranges::find(values_, name, &std::pair<std::string, SettingValue>::first);
  if (found == values_.end())
    values_.emplace_back(name, std::move(value));
  else
    found->second = std::move(value);
}

const SettingValue* Settings::find(std::string_view name) const {
  const auto found = std::ranges::find(values_, name, &std::pair<std::string, SettingValue>::first);
  return found == values_.end() ? nullptr : &found->second;
}

std::string Settings::to_json() const {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : values_)
    std::visit([&, &key = name](const auto& plain) { object[key] = plain; }, value);
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Settings Settings::from_json(const std::string& text) {
  Settings settings;
  // Finding a name takes as long as there are settings; no more than tens of them make sense.
  if (text.size() > kLongestJson)
    throw InputError(
        fmt::format("settings: found {} bytes, expected at most {}", text.size(), kLongestJson));
  try {
    const auto object = nlohmann::ordered_json::parse(text);
    if (!object.is_object())
      throw InputError("settings: found something else, expected a flat JSON object");
    for (const auto& [name, value] : object.items()) {
      if (value.is_boolean())
        settings.set(name, value.get<bool>());
      else if (value.is_number_integer())
        settings.set(name, value.get<std::int64_t>());
      else if (value.is_number())
        settings.set(name, value.get<double>());
      else
        settings.set(name, value.get<std::string>());
    }
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("settings: found {}, expected a flat JSON object", error.what()));
  }
  return settings;
}

}  // namespace dalaup
