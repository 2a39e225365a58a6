#include "active_learning/curve_files.h"

#include <fmt/format.h>

namespace dalaup {
namespace {

std::string toml_value(const SettingValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    std::string quoted_text = "\"";
    for (const char letter : *text) {
      if (letter == '"' || letter == '\\') quoted_text += '\\';
      quoted_text += letter;
    }
    return quoted_text + "\"";
  }
  if (const auto* number = std::get_if<double>(&value)) {
    const std::string digits = fmt::format("{}", *number);
    return digits.find_first_of(".e") == digits.npos ? digits + ".0" : digits;
  }
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  return std::get<bool>(value) ? "true" : "false";
}

}  // namespace

std::string settings_toml(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings)
    text += fmt::format("{} = {}\n", name, toml_value(value));
  return text;
}

std::optional<std::size_t> answers_to_reach(const LoopState& state, double precision) {
  for (const RoundResult& round : state.rounds)
    if (round.test.precision >= precision) return round.answers;
  return std::nullopt;
}

void write_curves(const std::string& path, std::span<const SimulatedRun> runs) {
  AtomicFile file(path);
  file.write(
      "strategy,repeat,round,labels,positives,precision@30,map@30,hits@1,hits@10,mrr,seconds,"
      "map-linear@30,validation_precision@30,validation_map@30,arm,exploration_probability,reward,"
      "query_seconds,refit_seconds,known,exported,not_judged,right_pairs,right_pairs@wanted,"
      "claimed_precision,true_precision,claimed_precision@p0.9,true_precision@p0.9,matches_churn,"
      "matches_doubt,expected_right_pairs@wanted,advice\n");
  for (const auto& [strategy, repeat, state] : runs)
    for (const RoundResult& round : state.rounds)
      file.write(fmt::format(
          "{},{},{},{},{},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{:.3f},{:.6f},{:.6f},{:.6f},{},{:.6f},"
          "{:.6f},{:.3f},{:.3f},{},{},{},{},{},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{:.2f},{}"
          "\n",
          csv_cell(strategy), repeat, round.round, round.answers, round.positives,
          round.test.precision, round.test.map, round.test.hits_1, round.test.hits_10,
          round.test.mrr, round.seconds, round.test.map_linear, round.validation.precision,
          round.validation.map, csv_cell(round.strategy), round.exploration_probability,
          round.reward, round.query_seconds, round.refit_seconds, round.right.known,
          round.right.exported, round.right.not_judged, round.right.found(),
          round.right.found_at_wanted(), round.right.claimed_precision, round.right.true_precision,
          round.right.claimed_at_9, round.right.true_at_9, round.progress.churn,
          round.progress.doubt, round.progress.expected_at_wanted, round.advice));
  file.commit();
}

void write_questions(const std::string& path, std::span<const SimulatedRun> runs,
                     const NetworkPair& networks) {
  AtomicFile file(path);
  file.write("strategy,repeat,round,question,kind,arm,score,a,b,probability,answer\n");
  for (const auto& [strategy, repeat, state] : runs) {
    std::size_t number = 0;
    for (const auto& [round, question, answer] : state.asked) {
      ++number;
      for (std::size_t i = 0; i < question.candidates.size(); ++i) {
        const UserPair pair = question.pair(i);
        const bool picked = answer.kind == Answer::Kind::kYes && answer.chosen == i;
        const std::string_view word = picked                                    ? "yes"
                                      : answer.kind == Answer::Kind::kSkip      ? "skip"
                                      : answer.kind == Answer::Kind::kNoPartner ? "no-partner"
                                                                                : "no";
        file.write(fmt::format("{},{},{},{},{},{},{:.9g},{},{},{:.6f},{}\n", csv_cell(strategy),
                               repeat, round, number, name_of(question.kind),
                               csv_cell(question.strategy), question.score,
                               csv_cell(networks.a.name(pair.a)), csv_cell(networks.b.name(pair.b)),
                               question.probabilities[i], word));
      }
    }
  }
  file.commit();
}

}  // namespace dalaup
