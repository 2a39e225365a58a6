#include "study/question_tables.h"

#include <fmt/format.h>

#include "study/question_json.h"

namespace dalaup {
namespace {

constexpr const char* kQuestionColumns =
    "id, round, kind, side, user, strategy, score, is_overlap, details";

void bind_or_null(SQLite::Statement& statement, int place, const std::optional<double>& value) {
  if (value)
    statement.bind(place, *value);
  else
    statement.bind(place);
}

[[noreturn]] void fail(const StudyQuestion& question, const std::string& problem) {
  throw StudyDamage(fmt::format("question {}: {}", question.id, problem));
}

void check(const StudyQuestion& question, const NetworkPair& networks) {
  const Question& asked = question.question;
  if (const std::string fault = form_of(asked).fault(asked, networks); !fault.empty())
    fail(question, fault);
  if (!question.standings.empty() && question.standings.size() != asked.candidates.size())
    fail(question, fmt::format("found {} ranks, expected {}", question.standings.size(),
                               asked.candidates.size()));
  if (!question.field_shares.empty() && question.field_shares.size() != asked.candidates.size())
    fail(question, fmt::format("fields: found those of {} candidates, expected {}",
                               question.field_shares.size(), asked.candidates.size()));
  const auto check_user = [&](Side side, UserId user, const char* what) {
    const UserId users = networks.on(side).user_count();
    if (user >= users)
      fail(question, fmt::format("{}: found user {} of {}, expected an id below {}", what, user,
                                 name_of(side), users));
  };
  for (const Rival& rival : question.rivals) check_user(rival.side, rival.user, "rival");
  for (const UserPair pair : question.likely_same) {
    check_user(Side::kA, pair.a, "contact");
    check_user(Side::kB, pair.b, "contact");
  }
}

QuestionKind kind_in(SQLite::Statement& row) {
  const std::string name = text_in(row, 2, "kind of a question");
  const auto kind = question_kind_named(name);
  if (!kind)
    throw StudyDamage(fmt::format("kind of a question: found {}, which is not known", name));
  return *kind;
}

StudyQuestion question_in(SQLite::Statement& row, const NetworkPair& networks) {
  StudyQuestion question;
  question.id = whole_in(row, 0, "id of a question", 1, kMostRows);
  question.round = whole_in(row, 1, "round of a question", 1, kMostRows);
  question.question.kind = kind_in(row);
  question.question.side = flag_in(row, 3, "side of a question") ? Side::kB : Side::kA;
  question.question.user =
      user_in(row, 4, "user of a question", networks.on(question.question.side).user_count());
  question.question.strategy = text_in(row, 5, "strategy of a question");
  question.question.score = number_in(row, 6, "score of a question");
  question.is_overlap = flag_in(row, 7, "overlap of a question");
  read_question_details(text_in(row, 8, "details of a question"), question);
  check(question, networks);
  return question;
}

std::vector<StudyQuestion> questions_in(SQLite::Statement& rows, const NetworkPair& networks) {
  std::vector<StudyQuestion> questions;
  while (rows.executeStep()) questions.push_back(question_in(rows, networks));
  return questions;
}

}  // namespace

std::vector<Round> get_rounds(SQLite::Database& database) {
  std::vector<Round> rounds;
  SQLite::Statement rows(
      database,
      "SELECT id, at, strategy, exploration_probability, explored, answers, anchors, "
      "validation_size, precision_at_30, map_at_30, agreement, yes_chance, reward, "
      "seconds, bandit FROM rounds ORDER BY id");
  while (rows.executeStep()) {
    const auto expected = static_cast<std::int64_t>(rounds.size()) + 1;
    rounds.push_back(
        {.id = whole_in(rows, 0, "id of a round", expected, expected),
         .at = text_in(rows, 1, "time of a round"),
         .strategy = text_in(rows, 2, "strategy of a round"),
         .exploration_probability = number_in(rows, 3, "exploration of a round"),
         .explored = flag_in(rows, 4, "exploration of a round"),
         .answers = whole_in(rows, 5, "answers of a round", 0, kMostRows),
         .anchors = whole_in(rows, 6, "anchors of a round", 0, kMostRows),
         .validation_size = whole_in(rows, 7, "validation anchors of a round", 0, kMostRows),
         .precision_at_30 = number_or_nothing_in(rows, 8, "precision of a round"),
         .map_at_30 = number_or_nothing_in(rows, 9, "map of a round"),
         .agreement = number_or_nothing_in(rows, 10, "agreement of a round"),
         .yes_chance = number_or_nothing_in(rows, 11, "chance of a yes of a round"),
         .reward = number_or_nothing_in(rows, 12, "reward of a round"),
         .seconds = number_in(rows, 13, "seconds of a round"),
         .bandit = text_in(rows, 14, "bandit of a round")});
  }
  return rounds;
}

void put_reward(SQLite::Database& database, const Round& round) {
  SQLite::Statement update(database, "UPDATE rounds SET reward = ? WHERE id = ?");
  bind_or_null(update, 1, round.reward);
  update.bind(2, round.id);
  update.exec();
}

void put_round(SQLite::Database& database, Round& round, std::span<StudyQuestion> questions) {
  SQLite::Statement add(
      database, "INSERT INTO rounds VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  add.bind(1, round.at);
  add.bind(2, round.strategy);
  add.bind(3, round.exploration_probability);
  add.bind(4, round.explored ? 1 : 0);
  add.bind(5, round.answers);
  add.bind(6, round.anchors);
  add.bind(7, round.validation_size);
  bind_or_null(add, 8, round.precision_at_30);
  bind_or_null(add, 9, round.map_at_30);
  bind_or_null(add, 10, round.agreement);
  bind_or_null(add, 11, round.yes_chance);
  bind_or_null(add, 12, round.reward);
  add.bind(13, round.seconds);
  add.bind(14, round.bandit);
  insert_row(add);
  round.id = database.getLastInsertRowid();
  SQLite::Statement ask(database, "INSERT INTO questions VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (StudyQuestion& question : questions) {
    question.round = round.id;
    ask.bind(1, round.id);
    ask.bind(2, std::string(name_of(question.question.kind)));
    ask.bind(3, number_of(question.question.side));
    ask.bind(4, question.question.user);
    ask.bind(5, question.question.strategy);
    ask.bind(6, question.question.score);
    ask.bind(7, question.is_overlap ? 1 : 0);
    ask.bind(8, question_details(question));
    insert_row(ask);
    question.id = database.getLastInsertRowid();
  }
}

std::optional<StudyQuestion> get_question(SQLite::Database& database, std::int64_t id,
                                          const NetworkPair& networks) {
  SQLite::Statement row(database,
                        fmt::format("SELECT {} FROM questions WHERE id = ?", kQuestionColumns));
  row.bind(1, id);
  if (!row.executeStep()) return std::nullopt;
  return question_in(row, networks);
}

std::vector<StudyQuestion> get_questions_of_round(SQLite::Database& database, std::int64_t round,
                                                  const NetworkPair& networks) {
  SQLite::Statement rows(
      database,
      fmt::format("SELECT {} FROM questions WHERE round = ? ORDER BY id", kQuestionColumns));
  rows.bind(1, round);
  return questions_in(rows, networks);
}

std::vector<StudyQuestion> get_answered_questions(SQLite::Database& database,
                                                  const NetworkPair& networks) {
  SQLite::Statement rows(
      database, fmt::format("SELECT {} FROM questions WHERE id IN (SELECT question FROM journal) "
                            "ORDER BY id",
                            kQuestionColumns));
  return questions_in(rows, networks);
}

}  // namespace dalaup
