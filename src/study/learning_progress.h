#pragma once
// How far a fit in the background is, for people who wait for its first questions. Private to
// study.
#include <mutex>
#include <string>

#include "base/base.h"

namespace dalaup {

class LearningProgress : public Progress {
 public:
  void begin(std::string_view task, std::uint64_t total) override {
    const std::lock_guard lock(mutex_);
    task_ = task;
    total_ = total;
    done_ = 0;
  }
  void update(std::uint64_t done, std::string_view) override {
    const std::lock_guard lock(mutex_);
    done_ = done;
  }
  void end() override { begin({}, 0); }

  // Such as "propagating, 56 %"; empty between tasks.
  std::string words() const {
    const std::lock_guard lock(mutex_);
    if (task_.empty()) return {};
    if (total_ == 0) return task_;
    return task_ + ", " + std::to_string(100 * std::min(done_, total_) / total_) + " %";
  }

 private:
  mutable std::mutex mutex_;
  std::string task_;
  std::uint64_t total_ = 0;
  std::uint64_t done_ = 0;
};

}  // namespace dalaup
