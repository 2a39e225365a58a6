#pragma once
// A fixed crew of threads for parallel loops. std::thread rather than OpenMP: ThreadSanitizer
// understands it, idle threads sleep instead of spinning, and exceptions come back to the caller.
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dalaup {

// Where a piece of a parallel loop runs: [begin, end), on worker 0..count-1 (for scratch space).
struct Piece {
  std::size_t begin;
  std::size_t end;
  int worker;
};

// Processors this process may use; at least 1.
int usable_threads();

class Workers {
 public:
  explicit Workers(int count);  // count >= 1; the calling thread is one of them
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int count() const { return static_cast<int>(threads_.size()) + 1; }

  // Cuts [0, size) into pieces of `grain` (the cut does not depend on the number of threads) and
  // calls body on each, in any order. Rethrows the first exception; further pieces are dropped.
  // Loops may be nested and may come from several threads: whoever is idle helps where pieces are
  // left. The worker of a piece differs between threads at work on the same loop, but not between
  // loops: give nested loops scratch space of their own.
  void for_pieces(std::size_t size, std::size_t grain,
                  const std::function<void(const Piece&)>& body);

 private:
  struct Loop;
  void work();
  void help(Loop& loop, std::unique_lock<std::mutex>& lock);
  // A loop with pieces left, the newest first; given `outer`, only one begun inside it.
  Loop* find_work(const Loop* outer) const;
  static void run_pieces(Loop& loop, int worker);

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable changed_;  // a loop was begun, or its last helper left
  std::vector<Loop*> loops_;         // begun and not yet finished
  int idle_ = 0;                     // threads waiting for changed_
  bool stopping_ = false;
};

}  // namespace dalaup
