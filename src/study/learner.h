#pragma once
// One round of learning: fit, measure, choose a strategy, choose questions. Private to study; it
// works on copies, so people go on answering meanwhile.
#include <functional>
#include <memory>
#include <vector>

#include "active_learning/active_learning.h"
#include "aligner/aligner.h"
#include "selection/selection.h"
#include "study/records.h"

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
PlanParams plan_of(const LabellingParams& params);

struct PastAnswer {
  Question question;
  Answer answer;
  double seconds = 0.0;
};

// Everything a round needs, copied from the session.
struct LearningTask {
  std::shared_ptr<const Aligner> fitted;  // the last model; used as it is when it fits the labels
  LabelSet training;                      // without the validation pairs
  std::vector<UserPair> validation;
  Pool pool;
  Bandit bandit;
  std::vector<PastAnswer> answers = {};  // in force, oldest first
  std::vector<RoundProgress> progress = {};
  std::vector<Match> last_matching = {};
  std::string audit_words = {};
  std::int64_t answers_at_audit = -1;  // when the last final audit ended; -1: there was none
  std::string last_strategy = {};      // of the round before
  std::vector<UserId> last_best;       // of the sampled users in the last round; empty at first
  std::size_t question_count = 60;
  Round round;  // answers, anchors and the number of earlier rounds (id) are filled in
};

struct Learned {
  std::shared_ptr<const Aligner> aligner;  // nullptr while too few pairs are known to fit one
  Round round;
  Bandit bandit;
  std::vector<StudyQuestion> questions;      // without ids
  std::vector<UserId> best;                  // of the sampled users, kNoUser where anchored
  std::vector<RoundProgress> progress = {};  // of all rounds so far
  std::vector<Match> matching = {};          // that an export would have
  std::string audit_words = {};              // what the last final audit says; empty before one
  std::int64_t answers_at_audit = -1;
};
// What a kept model says of the study's progress; empty when it cannot be read.
struct KeptProgress {
  std::vector<RoundProgress> rounds = {};
  std::string audit_words = {};
};
KeptProgress kept_progress(const std::string& bytes);

// The model with what the next round needs of this one, for the study file, and back again.
// restore_model throws InputError when the bytes are damaged or of another version.
std::string kept_form(const Learned& learned);
std::shared_ptr<Learned> restore_model(const std::string& bytes, const AlignerFactory& make_aligner,
                                       const NetworkPair& networks);

// `last_round`, when given, gets the reward of its strategy (reward_of).
Learned learn(const LearningTask& task, const AlignerFactory& make_aligner,
              const NetworkPair& networks, const LabellingParams& params, Round* last_round,
              Run& run);

}  // namespace dalaup
