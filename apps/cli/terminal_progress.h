#pragma once
// Progress on standard error: a bar with rate and remaining time on a terminal, plain lines
// elsewhere.
#include <chrono>
#include <mutex>
#include <string>

#include "base/base.h"

namespace dalaup {

class TerminalProgress : public Progress {
 public:
  TerminalProgress();
  ~TerminalProgress() override;

  void begin(std::string_view task, std::uint64_t total) override;
  void update(std::uint64_t done, std::string_view note) override;
  void end() override;
  // A line that does not disturb the bar.
  void print_above(const std::string& line);

 private:
  using Clock = std::chrono::steady_clock;
  std::string bar(std::uint64_t done, std::string_view note) const;
  void clear_bar();

  std::mutex mutex_;
  bool is_terminal_;
  bool bar_shown_ = false;
  std::string task_;
  std::uint64_t total_ = 0;
  std::uint64_t done_ = 0;
  Clock::time_point started_;
  Clock::time_point last_line_;
  int depth_ = 0;  // nested tasks: only the outermost is shown
};

}  // namespace dalaup
