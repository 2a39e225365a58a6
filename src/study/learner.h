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
        "known pairs from which auto asks pair questions");
  visit("candidates_per_question|candidates", params.candidates_per_question, 2, 9,
        "candidates of a pick question");
}

// Everything a round needs, copied from the session.
struct LearningTask {
  std::shared_ptr<const Aligner> fitted;  // the last model; used as it is when it fits the labels
  LabelSet training;                      // without the validation pairs
  std::vector<UserPair> validation;
  Pool pool;
  Bandit bandit;
  std::vector<UserId> last_best;  // of the sampled users in the last round; empty at first
  std::size_t question_count = 60;
  Round round;  // answers, anchors and the number of earlier rounds (id) are filled in
};

struct Learned {
  std::shared_ptr<const Aligner> aligner;
  Round round;
  Bandit bandit;
  std::vector<StudyQuestion> questions;  // without ids
  std::vector<UserId> best;              // of the sampled users, kNoUser where anchored
};

// The model with what the next round needs of this one, for the study file, and back again.
// restore_model throws InputError when the bytes are damaged or of another version.
std::string kept_form(const Learned& learned);
std::shared_ptr<Learned> restore_model(const std::string& bytes, const AlignerFactory& make_aligner,
                                       const NetworkPair& networks);

// `last_round`, when given, gets the reward of its strategy: the rise of map@30 on the validation
// pairs, or without them `yes_share`, the share of its questions answered yes.
Learned learn(const LearningTask& task, const AlignerFactory& make_aligner,
              const NetworkPair& networks, const LabellingParams& params, Round* last_round,
              double yes_share, Run& run);

}  // namespace dalaup
