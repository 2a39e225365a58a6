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
    kDisputed,      // two people answered differently
    kUnsure,        // one was unsure, another was not
    kChanged,       // somebody replaced an answer by another
    kLowAgreement,  // only people whose answers often differ from the consensus answered
  };
  std::int64_t question = 0;
  Reason reason = Reason::kDisputed;
};
std::string_view name_of(ReviewItem::Reason reason);

// Disputes first, then what people hesitated over, what was changed, and what only people of low
// agreement answered; settled questions are in no list.
std::vector<ReviewItem> review_queue(const Ledger& ledger);

// Over the questions that at least two people answered, or that somebody settled: the consensus is
// what settled it, or else what most said; without a majority there is none.
struct ConsensusAgreement {
  std::int64_t questions = 0;
  std::int64_t equal = 0;
  // Fewer than three in four were as the consensus, of eight or more: of people who are right nine
  // times in ten, one in 25 looks like this after eight questions and fewer after more.
  bool is_low() const { return questions >= 8 && 4 * equal < 3 * questions; }
};
std::map<std::string, ConsensusAgreement> agreements_with_consensus(const Ledger& ledger);

}  // namespace dalaup
