#pragma once
// Questions whether a user has a partner at all. Private to active_learning.
#include <vector>

#include "query/query.h"

namespace dalaup {

inline constexpr const char* kPartnerDoubt = "no-partner";  // their strategy

// At most `count`, about users that the aligner believes to have no partner without being sure,
// those with many contacts first, each with its best `candidates`; no user twice. None when the
// method cannot tell.
std::vector<Question> partner_questions(const QuerySituation& situation, std::size_t candidates,
                                        std::size_t count, Run& run);

}  // namespace dalaup
