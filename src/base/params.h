#pragma once
// One declaration per parameter. A module's settings are a plain struct with a visit_fields function
// beside it that names every field once; command-line options, TOML keys, saved settings, help with
// live defaults and range checks all read that list.
//
//   struct ContextParams { double restart_probability = 0.6; int walk_steps = 3; };
//   template <class Params, class Visit>
//     requires std::same_as<std::remove_const_t<Params>, ContextParams>
//   void visit_fields(Params& params, Visit&& visit) {
//     visit("restart_probability|restart", params.restart_probability, 0.01, 0.99, "chance of ...");
//     visit("walk_steps|steps", params.walk_steps, 1, 100, "steps added up");
//   }
//
// "name|alias" gives the option a second, shorter spelling. Fields are double, int, std::int64_t,
// bool (visit(name, field, help)) and std::string with its choices (visit(name, field, choices, help)).
#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/errors.h"
#include "base/settings.h"
#include "base/text.h"

namespace dalaup {

using Choices = std::vector<std::string>;  // empty: any text

// "walk_steps|steps" -> "walk_steps"
inline std::string field_name(std::string_view names) {
  return std::string(names.substr(0, names.find('|')));
}

namespace params_detail {

struct Checker {
  template <class Number>
    requires std::is_arithmetic_v<Number>
  void operator()(std::string_view names, const Number& value, std::type_identity_t<Number> lowest,
                  std::type_identity_t<Number> highest, std::string_view) const {
    if (value >= lowest && value <= highest) return;  // false for NaN too
    throw ParameterError(fmt::format("{}: found {}, expected a value from {} to {}",
                                     field_name(names), value, lowest, highest));
  }
  void operator()(std::string_view, const bool&, std::string_view) const {}
  void operator()(std::string_view names, const std::string& value, const Choices& choices,
                  std::string_view) const {
    if (choices.empty() || std::ranges::find(choices, value) != choices.end()) return;
    throw ParameterError(fmt::format("{}: found \"{}\", expected one of {}", field_name(names),
                                     value, fmt::join(choices, ", ")),
                         suggestion(value, choices));
  }
};

}  // namespace params_detail

// Throws ParameterError naming the field, its value and the range.
template <class Params>
void check_fields(const Params& params) {
  visit_fields(params, params_detail::Checker{});
}

// All fields by name, for saved settings and reports.
template <class Params>
Settings to_settings(const Params& params) {
  Settings settings;
  visit_fields(params, [&](std::string_view names, const auto& value, const auto&...) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::integral<Value> && !std::same_as<Value, bool>)
      settings.set(field_name(names), static_cast<std::int64_t>(value));
    else
      settings.set(field_name(names), value);
  });
  return settings;
}

// Sets the fields that `settings` names and checks their ranges; names the struct does not have are
// left alone. Throws ParameterError when a value has the wrong type.
template <class Params>
void apply_settings(Params& params, const Settings& settings) {
  visit_fields(params, [&](std::string_view names, auto& value, const auto&...) {
    const SettingValue* const found = settings.find(field_name(names));
    if (found == nullptr) return;
    using Value = std::decay_t<decltype(value)>;
    const bool fits = std::visit(
        [&](const auto& given) {
          using Given = std::decay_t<decltype(given)>;
          constexpr bool kSame = std::same_as<Given, Value>;
          constexpr bool kWhole = std::same_as<Given, std::int64_t> &&
                                  std::is_arithmetic_v<Value> && !std::same_as<Value, bool>;
          if constexpr (kSame || kWhole) value = static_cast<Value>(given);
          return kSame || kWhole;
        },
        *found);
    if (!fits)
      throw ParameterError(fmt::format("{}: found a value of the wrong type", field_name(names)));
  });
  check_fields(params);
}

}  // namespace dalaup
