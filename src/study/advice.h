#pragma once
// When to stop: what the next 100 answers may be expected to bring.
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "active_learning/active_learning.h"
#include "study/records.h"

namespace dalaup {

struct Estimate {
  double value = 0.0;
  double deviation = 0.0;  // one standard deviation
};

struct Advice {
  enum class Stage : std::uint8_t { kTooEarly, kContinue, kSlowing, kMayStop, kTooFewKnown };
  Stage stage = Stage::kTooEarly;
  std::optional<Estimate> gain;     // of precision@30 on the validation anchors
  std::optional<Estimate> changes;  // share of users of A that will get another best candidate
  std::optional<Estimate> yes;      // yes answers to expect among them
  std::string words;
  std::string sentence;  // whether to go on, in one
};
std::string_view name_of(Advice::Stage stage);

// How the latest answers came out.
struct RecentAnswers {
  std::int64_t answers = 0;
  std::int64_t yes = 0;
  std::int64_t most_yes = std::numeric_limits<std::int64_t>::max();  // that can still come
};

// `rounds` in order. The gain comes from a line through the last rounds' precision over the
// logarithm of the number of answers; the changes from the agreement between rounds; the yes
// answers from the model's own chances, corrected by how the latest answers came out.
// Stage and words come from the progress of the matching (stop_advice) where that is known, and
// from what audits found.
Advice advise(const std::vector<Round>& rounds, const RecentAnswers& recent,
              std::span<const RoundProgress> progress = {}, const AuditWords& audit = {});

}  // namespace dalaup
