#include "cli/method_options.h"

#include "methods/methods.h"

namespace dalaup {

MethodOptions::MethodOptions(Program& program, Command& command)
    : registry_(std::make_shared<MethodRegistry>(all_methods())),
      method_(std::make_shared<std::string>(kDefaultMethod)),
      given_(std::make_shared<Settings>()) {
  std::string help = "how to score pairs; --help after it shows its settings";
  for (const auto& method : registry_->all())
    help += fmt::format("\n{}: {}", method.name, method.summary);
  command.optional("method", *method_, fmt::format("{}", fmt::join(registry_->names(), "|")), help);
  const std::string chosen = program.peek("method").value_or(*method_);
  for (const auto& method : registry_->all())
    if (method.name == chosen) command.offer(method.fields, given_);
}

std::unique_ptr<Aligner> MethodOptions::make() const { return registry_->make(*method_, *given_); }

}  // namespace dalaup
