#pragma once
// --method NAME and the settings of that method, for every command that fits a model.
#include <memory>
#include <string>

#include "aligner/aligner.h"
#include "cli/command_line.h"

namespace dalaup {

class MethodOptions {
 public:
  // Offers --method and the options of the method the user chose (seen through Program::peek).
  MethodOptions(Program& program, Command& command);

  // With what the user gave; `settings` are the defaults of the command, where the method has them.
  std::unique_ptr<Aligner> make(Settings settings = {}) const;
  const std::string& method() const { return *method_; }
  const Settings& given() const { return *given_; }
  const MethodRegistry& registry() const { return *registry_; }

 private:
  std::shared_ptr<MethodRegistry> registry_;
  std::shared_ptr<std::string> method_;
  std::shared_ptr<Settings> given_;
};

}  // namespace dalaup
