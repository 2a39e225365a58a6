#pragma once
// What else is known of users: columns of a CSV file whose first column is the user's name.
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "networks/networks.h"

namespace dalaup {

struct Profiles {
  std::vector<std::string> columns;  // without the name
  std::unordered_map<UserId, std::vector<std::string>> rows;
};

// Reads what read_attributes reads; users of whom nothing is known have no row. `understood`
// receives how the file was read, in words.
Profiles read_profiles(const std::string& path, const Network& network, Run& run,
                       const TableOptions& table = {}, std::string* understood = nullptr);

// The profiles of both sides as evidence; null when the study shows them only (the setting
// profiles_only), or when no field of one side is named as one of the other and none are compared
// (the setting compare).
std::shared_ptr<const PairAttributes> attributes_of(const Profiles& a, const Profiles& b,
                                                    const NetworkPair& networks,
                                                    const Settings& settings);

// Columns of A beside those of B that --compare put together, without their kinds.
std::vector<std::pair<std::string, std::string>> compared_columns(const Settings& settings);

}  // namespace dalaup
