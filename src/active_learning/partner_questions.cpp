#include "active_learning/partner_questions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace dalaup {
namespace {

constexpr double kLeastDoubt = 0.5;  // likelier to have no partner than to have one
constexpr double kMostDoubt = 0.98;  // beyond it the answer is as good as known

struct Doubted {
  Side side = Side::kA;
  UserId user = kNoUser;
  double value = 0.0;
};

// What an answer is worth grows with the doubt, and slowly with the contacts it speaks for.
std::vector<Doubted> doubted_users(const QuerySituation& situation) {
  std::vector<Doubted> users;
  for (const Side side : {Side::kA, Side::kB})
    for (const UserId user : situation.pool.users(side, situation.labels)) {
      const auto alone = situation.aligner.no_partner_probability(side, user);
      if (!alone || *alone < kLeastDoubt || *alone > kMostDoubt) continue;
      const auto contacts = static_cast<double>(situation.aligner.networks().on(side).degree(user));
      users.push_back({side, user, *alone * (1.0 - *alone) * std::log1p(contacts)});
    }
  return users;
}

// With its best candidates that may be asked about; none: nobody could be shown.
Question question_about(const Doubted& doubted, const QuerySituation& situation, std::size_t most,
                        Run& run) {
  Question question{.kind = QuestionKind::kPartner,
                    .side = doubted.side,
                    .user = doubted.user,
                    .candidates = {},
                    .probabilities = {},
                    .score = doubted.value,
                    .strategy = kPartnerDoubt};
  const std::array users{doubted.user};
  for (const RankedList& list :
       situation.aligner.best_candidates(doubted.side, users, 2 * most, run))
    for (const Candidate& candidate : list.candidates) {
      const UserPair pair = pair_of(doubted.side, doubted.user, candidate.user);
      if (question.candidates.size() == most || !situation.pool.may_ask(pair, situation.labels))
        continue;
      question.candidates.push_back(candidate.user);
      question.probabilities.push_back(std::clamp(situation.aligner.probability(pair), 0.0, 1.0));
    }
  return question;
}

}  // namespace

std::vector<Question> partner_questions(const QuerySituation& situation, std::size_t candidates,
                                        std::size_t count, Run& run) {
  std::vector<Question> questions;
  if (count == 0) return questions;
  std::vector<Doubted> users = doubted_users(situation);
  std::ranges::sort(users, [](const Doubted& left, const Doubted& right) {
    return std::tuple(-left.value, left.side, left.user) <
           std::tuple(-right.value, right.side, right.user);
  });
  Pool open = situation.pool;
  for (const Doubted& one : users) {
    if (questions.size() == count) break;
    run.throw_if_cancelled();
    if (!open.is_open(one.side, one.user)) continue;
    const QuerySituation now{situation.aligner, situation.labels, open, situation.round};
    Question question = question_about(one, now, candidates, run);
    if (question.candidates.empty()) continue;
    open.close(question.side, question.user);
    for (const UserId candidate : question.candidates) open.close(other(question.side), candidate);
    questions.push_back(std::move(question));
  }
  return questions;
}

}  // namespace dalaup
