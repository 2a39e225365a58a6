#pragma once
// Kinds of questions. Each is one file that knows how the question is put into words, which answers
// fit it and which labels they give; adding a kind is such a file and a line in questions.cpp.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/base.h"
#include "labels/labels.h"
#include "networks/networks.h"

namespace dalaup {

enum class QuestionKind : std::uint8_t {
  kPair,     // are these two users one person?
  kPick,     // which of these candidates is this user, or none?
  kPartner,  // has this user a partner at all? With its likeliest candidates, all of them unlikely
};

struct Question {
  QuestionKind kind = QuestionKind::kPair;
  Side side = Side::kA;  // the side of `user`; pair questions are always written from A
  UserId user = kNoUser;
  std::vector<UserId> candidates;     // on the other side, likeliest first; one for a pair question
  std::vector<double> probabilities;  // of each candidate, as the aligner sees it
  double score = 0.0;                 // as the strategy sees it, higher is asked sooner
  std::string strategy;

  UserPair pair(std::size_t candidate = 0) const {
    return pair_of(side, user, candidates[candidate]);
  }
  // Chance that the answer is a yes (some candidate is picked).
  double yes_probability() const;
};

struct Answer {
  // kNoPartner: the asked user has no partner at all, among those shown or elsewhere.
  enum class Kind : std::uint8_t { kYes, kNo, kSkip, kNoPartner };
  Kind kind = Kind::kSkip;
  std::size_t chosen = 0;  // position of the picked candidate when kYes; 0 for a pair question

  static Answer yes(std::size_t candidate = 0) { return {Kind::kYes, candidate}; }
  static Answer no() { return {Kind::kNo}; }
  static Answer skip() { return {Kind::kSkip}; }
  static Answer no_partner() { return {Kind::kNoPartner}; }
  bool operator==(const Answer&) const = default;
};
constexpr std::string_view name_of(Answer::Kind kind) {
  constexpr std::string_view kNames[] = {"yes", "no", "skip", "no-partner"};
  return kNames[static_cast<std::size_t>(kind)];
}

struct ImpliedLabel {
  UserPair pair;
  Label label = Label::kAnchor;
  bool operator==(const ImpliedLabel&) const = default;
};

class QuestionForm {
 public:
  virtual ~QuestionForm() = default;
  virtual QuestionKind kind() const = 0;
  virtual std::string_view name() const = 0;  // in options, files and the API

  // Whether each likely pair is a question of its own; else a user is asked about once, with its
  // best candidates.
  virtual bool asks_single_pairs() const = 0;
  virtual std::string words(const Question& question, const NetworkPair& networks) const = 0;
  virtual std::string words(const Question& question, const Answer& answer,
                            const NetworkPair& networks) const = 0;

  // What is wrong with a question as it was read from a file, or with an answer to it; empty when
  // nothing is.
  virtual std::string fault(const Question& question, const NetworkPair& networks) const = 0;
  virtual std::string fault(const Question& question, const Answer& answer) const = 0;
  // What the answer says of the pairs shown. A skip says nothing; unless a kind says otherwise, a
  // yes is the picked pair, a no refuses all of them, and a no-partner speaks of the user alone.
  virtual std::vector<ImpliedLabel> labels(const Question& question, const Answer& answer) const;
};

std::span<const QuestionForm* const> question_forms();
const QuestionForm& form_of(QuestionKind kind);
inline const QuestionForm& form_of(const Question& question) { return form_of(question.kind); }
inline std::string_view name_of(QuestionKind kind) { return form_of(kind).name(); }
std::optional<QuestionKind> question_kind_named(std::string_view name);

// Everything of a question as one JSON object, and back. Throws InputError for a damaged text or a
// question that its kind refuses.
std::string to_json(const Question& question);
Question question_from_json(const std::string& text, const NetworkPair& networks);

}  // namespace dalaup
