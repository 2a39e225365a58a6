#pragma once
// How much new evidence a known user would bring to its neighbourhood; private to query.
#include <span>
#include <vector>

#include "networks/networks.h"

namespace dalaup {

// For each user the matched mass of its neighbours: sum of matched[neighbour].
std::vector<double> mass_around(const Network& network, std::span<const double> matched);
// For each user the sum over its neighbours of 1 / (1 + mass around the neighbour): a neighbour
// with little evidence so far gains most.
std::vector<double> need_around(const Network& network, std::span<const double> mass);

}  // namespace dalaup
