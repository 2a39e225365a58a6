#pragma once
// Where values lie in a drawing, and which of them are written beside it.
#include <limits>
#include <vector>

namespace dalaup {

struct Axis {
  double lowest = 0.0;
  double highest = 1.0;
  bool is_log = false;
  double begin = 0.0;  // in the drawing
  double end = 1.0;

  double at(double value) const;
  bool shows(double value) const;
};

// Some `wanted` round values. A logarithmic axis gets its powers of ten, and twice and five times
// those where it would otherwise have fewer than three.
std::vector<double> ticks_of(const Axis& axis, int wanted);

// Bounds of everything added, made into an axis that is never empty.
class Bounds {
 public:
  explicit Bounds(bool is_log) : is_log_(is_log) {}
  void add(double value);
  Axis axis(double begin, double end, double padding) const;

 private:
  bool is_log_;
  double lowest_ = std::numeric_limits<double>::infinity();
  double highest_ = -std::numeric_limits<double>::infinity();
};

}  // namespace dalaup
