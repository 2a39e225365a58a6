#include "communicator/column_sums.h"

namespace dalaup {

void ColumnSums::add_with_others(Run& run) {
  const auto ranks = static_cast<std::size_t>(communicator_.size());
  std::vector<std::size_t> begins;  // of each rank's columns
  for (std::size_t rank = 0; rank <= ranks; ++rank) begins.push_back(columns_ * rank / ranks);

  Parcels<double> sent;
  const std::size_t own_blocks = blocks_.own_blocks().size();
  sent.items.reserve(own_blocks * columns_);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t block = 0; block < own_blocks; ++block)
      sent.items.insert(sent.items.end(),
                        sums_[block].begin() + static_cast<std::ptrdiff_t>(begins[rank]),
                        sums_[block].begin() + static_cast<std::ptrdiff_t>(begins[rank + 1]));
    sent.begins.push_back(sent.items.size());
  }
  // The blocks of the first rank, then those of the second: in the order of their rows.
  const Parcels<double> received = exchange(communicator_, std::move(sent));

  totals_.assign(columns_, 0.0);
  const auto own = static_cast<std::size_t>(communicator_.rank());
  const std::size_t width = begins[own + 1] - begins[own];
  if (width > 0) {
    const std::size_t all_blocks = received.items.size() / width;
    double* const totals = totals_.data() + begins[own];
    run.for_pieces(width, kColumnsPerPiece, [&](const Piece& piece) {
      for (std::size_t block = 0; block < all_blocks; ++block) {
        const double* const sums = received.items.data() + block * width;
        for (std::size_t column = piece.begin; column < piece.end; ++column)
          totals[column] = block == 0 ? sums[column] : totals[column] + sums[column];
      }
    });
  }
  share_parts(communicator_, std::span(totals_), begins);
}

}  // namespace dalaup
