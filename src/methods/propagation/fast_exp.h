#pragma once
// exp to about 1e-6 of its value, in plain arithmetic that compilers vectorise.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace dalaup {

inline float fast_exp(float x) {
  const float power = std::max(x, -80.0F) * 1.44269504F;
  const float whole = std::floor(power);
  const float part = power - whole;
  const float mantissa =
      1.0F + part * (0.69314720F +
                     part * (0.24022640F +
                             part * (0.05550522F + part * (0.00967117F + part * 0.00134001F))));
  return mantissa * std::bit_cast<float>((static_cast<std::int32_t>(whole) + 127) << 23);
}

}  // namespace dalaup
