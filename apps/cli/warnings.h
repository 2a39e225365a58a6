#pragma once
// Warnings as people read them: of those that differ only in their numbers the first is shown at
// once, the others are counted and the last of them is shown at the end.
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace dalaup {

class WarningPrinter {
 public:
  explicit WarningPrinter(std::function<void(const std::string& line)> print)
      : print_(std::move(print)) {}

  void add(const std::string& message);  // from any thread
  void finish();

 private:
  struct Kind {
    std::size_t further = 0;
    std::string last;
  };
  std::function<void(const std::string& line)> print_;
  std::mutex mutex_;
  std::map<std::string, Kind> kinds_;  // by the message with # for every number
};

}  // namespace dalaup
