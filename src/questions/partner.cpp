#include <fmt/format.h>

#include "questions/forms.h"

namespace dalaup {
namespace {

// A pick question with doubt at its centre: the program believes that there is nobody to pick.
class PartnerForm : public QuestionForm {
 public:
  QuestionKind kind() const override { return QuestionKind::kPartner; }
  std::string_view name() const override { return "partner"; }
  bool asks_single_pairs() const override { return false; }

  std::string words(const Question& question, const NetworkPair& networks) const override {
    return fmt::format("Has {} a partner at all? The likeliest: {}",
                       quoted(networks.on(question.side).name(question.user)),
                       candidate_names(question, networks));
  }
  std::string words(const Question& question, const Answer& answer,
                    const NetworkPair& networks) const override {
    return pick_form().words(question, answer, networks);
  }
  std::string fault(const Question& question, const NetworkPair& networks) const override {
    return pick_form().fault(question, networks);
  }
  std::string fault(const Question& question, const Answer& answer) const override {
    return pick_form().fault(question, answer);
  }
};

}  // namespace

const QuestionForm& partner_form() {
  static const PartnerForm form;
  return form;
}

}  // namespace dalaup
