#pragma once
// One declaration per parameter. A module's settings are a plain struct with a visit_fields
// function beside it that names every field once; command-line options, TOML keys, saved settings,
// help with live defaults and range checks all read that list.
//
//   struct ContextParams { double restart_probability = 0.6; int walk_steps = 3; };
//   template <class Params, class Visit>
//     requires std::same_as<std::remove_const_t<Params>, ContextParams>
//   void visit_fields(Params& params, Visit&& visit) {
//     visit("restart_probability|restart", params.restart_probability, 0.01, 0.99, "chance of
//     ..."); visit("walk_steps|steps", params.walk_steps, 1, 100, "steps added up");
//   }
//
// "name|alias" gives the option a second, shorter spelling. Fields are double, int, std::int64_t,
// bool (visit(name, field, help)) and std::string with its choices (visit(name, field, choices,
// help)).
#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
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

template <class Value>
SettingValue setting_of(const Value& value) {
  if constexpr (std::integral<Value> && !std::same_as<Value, bool>)
    return static_cast<std::int64_t>(value);
  else if constexpr (std::floating_point<Value>)
    return static_cast<double>(value);
  else
    return value;
}

// Throws ParameterError naming the field, its value and the range.
template <class Params>
void check_fields(const Params& params) {
  visit_fields(params, params_detail::Checker{});
}

// What a front end needs to offer a field: its spelling, default, range and help.
struct FieldInfo {
  std::string name;   // walk_steps
  std::string alias;  // steps, or empty
  SettingValue value;
  double lowest = 0.0;  // range of numbers
  double highest = 0.0;
  Choices choices;  // of text; empty: any
  std::string help;
};

template <class Params>
std::vector<FieldInfo> describe_fields(const Params& params);

// The value a person wrote for the field; `label` is what messages call it. Numbers are checked
// against the range, text against the choices.
SettingValue parse_setting(const FieldInfo& field, const std::string& text,
                           const std::string& label);

// All fields by name, for saved settings and reports.
template <class Params>
Settings to_settings(const Params& params) {
  Settings settings;
  visit_fields(params, [&](std::string_view names, const auto& value, const auto&...) {
    settings.set(field_name(names), setting_of(value));
  });
  return settings;
}

namespace params_detail {

struct Describer {
  std::vector<FieldInfo>& fields;

  template <class Value>
  FieldInfo& add(std::string_view names, const Value& value, std::string_view help) const {
    const std::size_t bar = names.find('|');
    fields.push_back({.name = field_name(names),
                      .alias = bar == names.npos ? "" : std::string(names.substr(bar + 1)),
                      .value = setting_of(value),
                      .choices = {},
                      .help = std::string(help)});
    return fields.back();
  }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void operator()(std::string_view names, const Number& value, std::type_identity_t<Number> lowest,
                  std::type_identity_t<Number> highest, std::string_view help) const {
    FieldInfo& field = add(names, value, help);
    field.lowest = static_cast<double>(lowest);
    field.highest = static_cast<double>(highest);
  }
  void operator()(std::string_view names, const bool& value, std::string_view help) const {
    add(names, value, help);
  }
  void operator()(std::string_view names, const std::string& value, const Choices& choices,
                  std::string_view help) const {
    add(names, value, help).choices = choices;
  }
};

}  // namespace params_detail

template <class Params>
std::vector<FieldInfo> describe_fields(const Params& params) {
  std::vector<FieldInfo> fields;
  visit_fields(params, params_detail::Describer{fields});
  return fields;
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
          if constexpr (kWhole && std::integral<Value>) {
            if (!std::in_range<Value>(given)) return false;  // would wrap into the allowed range
          }
          if constexpr (kSame || kWhole) value = static_cast<Value>(given);
          return kSame || kWhole;
        },
        *found);
    if (!fits)
      throw ParameterError(fmt::format("{}: found a value of the wrong type or far out of range",
                                       field_name(names)));
  });
  check_fields(params);
}

}  // namespace dalaup
