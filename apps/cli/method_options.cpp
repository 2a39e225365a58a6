#include "cli/method_options.h"

#include <algorithm>

#include "methods/methods.h"

namespace dalaup {

MethodOptions::MethodOptions(Program& program, Command& command)
    : registry_(std::make_shared<MethodRegistry>(all_methods())),
      method_(std::make_shared<std::string>(kDefaultMethod)),
      given_(std::make_shared<Settings>()) {
  command.group("Method");
  std::string help = "how to score pairs; --help after it shows its settings";
  for (const auto& method : registry_->all())
    help += fmt::format("\n{}: {}", method.name, method.summary);
  command.optional("method", *method_, fmt::format("{}", fmt::join(registry_->names(), "|")), help);
  const std::string chosen = program.peek("method").value_or(*method_);
  if (std::ranges::count(registry_->names(), chosen) == 0) {
    command.group("Settings");
    return;  // make() says so
  }
  const std::string preset = program.peek("preset").value_or("");
  const auto& method = registry_->find(chosen, preset);
  std::vector<FieldInfo> fields = method.fields_with(preset);
  if (method.name != chosen)  // the earlier spelling of a method that was a preset
    fields.push_back({.name = "preset",
                      .alias = "",
                      .value = preset,
                      .lowest = 0.0,
                      .highest = 0.0,
                      .choices = {preset},
                      .help = method.summary});
  command.group(fmt::format("Settings of {}", method.name));
  command.offer(fields, given_, method.name);
  command.group("Settings");
}

std::unique_ptr<Aligner> MethodOptions::make(Settings settings) const {
  for (const auto& [name, value] : *given_) settings.set(name, value);
  return registry_->make(*method_, settings);
}

}  // namespace dalaup
