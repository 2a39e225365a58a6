#pragma once
// Draws indices in proportion to weights in constant time (Walker 1977, Vose 1991).
#include <cstdint>
#include <span>
#include <vector>

#include "base/base.h"

namespace dalaup {

class AliasTable {
 public:
  AliasTable() = default;
  explicit AliasTable(std::span<const double> weights);
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  std::uint32_t draw(Random& random) const;
  // The same from a place below size() and a share from 0 to 1 that were drawn evenly.
  std::uint32_t choose(std::size_t place, double share) const;

 private:
  struct Entry {
    std::uint32_t own_share = 0;  // of 2^32
    std::uint32_t alias = 0;
  };
  std::vector<Entry> entries_;
};

}  // namespace dalaup
