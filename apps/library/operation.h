#pragma once
// An operation of the library: runs beside the calling thread, which meanwhile serves callbacks, so
// that those never come from another thread and a Ctrl-C reaches whoever waits.
#include <dalaup/dalaup.h>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <type_traits>

#include "base/base.h"

namespace dalaup::v1 {

namespace core = ::dalaup;

class Operation final : public core::Progress {
 public:
  explicit Operation(const Control& control) : control_(control) {}

  // body(Run&) with the failures of the library's interface.
  template <class Body>
  auto run(Body&& body) {
    using Result = std::invoke_result_t<Body, core::Run&>;
    if constexpr (std::is_void_v<Result>) {
      execute(body);
    } else {
      std::optional<Result> result;
      execute([&](core::Run& run) { result.emplace(body(run)); });
      return *std::move(result);
    }
  }
  // From inside the operation: has the caller's thread do the work and waits for it. Throws
  // Cancelled when that throws; the caller then gets what was thrown.
  void on_caller(const std::function<void()>& work);

 private:
  struct Request {
    std::function<void()> work;
    bool* is_done = nullptr;  // of somebody who waits
  };
  void execute(const std::function<void(core::Run&)>& body);
  void serve();
  void attempt(const std::function<void()>& work);
  void post(std::function<void()> work);
  void report(bool is_finished);
  bool has_callbacks() const;

  void begin(std::string_view task, std::uint64_t total) override;
  void update(std::uint64_t done, std::string_view note) override;
  void end() override;

  const Control& control_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> requests_;
  bool is_finished_ = false;
  bool is_beside_ = false;  // the operation has a thread of its own
  std::exception_ptr failure_of_caller_;
  std::atomic<bool> cancelled_{false};
  v1::Progress progress_;
};

template <class Body>
auto operate(const Control& control, Body&& body) {
  return Operation(control).run(std::forward<Body>(body));
}

}  // namespace dalaup::v1
