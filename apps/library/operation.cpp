#include "library/operation.h"

#include <chrono>
#include <thread>

namespace dalaup::v1 {
namespace {

// What the modules throw, as the interface declares it.
[[noreturn]] void rethrow_translated(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const core::Cancelled& error) {
    throw Cancelled(error.what());
  } catch (const core::ParameterError& error) {
    throw ParameterError(error.what(), error.hint());
  } catch (const core::StateError& error) {
    throw StateError(error.what(), error.hint());
  } catch (const core::Error& error) {
    throw InputError(error.what(), error.hint());
  }
}

}  // namespace

bool Operation::has_callbacks() const {
  return control_.on_progress || control_.on_warning || control_.is_cancelled;
}

void Operation::execute(const std::function<void(core::Run&)>& body) {
  std::exception_ptr failure;
  const auto guarded = [&] {
    try {
      core::Run run({.threads = control_.threads > 0 ? control_.threads : usable_threads(),
                     .seed = control_.seed,
                     .progress = control_.on_progress ? this : nullptr,
                     .cancelled = &cancelled_,
                     .on_warning = [this](const std::string& message) {
                       if (control_.on_warning)
                         post([this, message] { control_.on_warning(message); });
                     }});
      body(run);
    } catch (...) {
      failure = std::current_exception();
    }
  };
  if (has_callbacks()) {
    is_beside_ = true;
    std::thread beside([&] {
      guarded();
      const std::lock_guard lock(mutex_);
      is_finished_ = true;
      changed_.notify_all();
    });
    serve();
    beside.join();
  } else {
    guarded();
  }
  if (failure_of_caller_) std::rethrow_exception(failure_of_caller_);
  if (failure) rethrow_translated(failure);
}

void Operation::serve() {
  constexpr std::chrono::milliseconds kPatience{100};
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait_for(lock, kPatience, [&] { return is_finished_ || !requests_.empty(); });
    while (!requests_.empty()) {
      const Request request = std::move(requests_.front());
      requests_.pop_front();
      lock.unlock();
      attempt(request.work);
      lock.lock();
      if (request.is_done == nullptr) continue;
      *request.is_done = true;
      changed_.notify_all();
    }
    if (is_finished_) return;
    lock.unlock();
    attempt([this] {
      if (control_.is_cancelled && control_.is_cancelled()) cancelled_ = true;
    });
    lock.lock();
  }
}

// After the first failure nothing of the caller's is called any more.
void Operation::attempt(const std::function<void()>& work) {
  if (failure_of_caller_) return;
  try {
    work();
  } catch (...) {
    failure_of_caller_ = std::current_exception();
    cancelled_ = true;
  }
}

void Operation::post(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  requests_.push_back({std::move(work)});
  changed_.notify_all();
}

void Operation::on_caller(const std::function<void()>& work) {
  if (!is_beside_) return work();
  bool is_done = false;
  std::unique_lock lock(mutex_);
  requests_.push_back({work, &is_done});
  changed_.notify_all();
  changed_.wait(lock, [&] { return is_done; });
  if (failure_of_caller_) throw core::Cancelled();
}

void Operation::begin(std::string_view task, std::uint64_t total) {
  progress_ = {.task = std::string(task), .total = total, .note = {}};
  report(false);
}

void Operation::update(std::uint64_t done, std::string_view note) {
  progress_.done = done;
  progress_.note = note;
  report(false);
}

void Operation::end() { report(true); }

void Operation::report(bool is_finished) {
  progress_.is_finished = is_finished;
  post([this, now = progress_] { control_.on_progress(now); });
}

}  // namespace dalaup::v1
