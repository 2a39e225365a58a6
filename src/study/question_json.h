#pragma once
// The details of a question as the study keeps them; private to study.
#include <string>

#include "study/records.h"

namespace dalaup {

std::string question_details(const StudyQuestion& question);
// Throws StudyDamage when the text is damaged.
void read_question_details(const std::string& text, StudyQuestion& question);

}  // namespace dalaup
