#include "base/params.h"

#include <cmath>

namespace dalaup {

SettingValue parse_setting(const FieldInfo& field, const std::string& text,
                           const std::string& label) {
  if (std::holds_alternative<bool>(field.value)) {
    if (text == "on" || text == "true") return true;
    if (text == "off" || text == "false") return false;
    throw ParameterError(fmt::format("{}: found \"{}\", expected on or off", label, text));
  }
  if (std::holds_alternative<std::string>(field.value)) {
    params_detail::Checker{}(label, text, field.choices, "");
    return text;
  }
  const auto number = parse_number(text);
  const bool whole = std::holds_alternative<std::int64_t>(field.value);
  if (!number || (whole && *number != std::floor(*number)) || !(*number >= field.lowest) ||
      !(*number <= field.highest))
    throw ParameterError(fmt::format("{}: found \"{}\", expected a {}number from {} to {}", label,
                                     text, whole ? "whole " : "", field.lowest, field.highest));
  if (whole) return static_cast<std::int64_t>(*number);
  return *number;
}

}  // namespace dalaup
