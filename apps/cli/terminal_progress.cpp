#include "cli/terminal_progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/terminal_text.h"

namespace dalaup {
namespace {

constexpr double kFirstLineSeconds = 2.0;  // short work needs no line
constexpr double kLineSeconds = 10.0;

int terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) return size.ws_col;
  return 80;
}

std::string duration(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

TerminalProgress::TerminalProgress() : is_terminal_(isatty(STDERR_FILENO) != 0) {}

TerminalProgress::~TerminalProgress() { clear_bar(); }

void TerminalProgress::begin(std::string_view task, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  if (depth_++ > 0) return;
  task_ = task;
  total_ = total;
  done_ = 0;
  started_ = Clock::now();
  last_line_ = started_ + std::chrono::milliseconds(
                              static_cast<int>(1000 * (kFirstLineSeconds - kLineSeconds)));
}

void TerminalProgress::update(std::uint64_t done, std::string_view note) {
  const std::lock_guard lock(mutex_);
  if (depth_ != 1) return;
  done_ = done;
  if (is_terminal_) {
    const std::string line = bar(done, note);
    fmt::print(stderr, "\r{}\x1b[K", line);
    std::fflush(stderr);
    bar_shown_ = true;
    return;
  }
  const auto now = Clock::now();
  if (seconds_between(last_line_, now) < kLineSeconds) return;
  last_line_ = now;
  fmt::print(stderr, "{}\n", bar(done, note));
}

void TerminalProgress::end() {
  const std::lock_guard lock(mutex_);
  if (--depth_ > 0) return;
  clear_bar();
}

void TerminalProgress::print_above(const std::string& line) {
  const std::lock_guard lock(mutex_);
  clear_bar();
  fmt::print(stderr, "{}\n", printable(line, "\n\t"));
}

std::string TerminalProgress::bar(std::uint64_t done, std::string_view note) const {
  const double elapsed = seconds_between(started_, Clock::now());
  const double rate = elapsed > 0.0 ? static_cast<double>(done) / elapsed : 0.0;
  std::string text = task_ + " ";
  if (total_ > 0) {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    if (is_terminal_) {
      const auto filled = static_cast<std::size_t>(share * 24.0);
      text += fmt::format("[{:=<{}}{:<{}}] ", "", filled, "", 24 - filled);
    }
    text += fmt::format("{:3.0f} %", 100.0 * share);
    if (rate > 0.0 && done > 0)
      text += fmt::format(", {:.3g}/s, {} left", rate,
                          duration(static_cast<double>(total_ - std::min(done, total_)) / rate));
  } else {
    text += fmt::format("{} ({})", done, duration(elapsed));
  }
  if (!note.empty()) text += fmt::format(", {}", note);
  if (is_terminal_)
    text.resize(std::min(text.size(), static_cast<std::size_t>(terminal_width() - 1)));
  return text;
}

void TerminalProgress::clear_bar() {
  if (!bar_shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  bar_shown_ = false;
}

}  // namespace dalaup
