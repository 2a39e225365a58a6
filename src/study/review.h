#pragma once
// What somebody should look at again, and how each person's answers stand against everybody's.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "study/ledger.h"

namespace dalaup {

struct ReviewItem {
  enum class Reason : std::uint8_t {
    kDisputed,  // two people answered differently
    kUnsure,    // one was unsure, another was not
    kChanged,   // somebody replaced an answer by another
  };
  std::int64_t question = 0;
  Reason reason = Reason::kDisputed;
};
std::string_view name_of(ReviewItem::Reason reason);

// Disputes first, then what people hesitated over, then what was changed; settled questions are in
// no list.
std::vector<ReviewItem> review_queue(const Ledger& ledger);

// Over the questions that at least two people answered, or that somebody settled: the consensus is
// what settled it, or else what most said; without a majority there is none.
struct ConsensusAgreement {
  std::int64_t questions = 0;
  std::int64_t equal = 0;
};
std::map<std::string, ConsensusAgreement> agreements_with_consensus(const Ledger& ledger);

}  // namespace dalaup
