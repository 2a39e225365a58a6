#pragma once
// How a study asks: the settings of a session.
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "active_learning/active_learning.h"
#include "aligner/aligner.h"
#include "base/base.h"

namespace dalaup {

using AlignerFactory = std::function<std::unique_ptr<Aligner>()>;

struct LabellingParams {
  int batch_size = 20;              // answers between two fits
  int reserve = 3;                  // batches kept ready, so that nobody waits for a fit
  double overlap = 0.0;             // share of questions that a second person answers too
  double measuring_share = 0.2;     // of the imported pairs, kept back to measure progress
  int measuring_from = 60;          // fewer imported pairs than this are all learned from
  std::string questions = "auto";   // pair, pick, or auto: pick while few pairs are known
  int pick_until = 70;              // known pairs from which auto asks pair questions
  double take_off = 2.0;            // right matches for each known pair from which it does sooner
  int candidates_per_question = 5;  // of a pick question
  std::string strategy = kStudyPlan;
  std::string arms = "saie,cs,eer";
  bool try_each_arm = true;
  double wanted_precision = 0.95;
  double audit_share = 0.2;
  int final_audit = 40;
  double partner_share = 0.05;
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, LabellingParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("batch_size|batch", params.batch_size, 1, 10000, "answers between two fits");
  visit("reserve", params.reserve, 1, 100, "batches of questions kept ready");
  visit("overlap", params.overlap, 0.0, 1.0, "share of questions that two people answer");
  visit("measuring_share", params.measuring_share, 0.0, 0.9,
        "share of the imported pairs kept back to measure progress");
  visit("measuring_from", params.measuring_from, 1, 1000000,
        "fewer imported pairs than this are all learned from");
  visit("questions", params.questions, Choices{"auto", "pair", "pick"},
        "form of a question; auto: pick while few pairs are known, then pair");
  visit("pick_until", params.pick_until, 0, 1000000,
        "known pairs from which the plan asks what is open, and auto asks pair questions");
  visit("take_off", params.take_off, 0.0, 1000000.0,
        "right matches expected for each known pair from which the plan does so sooner");
  visit("candidates_per_question|candidates", params.candidates_per_question, 2, 9,
        "candidates of a pick question");
  visit("strategy", params.strategy, Choices{},
        "what people are asked: study is the plan with audits, dalaup the paper's bandit over "
        "--arms, or a query strategy");
  visit("arms", params.arms, Choices{}, "strategies the bandit chooses from");
  visit("try_each_arm", params.try_each_arm,
        "the bandit tries every arm once before it takes the best");
  visit("wanted_precision", params.wanted_precision, 0.5, 1.0,
        "precision that the pairs taken from the study should have");
  visit("audit_share", params.audit_share, 0.0, 0.9,
        "share of the plan's questions that are random matches, to audit the model");
  visit("final_audit", params.final_audit, 0, 100000,
        "random matches asked once the study may stop, to state how many are right; 0: none");
  visit("partner_share", params.partner_share, 0.0, 0.5,
        "share of the plan's questions that ask whether a user has a partner at all");
}
// Throws ParameterError for an unknown strategy or arm.
void check_strategy(const LabellingParams& params);

struct SessionOptions {
  LabellingParams params;
  int threads = 1;
  std::uint64_t seed = 1;
  double lease_seconds = 600.0;  // after which a question kept for one person may go to another
};

}  // namespace dalaup
