#pragma once
// What a long operation gets from whoever called it: threads, a seed, somewhere to report progress
// and warnings, and a way to be stopped. The library itself never prints.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "base/random.h"
#include "base/workers.h"

namespace dalaup {

class Communicator;  // src/communicator

// Receives progress, never from two threads at once. total 0 means "unknown".
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void begin(std::string_view task, std::uint64_t total) = 0;
  virtual void update(std::uint64_t done, std::string_view note) = 0;
  virtual void end() = 0;
};

struct RunOptions {
  int threads = 1;
  std::uint64_t seed = 1;
  Progress* progress = nullptr;
  const std::atomic<bool>* cancelled = nullptr;
  std::function<void(const std::string&)> on_warning = nullptr;
  Communicator* communicator = nullptr;  // the processes at work on this; null: one
};

class Run {
 public:
  Run() : Run(RunOptions{}) {}
  explicit Run(RunOptions options) : options_(std::move(options)), workers_(options_.threads) {}

  int threads() const { return workers_.count(); }
  std::uint64_t seed() const { return options_.seed; }
  const RunOptions& options() const { return options_; }
  Random random(std::string_view purpose, std::uint64_t index = 0) const {
    return Random(options_.seed, purpose, index);
  }

  bool is_cancelled() const {
    return options_.cancelled != nullptr && options_.cancelled->load(std::memory_order_relaxed);
  }
  void throw_if_cancelled() const;
  void warn(const std::string& message) const;

  // Workers::for_pieces, stopping with Cancelled between pieces when the user asks to.
  void for_pieces(std::size_t size, std::size_t grain,
                  const std::function<void(const Piece&)>& body);

  // Calls body(0) .. body(count - 1) side by side; threads without a job help in the loops inside
  // the jobs of others.
  void for_jobs(std::size_t count, const std::function<void(std::size_t)>& body);

  // The sum of body(begin, end) over pieces, added in order: the same bits at any thread count.
  double sum_pieces(std::size_t size, std::size_t grain,
                    const std::function<double(const Piece&)>& body);

 private:
  RunOptions options_;
  Workers workers_;
};

// One stretch of work with a progress display; the display ends with the object.
class Task {
 public:
  Task(const Run& run, std::string_view name, std::uint64_t total);
  ~Task();
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // Callable from any thread; reports at most some ten times a second.
  void advance(std::uint64_t amount = 1, std::string_view note = {});

 private:
  Progress* progress_;
  std::mutex mutex_;
  std::atomic<std::uint64_t> done_{0};
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace dalaup
