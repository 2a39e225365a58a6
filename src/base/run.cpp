#include "base/run.h"

#include <algorithm>
#include <vector>

#include "base/errors.h"

namespace dalaup {

void Run::throw_if_cancelled() const {
  if (is_cancelled()) throw Cancelled();
}

void Run::warn(const std::string& message) const {
  if (options_.on_warning) options_.on_warning(message);
}

void Run::for_pieces(std::size_t size, std::size_t grain,
                     const std::function<void(const Piece&)>& body) {
  workers_.for_pieces(size, grain, [&](const Piece& piece) {
    throw_if_cancelled();
    body(piece);
  });
}

void Run::for_jobs(std::size_t count, const std::function<void(std::size_t)>& body) {
  for_pieces(count, 1, [&](const Piece& piece) { body(piece.begin); });
}

double Run::sum_pieces(std::size_t size, std::size_t grain,
                       const std::function<double(const Piece&)>& body) {
  grain = std::max<std::size_t>(grain, 1);
  std::vector<double> sums((size + grain - 1) / grain, 0.0);
  for_pieces(size, grain, [&](const Piece& piece) { sums[piece.begin / grain] = body(piece); });
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total;
}

Task::Task(const Run& run, std::string_view name, std::uint64_t total)
    : progress_(run.options().progress) {
  if (progress_ != nullptr) progress_->begin(name, total);
}

Task::~Task() {
  if (progress_ != nullptr) progress_->end();
}

void Task::advance(std::uint64_t amount, std::string_view note) {
  const std::uint64_t done = done_ += amount;
  if (progress_ == nullptr) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(80)) return;
  last_ = now;
  progress_->update(done, note);
}

}  // namespace dalaup
