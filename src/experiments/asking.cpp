#include "experiments/asking.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "active_learning/active_learning.h"
#include "evaluation/evaluation.h"

namespace dalaup {
namespace {

nlohmann::json json_of(const RoundResult& round) {
  nlohmann::json json = {{"round", round.round},
                         {"labels", round.answers},
                         {"positives", round.positives},
                         {"seconds", round.seconds},
                         {"strategy", round.strategy},
                         {"right_pairs", round.right.found()},
                         {"right_pairs@wanted", round.right.found_at_wanted()}};
  for (const auto& [name, value] : named_values(round.test)) json[name] = value;
  return json;
}

KeptRun kept_as(const ExperimentData& data, const AskingRun& asking,
                const std::string& fingerprint) {
  KeptRun kept{.path = data.folder.empty()
                           ? std::string()
                           : fmt::format("{}/jobs/{}.state", data.folder, asking.name)};
  kept.settings.set("experiment", fingerprint);
  return kept;
}

nlohmann::json run_asking(const ExperimentData& data, const AskingRun& asking,
                          const ScaledPlan& plan, const Split& split, const KeptRun& kept,
                          Run& run) {
  LoopParams params;
  params.strategy = asking.strategy;
  params.label_budget = plan.budget;
  params.batch_size = plan.batch;
  TruthOracle oracle(data.networks, data.truth);
  auto aligner = data.registry.variant(asking.method).make({});
  LoopState state;
  try {
    state = run_kept_loop(*aligner, data.networks, split, params, oracle, kept, run);
  } catch (const InputError&) {
    if (!file_exists(kept.path)) throw;
    // Left by an experiment with other settings, or damaged: made again, as finished jobs are.
    std::filesystem::remove(kept.path);
    aligner = data.registry.variant(asking.method).make({});
    state = run_kept_loop(*aligner, data.networks, split, params, oracle, kept, run);
  }
  nlohmann::json rounds = nlohmann::json::array();
  for (const RoundResult& round : state.rounds) rounds.push_back(json_of(round));
  nlohmann::json found = nlohmann::json::array();
  for (const UserPair& anchor : state.labels.anchors().subspan(split.initial.size()))
    found.push_back({anchor.a, anchor.b});
  nlohmann::json result = {{"rounds", std::move(rounds)}, {"found", std::move(found)}};
  if (asking.with_matches) {
    const bool is_fitted = std::ranges::equal(aligner->labels().anchors(), state.labels.anchors());
    if (!is_fitted) aligner->fit(data.networks, state.labels, run);
    result["matches"] = matches_json(*aligner, split.test, run);
  }
  return result;
}

}  // namespace

Job asking_job(const ExperimentData& data, const AskingRun& asking, const ScaledPlan& plan,
               const Repeat& repeat, const std::string& fingerprint) {
  return {asking.name, repeat.seed(), [&data, asking, &plan, repeat, fingerprint](Run& run) {
            const KeptRun kept = kept_as(data, asking, fingerprint);
            const Split split = repeat.split(data.truth, plan.sizes);
            nlohmann::json result = run_asking(data, asking, plan, split, kept, run);
            std::filesystem::remove(kept.path);  // the job's own file takes its place
            return result;
          }};
}

}  // namespace dalaup
