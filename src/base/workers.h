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

class Workers {
 public:
  explicit Workers(int count);  // count >= 1; the calling thread is one of them
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int count() const { return static_cast<int>(threads_.size()) + 1; }

  // Cuts [0, size) into pieces of `grain` (the cut does not depend on the number of threads) and
  // calls body on each, in any order. Rethrows the first exception; further pieces are dropped.
  // A call from inside a body, or from a second thread at the same time, runs on the calling
  // thread alone, as worker 0: give nested loops scratch space of their own.
  void for_pieces(std::size_t size, std::size_t grain,
                  const std::function<void(const Piece&)>& body);

 private:
  struct Loop;
  void work(int worker);
  static void run_pieces(Loop& loop, int worker);

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable finished_;
  Loop* loop_ = nullptr;  // set until the last worker has left it
  bool is_open_ = false;  // may still be joined
  std::size_t loop_number_ = 0;
  int busy_ = 0;
  bool stopping_ = false;
};

}  // namespace dalaup
