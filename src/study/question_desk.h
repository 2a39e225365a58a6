#pragma once
// Which question goes to whom: the questions that wait, those kept for one person for a while, and
// second opinions. Private to study.
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "study/ledger.h"

namespace dalaup {

// The candidates that `labels` leave open, or nothing when they settle the question.
std::optional<StudyQuestion> trimmed_by(const LabelSet& labels, const StudyQuestion& question);

// For one thread at a time. Reads the ledger, which must know every question put here and outlive
// the desk.
class QuestionDesk {
 public:
  // lease_seconds: how long a question is kept for a person who does not come back.
  QuestionDesk(const Ledger& ledger, bool asks_second_opinions, double lease_seconds)
      : ledger_(ledger),
        asks_second_opinions_(asks_second_opinions),
        lease_seconds_(lease_seconds) {}

  // In place of all that waits, best first. What people hold stays theirs.
  void put(std::vector<std::int64_t> questions) { waiting_ = std::move(questions); }
  std::size_t waiting_count() const { return waiting_.size(); }

  // What this person has open, filled up to `most` with the best that nobody else has; as they are
  // to be shown: candidates settled meanwhile are left out. No two share a user, so that no answer
  // to one settles another. Empty when nothing is left for this person.
  std::vector<StudyQuestion> keep_for(const std::string& annotator, std::size_t most);
  // The question with what is still open of it, or all of it when labels settle it.
  StudyQuestion shown(std::int64_t question) const;
  // This person answered it.
  void release(const std::string& annotator, std::int64_t question);
  // This person took the answer back: it comes first again, and what shares a user with it goes.
  void keep_first(const std::string& annotator, std::int64_t question);
  std::size_t people_count() const { return held_.size(); }  // who hold a question
  std::vector<std::int64_t> held() const;

  // Call after the answers to a question changed, or those to all of them.
  void note_answers_to(std::int64_t question);
  void note_all_answers();

 private:
  struct Held {
    std::int64_t question = 0;
    std::chrono::steady_clock::time_point since;
  };

  std::optional<StudyQuestion> trimmed(const StudyQuestion& question) const {
    return trimmed_by(ledger_.labels(), question);
  }
  bool is_askable(const StudyQuestion& question, const std::string& annotator) const;
  bool wants_second_opinion(const StudyQuestion& question, const std::string& annotator) const;
  void forget_expired(const std::string& apart_from);
  void forget_settled();
  std::optional<std::int64_t> another_for(const std::string& annotator, bool has_none) const;

  const Ledger& ledger_;
  bool asks_second_opinions_;
  double lease_seconds_;
  std::vector<std::int64_t> waiting_;
  std::map<std::string, std::vector<Held>> held_;  // by person, in the order they are shown
  std::set<std::int64_t> answered_once_;           // overlap questions with one opinion so far
};

}  // namespace dalaup
