#include "cli/study_settings.h"

#include <fmt/format.h>

#include "methods/methods.h"

namespace dalaup {

AlignerFactory method_of(const Settings& settings) {
  const SettingValue* const method = settings.find("method");
  const std::string name = method != nullptr && std::holds_alternative<std::string>(*method)
                               ? std::get<std::string>(*method)
                               : std::string(kDefaultMethod);
  const auto registry = std::make_shared<MethodRegistry>(all_methods());
  registry->find(name);  // complains now rather than in the background
  return [registry, name, settings] { return registry->make(name, settings); };
}

PageParams page_params_of(const Settings& study, const Settings& given) {
  PageParams params;
  apply_settings(params, study);
  apply_settings(params, given);
  return params;
}

std::string read_guidelines(const std::string& path) {
  constexpr std::size_t kMost = 200000;
  const auto source = open_bytes(path);
  std::string text = read_all(*source);
  if (text.size() > kMost)
    throw InputError(path, 0,
                     fmt::format("found {} bytes, expected guidelines of at most {}",
                                 grouped(text.size()), grouped(kMost)));
  return text;
}

std::string text_setting(const Settings& settings, const std::string& name) {
  const SettingValue* const found = settings.find(name);
  return found != nullptr && std::holds_alternative<std::string>(*found)
             ? std::get<std::string>(*found)
             : std::string{};
}

LabellingParams labelling_params_of(const Settings& settings) {
  LabellingParams params;
  apply_settings(params, settings);
  return params;
}

std::uint64_t seed_of(const Settings& settings) {
  const SettingValue* const seed = settings.find("seed");
  return seed != nullptr && std::holds_alternative<std::int64_t>(*seed)
             ? static_cast<std::uint64_t>(std::get<std::int64_t>(*seed))
             : 1;
}

std::string conflicts_in_words(const ImportReport& report, const NetworkPair& networks,
                               std::size_t most) {
  const auto pair = [&](UserPair users, Label label) {
    return fmt::format("({}, {}) {}", quoted(label_name(networks, Side::kA, users)),
                       quoted(label_name(networks, Side::kB, users)),
                       label == Label::kAnchor ? 1 : 0);
  };
  std::string text;
  for (std::size_t place = 0; place < std::min(most, report.conflicts.size()); ++place) {
    const ImportConflict& conflict = report.conflicts[place];
    text += fmt::format("  line {}: {} contradicts {}\n", conflict.line,
                        pair(conflict.pair, conflict.label),
                        pair(conflict.earlier, conflict.earlier_label));
  }
  if (report.conflicts.size() > most)
    text += fmt::format("  and {} more\n", report.conflicts.size() - most);
  return text;
}

}  // namespace dalaup
