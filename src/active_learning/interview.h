#pragma once
// Asks whoever calls: the steps of round.h with answers from outside, in one process and without a
// file. A simulation answers from the truth, a study keeps a journal; this does neither.
#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include "active_learning/progress.h"
#include "active_learning/round.h"
#include "active_learning/study_plan.h"

namespace dalaup {

struct InterviewParams {
  std::string strategy = "dalaup";
  std::string arms = "saie,cs,eer";
  bool try_each_arm = true;
  int batch_size = 20;
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, InterviewParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("strategy", params.strategy, Choices{},
        "dalaup is the bandit over arms, study the plan with audits, or a query strategy");
  visit("arms", params.arms, Choices{}, "strategies the bandit chooses from");
  visit("try_each_arm", params.try_each_arm,
        "the bandit tries every arm once before it takes the best");
  visit("batch_size|batch", params.batch_size, 1, 1000000000, "questions between two refits");
}

class Interview {
 public:
  // The aligner must be fitted and outlive the interview. Throws ParameterError for an unknown
  // strategy or arm.
  Interview(Aligner& aligner, const InterviewParams& params, const QueryParams& query,
            const PlanParams& plan);

  // Learns from the answers since it last did and rewards the strategy that chose the questions.
  void learn(Run& run);
  // Learns, then chooses a batch; empty when nothing is left to ask.
  std::vector<Question> next(Run& run);
  // A no is a label here: whoever answers has looked. Throws StateError when the answer does not
  // fit the question or contradicts an earlier one; nothing is then changed.
  void answer(const Question& question, const Answer& answer);

  const LabelSet& labels() const { return labels_; }
  StopAdvice advice() const { return stop_advice(progress_); }

 private:
  struct Asked {
    Question question;
    Answer answer;
  };
  std::vector<PlanAnswer> plan_answers() const;
  void take_stock(Run& run);
  RoundChoice choose(Run& run);

  Aligner& aligner_;
  InterviewParams params_;
  QueryParams query_;
  PlanParams plan_;
  LabelSet labels_;
  Pool pool_;
  Bandit bandit_;
  std::vector<Asked> asked_;
  std::vector<RoundProgress> progress_;
  std::vector<Match> matching_;
  std::string last_strategy_;
  std::uint64_t round_ = 0;
  bool has_news_ = false;  // answers the model has not learned from
};

}  // namespace dalaup
