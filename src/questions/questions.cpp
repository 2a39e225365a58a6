#include "questions/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "questions/forms.h"

namespace dalaup {

using nlohmann::json;

std::span<const QuestionForm* const> question_forms() {
  static const std::array forms = {&pair_form(), &pick_form(), &partner_form()};
  return forms;
}

const QuestionForm& form_of(QuestionKind kind) {
  const auto forms = question_forms();
  const auto found =
      std::ranges::find_if(forms, [&](const QuestionForm* form) { return form->kind() == kind; });
  if (found == forms.end()) throw StateError("a kind of question without a form");
  return **found;
}

std::optional<QuestionKind> question_kind_named(std::string_view name) {
  for (const QuestionForm* const form : question_forms())
    if (form->name() == name) return form->kind();
  return std::nullopt;
}

double Question::yes_probability() const {
  return std::min(1.0, std::accumulate(probabilities.begin(), probabilities.end(), 0.0));
}

std::string fault_of_users(const Question& question, const NetworkPair& networks) {
  if (question.user >= networks.on(question.side).user_count())
    return fmt::format("found user {}, expected one below {}", question.user,
                       networks.on(question.side).user_count());
  std::set<UserId> seen;
  for (const UserId candidate : question.candidates) {
    if (candidate >= networks.on(other(question.side)).user_count())
      return fmt::format("found candidate {}, expected one below {}", candidate,
                         networks.on(other(question.side)).user_count());
    if (!seen.insert(candidate).second)
      return fmt::format("found candidate {} twice, expected each once", candidate);
  }
  if (question.probabilities.size() != question.candidates.size())
    return fmt::format("found {} probabilities for {} candidates", question.probabilities.size(),
                       question.candidates.size());
  const auto is_probability = [](double value) { return value >= 0.0 && value <= 1.0; };
  if (!std::ranges::all_of(question.probabilities, is_probability))
    return "found a probability outside [0, 1]";
  return {};
}

std::string candidate_names(const Question& question, const NetworkPair& networks) {
  std::string names;
  for (const UserId candidate : question.candidates)
    names += (names.empty() ? "" : ", ") +
             std::string(quoted(networks.on(other(question.side)).name(candidate)));
  return names;
}

std::string no_partner_words(const Question& question, const NetworkPair& networks) {
  return fmt::format("{} has no partner", quoted(networks.on(question.side).name(question.user)));
}

std::vector<ImpliedLabel> QuestionForm::labels(const Question& question,
                                               const Answer& answer) const {
  if (answer.kind == Answer::Kind::kSkip) return {};
  if (answer.kind == Answer::Kind::kYes) return {{question.pair(answer.chosen), Label::kAnchor}};
  if (answer.kind == Answer::Kind::kNoPartner)
    return {{no_partner(question.side, question.user), Label::kNotAnchor}};
  std::vector<ImpliedLabel> refused;
  for (std::size_t place = 0; place < question.candidates.size(); ++place)
    refused.push_back({question.pair(place), Label::kNotAnchor});
  return refused;
}

std::string to_json(const Question& question) {
  return json{{"kind", name_of(question.kind)},
              {"side", name_of(question.side)},
              {"user", question.user},
              {"candidates", question.candidates},
              {"probabilities", question.probabilities},
              {"score", question.score},
              {"strategy", question.strategy}}
      .dump();
}

Question question_from_json(const std::string& text, const NetworkPair& networks) {
  Question question;
  try {
    const json fields = json::parse(text);
    const auto kind = question_kind_named(fields.at("kind").get<std::string>());
    if (!kind)
      throw InputError(fmt::format("found a question of the unknown kind {}",
                                   dalaup::quoted(fields.at("kind").get<std::string>())));
    question.kind = *kind;
    question.side = fields.at("side") == name_of(Side::kA) ? Side::kA : Side::kB;
    fields.at("user").get_to(question.user);
    fields.at("candidates").get_to(question.candidates);
    fields.at("probabilities").get_to(question.probabilities);
    fields.at("score").get_to(question.score);
    fields.at("strategy").get_to(question.strategy);
  } catch (const json::exception& error) {
    throw InputError(fmt::format("found a question that cannot be read: {}", error.what()));
  }
  if (const std::string fault = form_of(question).fault(question, networks); !fault.empty())
    throw InputError(fault);
  return question;
}

}  // namespace dalaup
