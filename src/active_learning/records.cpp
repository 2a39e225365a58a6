#include <fmt/format.h>

#include "active_learning/active_learning.h"

namespace dalaup {
namespace {

// Quoted when it must be (RFC 4180).
std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string cell = "\"";
  for (const char letter : text) {
    if (letter == '"') cell += '"';
    cell += letter;
  }
  return cell + "\"";
}

}  // namespace

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
      "query_seconds,refit_seconds\n");
  for (const auto& [strategy, repeat, state] : runs)
    for (const RoundResult& round : state.rounds)
      file.write(fmt::format(
          "{},{},{},{},{},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{:.3f},{:.6f},{:.6f},{:.6f},{},{:.6f},"
          "{:.6f},{:.3f},{:.3f}\n",
          csv_cell(strategy), repeat, round.round, round.answers, round.positives,
          round.test.precision, round.test.map, round.test.hits_1, round.test.hits_10,
          round.test.mrr, round.seconds, round.test.map_linear, round.validation.precision,
          round.validation.map, csv_cell(round.strategy), round.exploration_probability,
          round.reward, round.query_seconds, round.refit_seconds));
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
        const std::string_view word = picked                               ? "yes"
                                      : answer.kind == Answer::Kind::kSkip ? "skip"
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
