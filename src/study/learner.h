#pragma once
// One round of learning: fit, measure, choose a strategy, choose questions. Private to study; it
// works on copies, so people go on answering meanwhile.
#include <memory>
#include <string>
#include <vector>

#include "selection/selection.h"
#include "study/labelling_params.h"
#include "study/records.h"

namespace dalaup {

struct PastAnswer {
  Question question;
  Answer answer;
  double seconds = 0.0;
};

struct Learned {
  std::shared_ptr<const Aligner> aligner = nullptr;  // still nullptr while too few pairs are known
  Round round = {};
  Bandit bandit = {};
  std::vector<StudyQuestion> questions = {};  // without ids
  std::vector<UserId> best = {};              // of the sampled users, kNoUser where anchored
  std::vector<RoundProgress> progress = {};   // of all rounds so far
  std::vector<Match> matching = {};           // that an export would have
  AuditWords audit = {};
  std::int64_t answers_at_audit = -1;  // when that ended; -1: there was none
};

// Everything a round needs, copied from the session.
struct LearningTask {
  std::shared_ptr<const Learned> last;  // never nullptr; its model is used where the labels fit it
  LabelSet training;                    // without the validation pairs
  std::vector<UserPair> validation;
  Pool pool;
  Bandit bandit;
  std::vector<PastAnswer> answers;  // in force, oldest first
  std::string last_strategy;        // of the round before
  std::size_t question_count = 60;
  Round round = {};  // answers, anchors and the number of earlier rounds (id) are filled in
};

// `last_round`, when given, gets the reward of its strategy (reward_of).
Learned learn(const LearningTask& task, const AlignerFactory& make_aligner,
              const NetworkPair& networks, const LabellingParams& params, Round* last_round,
              Run& run);

// The last fit as a study file keeps it, so that a session begins where the last one ended, and
// back again (kept_model.cpp). restore_model throws InputError when the bytes are damaged or of
// another version.
std::string kept_form(const Learned& learned);
std::shared_ptr<Learned> restore_model(const std::string& bytes, const AlignerFactory& make_aligner,
                                       const NetworkPair& networks);

// People still look at the last model while the next one is made of it.
std::unique_ptr<Aligner> copy_of(const Aligner& aligner, const AlignerFactory& make_aligner);

}  // namespace dalaup
