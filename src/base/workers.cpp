#include "base/workers.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <utility>

namespace dalaup {
namespace {

// How a thread rounds and whether it flushes denormals: part of its floating-point environment.
std::fenv_t float_mode() {
  std::fenv_t mode;
  std::fegetenv(&mode);
  return mode;
}

}  // namespace

struct Workers::Loop {
  std::size_t size;
  std::size_t grain;
  const std::function<void(const Piece&)>& body;
  const Loop* outer;                // the loop it was begun in, if any
  std::fenv_t mode = float_mode();  // its helpers take it over
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex error_mutex{};
  std::exception_ptr error{};
  int helpers = 0;  // that ever joined; under Workers::mutex_, as is `busy`
  int busy = 0;     // helpers still at work

  bool has_pieces() const { return next < size && !failed; }
  bool is_inside(const Loop& other) const {
    for (const Loop* loop = outer; loop != nullptr; loop = loop->outer)
      if (loop == &other) return true;
    return false;
  }
  // The loop whose piece this thread is at work on.
  static const Loop*& current() {
    thread_local const Loop* loop = nullptr;
    return loop;
  }
};

Workers::Workers(int count) {
  for (int worker = 1; worker < std::max(count, 1); ++worker)
    threads_.emplace_back([this] { work(); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void Workers::run_pieces(Loop& loop, int worker) {
  const Loop* const before = std::exchange(Loop::current(), &loop);
  const std::fenv_t mode_before = float_mode();
  std::fesetenv(&loop.mode);
  while (!loop.failed.load(std::memory_order_relaxed)) {
    const std::size_t begin = loop.next.fetch_add(loop.grain, std::memory_order_relaxed);
    if (begin >= loop.size) break;
    try {
      loop.body({begin, std::min(begin + loop.grain, loop.size), worker});
    } catch (...) {
      const std::lock_guard lock(loop.error_mutex);
      if (!loop.error) loop.error = std::current_exception();
      loop.failed = true;
    }
  }
  std::fesetenv(&mode_before);
  Loop::current() = before;
}

Workers::Loop* Workers::find_work(const Loop* outer) const {
  const auto found = std::find_if(loops_.rbegin(), loops_.rend(), [&](const Loop* loop) {
    return loop->has_pieces() && (outer == nullptr || loop->is_inside(*outer));
  });
  return found == loops_.rend() ? nullptr : *found;
}

// Nobody joins a loop twice, since one leaves only when no pieces are left: the numbers of workers
// stay below count().
void Workers::help(Loop& loop, std::unique_lock<std::mutex>& lock) {
  const int worker = ++loop.helpers;
  ++loop.busy;
  lock.unlock();
  run_pieces(loop, worker);
  lock.lock();
  if (--loop.busy == 0) changed_.notify_all();
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (Loop* const loop = find_work(nullptr)) {
      help(*loop, lock);
    } else {
      ++idle_;
      changed_.wait(lock);
      --idle_;
    }
  }
}

void Workers::for_pieces(std::size_t size, std::size_t grain,
                         const std::function<void(const Piece&)>& body) {
  if (size == 0) return;
  Loop loop{.size = size,
            .grain = std::max<std::size_t>(grain, 1),
            .body = body,
            .outer = Loop::current()};
  const bool is_shared = !threads_.empty() && size > loop.grain;
  if (is_shared) {
    const std::lock_guard lock(mutex_);
    loops_.push_back(&loop);
    if (idle_ > 0) changed_.notify_all();
  }
  run_pieces(loop, 0);
  if (is_shared) {
    std::unique_lock lock(mutex_);
    while (loop.busy > 0) {  // helps its helpers rather than wait for them
      if (Loop* const inner = find_work(&loop)) {
        help(*inner, lock);
      } else {
        ++idle_;
        changed_.wait(lock);
        --idle_;
      }
    }
    std::erase(loops_, &loop);
  }
  if (loop.error) std::rethrow_exception(loop.error);
}

int usable_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace dalaup
