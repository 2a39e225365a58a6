#pragma once
// Matrix products of the dense layers' shapes: some fifty users and fifty outputs against a tile of
// long rows. They read rows where they lie; a general product copies them first, which at these
// sizes costs a third of its time.
#include <cstddef>
#include <span>
#include <vector>

namespace dalaup {

// Rows of floats, each `stride` after the one before.
struct ConstRows {
  const float* data;
  std::size_t stride;
};
struct MutableRows {
  float* data;
  std::size_t stride;
};

// Room for `size` floats in scratch space that begins with a cache line. Rows as long as a number
// of lines then straddle none: dot_rows takes two thirds of the time.
float* aligned_room(std::vector<float>& scratch, std::size_t size);

// out[l][r] = sum over p < width of left[l][p] * right[r][p].
void dot_rows(ConstRows left, std::size_t left_count, ConstRows right, std::size_t right_count,
              std::size_t width, MutableRows out);

// out[r][p] = start[r][p] + sum over k < inner of factors[k][r] * panel[k][p], for p < width. Rows
// of `start` may lie on one another (stride 0) or on those of `out`; without data they are zero.
// Meanwhile the same places of `rows` rows each of `soon` are fetched from memory.
void combine_rows(ConstRows factors, std::size_t rows, std::size_t inner, ConstRows panel,
                  std::size_t width, ConstRows start, MutableRows out,
                  std::span<const ConstRows> soon = {});

}  // namespace dalaup
