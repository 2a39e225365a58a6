#pragma once
// Which users of A a round updates, and whether further rounds are worth their time. Every other
// round it is only those whose match is open: users settled on one partner and users matched with
// nobody change little from round to round.
#include "methods/propagation/sparse.h"

namespace dalaup {

class Agenda {
 public:
  struct State {
    int round = 0;  // the next one
    int calm_rounds = 0;
    std::vector<UserId> partners;  // in the last round, of all users of A
  };
  // Lists after an update of everybody do not depend on those before.
  static bool updates_everybody(int round) { return round == 0 || round % 2 == 1; }
  static constexpr int kCalmRounds = 2;

  // `most_matches` is the size of the smaller network.
  Agenda(std::size_t users, std::size_t most_matches)
      : Agenda(most_matches, State{0, 0, std::vector<UserId>(users, kNoUser)}) {}
  Agenda(std::size_t most_matches, State state)
      : most_matches_(most_matches), state_(std::move(state)), is_due_(state_.partners.size(), 1) {}

  const State& state() const { return state_; }

  const std::vector<std::uint8_t>& next(const Rows<WeightedUser>& matched) {
    const bool everybody = updates_everybody(state_.round);
    ++state_.round;
    std::size_t changed = 0;
    std::size_t matched_users = 0;
    for (std::size_t user = 0; user < is_due_.size(); ++user) {
      UserId& partner = state_.partners[user];
      WeightedUser best;
      for (const WeightedUser& match : matched.of(user))
        if (match.weight > best.weight) best = match;
      const bool is_settled = best.weight > kSettled && best.user == partner;
      is_due_[user] = everybody || !(is_settled || best.user == kNoUser) ? 1 : 0;
      changed += best.user != partner ? 1 : 0;
      matched_users += best.user != kNoUser ? 1 : 0;
      partner = best.user;
    }
    const bool is_calm = 2 * matched_users >= most_matches_ &&
                         static_cast<double>(changed) <= kCalm * static_cast<double>(matched_users);
    state_.calm_rounds = is_calm ? state_.calm_rounds + 1 : 0;
    return is_due_;
  }
  // Most are matched, and nearly everybody has kept the same partner for a while. While only few
  // are matched, calm may come before the take-off.
  bool is_still() const { return state_.calm_rounds >= kCalmRounds; }

 private:
  static constexpr float kSettled = 0.9F;
  static constexpr double kCalm = 0.001;
  std::size_t most_matches_;
  State state_;
  std::vector<std::uint8_t> is_due_;
};

}  // namespace dalaup
