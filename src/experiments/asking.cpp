#include "experiments/asking.h"

#include <algorithm>

#include "active_learning/active_learning.h"
#include "evaluation/evaluation.h"

namespace dalaup {
namespace {

nlohmann::json json_of(const RoundResult& round) {
  nlohmann::json json = {{"round", round.round},
                         {"labels", round.answers},
                         {"positives", round.positives},
                         {"seconds", round.seconds},
                         {"strategy", round.strategy}};
  for (const auto& [name, value] : named_values(round.test)) json[name] = value;
  return json;
}

nlohmann::json reveal_anchors(const ExperimentData& data, const std::string& method,
                              const Split& split, const ScaledPlan& plan, Run& run) {
  std::vector<UserPair> pool = split.pool;
  run.random("experiment reveal").shuffle(std::span(pool));
  std::vector<UserPair> known = split.initial;
  AlignerShelf shelf;
  nlohmann::json rounds = nlohmann::json::array();
  const std::size_t last = std::min(plan.budget, pool.size());
  for (std::size_t revealed = 0;; revealed = std::min(revealed + plan.batch, last)) {
    known.resize(split.initial.size());
    known.insert(known.end(), pool.begin(), pool.begin() + static_cast<std::ptrdiff_t>(revealed));
    auto round =
        fit_and_measure(data, method, labels_from(data.networks, known), split.test, run, shelf);
    round["round"] = rounds.size();
    round["labels"] = revealed;
    round["positives"] = revealed;
    round["strategy"] = kRandomAnchors;
    rounds.push_back(std::move(round));
    if (revealed == last) break;
  }
  return {{"rounds", std::move(rounds)}, {"found", nlohmann::json::array()}};
}

}  // namespace

Split split_of(const ExperimentData& data, const ScaledPlan& plan, const Run& run) {
  return split_truth(data.truth, plan.sizes, run.random("experiment split"));
}

nlohmann::json run_asking(const ExperimentData& data, const std::string& method,
                          const std::string& strategy, const ScaledPlan& plan, Run& run,
                          bool with_matches) {
  const Split split = split_of(data, plan, run);
  if (strategy == kRandomAnchors) return reveal_anchors(data, method, split, plan, run);
  LoopParams params;
  params.strategy = strategy;
  params.label_budget = plan.budget;
  params.batch_size = plan.batch;
  const auto aligner = data.registry.variant(method).make({});
  TruthOracle oracle(data.networks, data.truth);
  LoopState state = begin_loop(data.networks, split, params);
  run_loop(*aligner, data.networks, split, params, oracle, state, run);
  nlohmann::json rounds = nlohmann::json::array();
  for (const RoundResult& round : state.rounds) rounds.push_back(json_of(round));
  nlohmann::json found = nlohmann::json::array();
  for (const UserPair& anchor : state.labels.anchors().subspan(split.initial.size()))
    found.push_back({anchor.a, anchor.b});
  nlohmann::json result = {{"rounds", std::move(rounds)}, {"found", std::move(found)}};
  if (with_matches) result["matches"] = matches_json(*aligner, split.test, run);
  return result;
}

}  // namespace dalaup
