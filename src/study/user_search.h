#pragma once
// Users found by what somebody types. Private to study.
#include <string_view>
#include <unordered_set>
#include <vector>

#include "networks/networks.h"
#include "study/profiles.h"

namespace dalaup {

// Users whose name or profile has every word of `text`, names first; those with most contacts when
// there is none.
std::vector<UserId> find_users(const Network& network, const Profiles& profiles,
                               std::string_view text, std::size_t most,
                               const std::unordered_set<UserId>& left_out);

}  // namespace dalaup
