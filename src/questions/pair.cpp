#include <fmt/format.h>

#include "questions/forms.h"

namespace dalaup {
namespace {

class PairForm : public QuestionForm {
 public:
  QuestionKind kind() const override { return QuestionKind::kPair; }
  std::string_view name() const override { return "pair"; }
  bool asks_single_pairs() const override { return true; }

  std::string words(const Question& question, const NetworkPair& networks) const override {
    const UserPair pair = question.pair();
    return fmt::format("Are {} and {} one person?", quoted(networks.a.name(pair.a)),
                       quoted(networks.b.name(pair.b)));
  }
  std::string words(const Question& question, const Answer& answer,
                    const NetworkPair& networks) const override {
    if (answer.kind == Answer::Kind::kSkip) return "skipped";
    if (answer.kind == Answer::Kind::kNoPartner) return no_partner_words(question, networks);
    const UserPair pair = question.pair();
    return fmt::format("{} and {} are {}one person", quoted(networks.a.name(pair.a)),
                       quoted(networks.b.name(pair.b)),
                       answer.kind == Answer::Kind::kYes ? "" : "not ");
  }
  std::string fault(const Question& question, const NetworkPair& networks) const override {
    if (question.candidates.size() != 1)
      return fmt::format("found {} candidates in a pair question, expected 1",
                         question.candidates.size());
    return fault_of_users(question, networks);
  }
  std::string fault(const Question&, const Answer& answer) const override {
    if (answer.kind == Answer::Kind::kYes && answer.chosen != 0)
      return fmt::format("found candidate {} chosen in a pair question, expected the only one",
                         answer.chosen + 1);
    return {};
  }
};

}  // namespace

const QuestionForm& pair_form() {
  static const PairForm form;
  return form;
}

}  // namespace dalaup
