#include "base/workers.h"

#include <algorithm>
#include <atomic>

namespace dalaup {

struct Workers::Loop {
  std::size_t size;
  std::size_t grain;
  const std::function<void(const Piece&)>& body;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex error_mutex{};
  std::exception_ptr error{};
};

Workers::Workers(int count) {
  for (int worker = 1; worker < std::max(count, 1); ++worker)
    threads_.emplace_back([this, worker] { work(worker); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void Workers::run_pieces(Loop& loop, int worker) {
  while (!loop.failed.load(std::memory_order_relaxed)) {
    const std::size_t begin = loop.next.fetch_add(loop.grain, std::memory_order_relaxed);
    if (begin >= loop.size) return;
    try {
      loop.body({begin, std::min(begin + loop.grain, loop.size), worker});
    } catch (...) {
      const std::lock_guard lock(loop.error_mutex);
      if (!loop.error) loop.error = std::current_exception();
      loop.failed = true;
    }
  }
}

void Workers::work(int worker) {
  std::size_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stopping_ || (is_open_ && loop_number_ != seen); });
    if (stopping_) return;
    seen = loop_number_;
    Loop& loop = *loop_;
    ++busy_;
    lock.unlock();
    run_pieces(loop, worker);
    lock.lock();
    if (--busy_ == 0) finished_.notify_all();
  }
}

void Workers::for_pieces(std::size_t size, std::size_t grain,
                         const std::function<void(const Piece&)>& body) {
  if (size == 0) return;
  Loop loop{.size = size, .grain = std::max<std::size_t>(grain, 1), .body = body};
  bool shared = false;
  if (!threads_.empty() && size > loop.grain) {
    const std::lock_guard lock(mutex_);
    if (loop_ == nullptr) {
      loop_ = &loop;
      ++loop_number_;
      is_open_ = true;
      shared = true;
    }
  }
  if (shared) wake_.notify_all();
  run_pieces(loop, 0);
  if (shared) {
    std::unique_lock lock(mutex_);
    is_open_ = false;  // latecomers find nothing to join
    finished_.wait(lock, [&] { return busy_ == 0; });
    loop_ = nullptr;  // only now: a body still running elsewhere must see that it is nested
  }
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace dalaup
