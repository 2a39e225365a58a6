#pragma once
// The kinds that ship; private to questions.
#include "questions/questions.h"

namespace dalaup {

const QuestionForm& pair_form();
const QuestionForm& pick_form();
const QuestionForm& partner_form();

// A user and candidates within the networks, each once, with a probability each.
std::string fault_of_users(const Question& question, const NetworkPair& networks);
// "bob", "carol".
std::string candidate_names(const Question& question, const NetworkPair& networks);
// "alice has no partner".
std::string no_partner_words(const Question& question, const NetworkPair& networks);

}  // namespace dalaup
