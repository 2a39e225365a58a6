#include "report/axes.h"

#include <algorithm>
#include <cmath>

namespace dalaup {
namespace {

double nice_step(double range, int steps) {
  const double rough = range / steps;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0})
    if (rough <= factor * power * 1.0001) return factor * power;
  return 10.0 * power;
}

std::vector<double> log_ticks(const Axis& axis, std::initializer_list<double> factors) {
  std::vector<double> ticks;
  for (double power = std::floor(std::log10(axis.lowest)); power <= std::log10(axis.highest) + 1e-9;
       power += 1.0)
    for (const double factor : factors) {
      const double tick = factor * std::pow(10.0, power);
      if (tick >= axis.lowest * 0.999 && tick <= axis.highest * 1.001) ticks.push_back(tick);
    }
  return ticks;
}

}  // namespace

double Axis::at(double value) const {
  const double share =
      is_log ? (std::log10(value) - std::log10(lowest)) / (std::log10(highest) - std::log10(lowest))
             : (value - lowest) / (highest - lowest);
  return begin + share * (end - begin);
}

bool Axis::shows(double value) const { return std::isfinite(value) && (!is_log || value > 0.0); }

std::vector<double> ticks_of(const Axis& axis, int wanted) {
  std::vector<double> ticks;
  if (axis.is_log) {
    ticks = log_ticks(axis, {1.0});
    return ticks.size() >= 3 ? ticks : log_ticks(axis, {1.0, 2.0, 5.0});
  }
  const double step = nice_step(axis.highest - axis.lowest, wanted);
  for (double tick = std::ceil(axis.lowest / step - 1e-9) * step;
       tick <= axis.highest + step * 1e-6; tick += step)
    ticks.push_back(std::abs(tick) < step * 1e-6 ? 0.0 : tick);
  return ticks;
}

void Bounds::add(double value) {
  if (!std::isfinite(value) || (is_log_ && value <= 0.0)) return;
  lowest_ = std::min(lowest_, value);
  highest_ = std::max(highest_, value);
}

Axis Bounds::axis(double begin, double end, double padding) const {
  Axis axis{.lowest = lowest_, .highest = highest_, .is_log = is_log_, .begin = begin, .end = end};
  if (lowest_ > highest_) axis.lowest = is_log_ ? 1.0 : 0.0, axis.highest = is_log_ ? 10.0 : 1.0;
  if (axis.lowest == axis.highest) {
    axis.lowest = is_log_ ? axis.lowest / 2.0 : axis.lowest - 0.5;
    axis.highest = is_log_ ? axis.highest * 2.0 : axis.highest + 0.5;
  } else if (!is_log_) {
    const double room = padding * (axis.highest - axis.lowest);
    const bool from_zero = axis.lowest >= 0.0 && axis.lowest - room < 0.0;
    axis.lowest = from_zero ? 0.0 : axis.lowest - room;
    axis.highest += room;
  }
  return axis;
}

}  // namespace dalaup
