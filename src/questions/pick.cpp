#include <fmt/format.h>

#include "questions/forms.h"

namespace dalaup {
namespace {

class PickForm : public QuestionForm {
 public:
  QuestionKind kind() const override { return QuestionKind::kPick; }
  std::string_view name() const override { return "pick"; }
  bool asks_single_pairs() const override { return false; }

  std::string words(const Question& question, const NetworkPair& networks) const override {
    return fmt::format("Which of these is {}, or none: {}?",
                       quoted(networks.on(question.side).name(question.user)),
                       candidate_names(question, networks));
  }
  std::string words(const Question& question, const Answer& answer,
                    const NetworkPair& networks) const override {
    const auto user = quoted(networks.on(question.side).name(question.user));
    if (answer.kind == Answer::Kind::kSkip) return "skipped";
    if (answer.kind == Answer::Kind::kNoPartner) return no_partner_words(question, networks);
    if (answer.kind == Answer::Kind::kNo) return fmt::format("{} is none of them", user);
    return fmt::format(
        "{} is {}", user,
        quoted(networks.on(other(question.side)).name(question.candidates[answer.chosen])));
  }
  std::string fault(const Question& question, const NetworkPair& networks) const override {
    if (question.candidates.empty()) return "found no candidates, expected at least 1";
    return fault_of_users(question, networks);
  }
  std::string fault(const Question& question, const Answer& answer) const override {
    if (answer.kind == Answer::Kind::kYes && answer.chosen >= question.candidates.size())
      return fmt::format("found candidate {} chosen, expected one of {}", answer.chosen + 1,
                         question.candidates.size());
    return {};
  }
};

}  // namespace

const QuestionForm& pick_form() {
  static const PickForm form;
  return form;
}

}  // namespace dalaup
