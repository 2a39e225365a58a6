#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/terminal_text.h"

namespace dalaup {

Session::Session(Run& run, bool json, std::string command_line, Speaks speaks)
    : run_(run),
      json_(json),
      speaks_(speaks),
      command_line_(std::move(command_line)),
      summary_(std::make_unique<nlohmann::ordered_json>(nlohmann::ordered_json::object())) {}

Session::~Session() = default;

// Names come from files of others.
void Session::print_text(const std::string& text) const {
  if (speaks_ == Speaks::kNo) return;
  const std::string shown = printable(text, "\n\t");
  std::fwrite(shown.data(), 1, shown.size(), summaries_);
}

void Session::print_summary() const {
  print_text(summary_->dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
             "\n");
}

}  // namespace dalaup
