#pragma once
// Rounds and their questions in a study's tables. Private to study.
#include <optional>
#include <span>
#include <vector>

#include "study/records.h"
#include "study/rows.h"

namespace dalaup {

// Members that read throw StudyDamage for ids with gaps, unknown words, users out of range, lists
// of different lengths.
std::vector<Round> get_rounds(SQLite::Database& database);
// Gives the round and its questions their ids.
void put_round(SQLite::Database& database, Round& round, std::span<StudyQuestion> questions);
void put_reward(SQLite::Database& database, const Round& round);

std::optional<StudyQuestion> get_question(SQLite::Database& database, std::int64_t id,
                                          const NetworkPair& networks);
std::vector<StudyQuestion> get_questions_of_round(SQLite::Database& database, std::int64_t round,
                                                  const NetworkPair& networks);
// Those the journal speaks of, by id.
std::vector<StudyQuestion> get_answered_questions(SQLite::Database& database,
                                                  const NetworkPair& networks);

}  // namespace dalaup
