#pragma once
// The plan of a study: what people are asked, by `label` and by `simulate --strategy study`.
// Until the model has taken off, picks of likely users with many contacts find more; from then on
// what is open is asked: matches with a probability nearest one half, or picks whose answer may tip
// their neighbours, whichever kind brings more right pairs a minute. A fixed share of the questions
// are random matches, which audit the model; another may ask whether a user has a partner at all.
#include <concepts>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "active_learning/audit.h"
#include "active_learning/progress.h"
#include "active_learning/round.h"

namespace dalaup {

inline constexpr const char* kStudyPlan = "study";  // as a strategy
inline constexpr const char* kAudit = "audit";      // strategy of a question that audits
// Strategy of a round of nothing but audits, after which the study states how much is right.
inline constexpr const char* kFinalAudit = "final-audit";
// As people and programs outside may see it: an audit is not shown as one.
std::string shown_strategy(const std::string& strategy);

struct PlanParams {
  double wanted_precision = 0.95;
  double audit_share = 0.2;
  int pick_until = 70;
  double take_off = 2.0;
  double partner_share = 0.0;
  std::string form = "auto";  // pair or pick: only questions of that kind; set by a study
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, PlanParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("wanted_precision", params.wanted_precision, 0.5, 1.0,
        "precision that the pairs taken from a study should have");
  visit("audit_share", params.audit_share, 0.0, 0.9,
        "share of the questions that are random matches, to audit the model");
  visit("pick_until", params.pick_until, 0, 1000000,
        "known pairs from which what is open is asked; degree picks before");
  visit("take_off", params.take_off, 0.0, 1000000.0,
        "right matches expected for each known pair from which it is asked sooner");
  visit("partner_share", params.partner_share, 0.0, 0.5,
        "share of the questions that ask whether a user has a partner at all");
}

// An answer as the plan remembers it.
struct PlanAnswer {
  const Question* question = nullptr;
  Answer answer = {};
  double seconds = 0.0;  // that it took; 0 when nobody knows
};

// The latest audits, oldest first: those of about a hundred answers.
std::vector<Audited> audits_of(std::span<const PlanAnswer> answers);

// Seconds a person takes for a question of each kind: the median of the answers, or what people
// usually need while fewer than five are known.
double seconds_for(QuestionKind kind, std::span<const PlanAnswer> answers);

// At most `count` questions, best first, audits mixed in at random; no user twice. Questions other
// than audits lie between .02 and .98. Fewer, or none, when nothing open is left. `progress` is
// that of the model that asks.
RoundChoice choose_by_plan(const QuerySituation& situation, std::span<const PlanAnswer> answers,
                           const RoundProgress& progress, const PlanParams& params,
                           const QueryParams& query, std::size_t count, Run& run);

// `count` random matches that would be exported; their answers give an audit_result.
RoundChoice choose_final_audit(const QuerySituation& situation, const QueryParams& query,
                               std::size_t count, Run& run);

}  // namespace dalaup
