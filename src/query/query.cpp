#include "query/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "query/strategy.h"

namespace dalaup {
namespace {

const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> all = {
      saie_strategy(),       ie_strategy(),        cs_strategy(),           eer_strategy(),
      random_strategy(),     coverage_strategy(),  degree_strategy(),       reach_strategy(),
      open_match_strategy(), influence_strategy(), random_match_strategy(),
  };
  return all;
}

Strategy strategy_of(const OwnStrategy& own) {
  return {own.name, "the caller's own", [&own](const Scene& scene) {
            const std::vector<double> values = own.values(scene.pairs);
            if (values.size() != scene.pairs.size())
              throw StateError(
                  fmt::format("strategy {}: found {} values, expected one for each "
                              "of {} pairs",
                              quoted(own.name), values.size(), scene.pairs.size()));
            Proposal proposal;
            for (std::size_t i = 0; i < values.size(); ++i) {
              if (!std::isfinite(values[i]))
                throw StateError(
                    fmt::format("strategy {}: found a value that is not finite", quoted(own.name)));
              proposal.pairs.push_back({scene.pairs[i], values[i]});
            }
            proposal.pick = Proposal::Pick::kHighest;
            return proposal;
          }};
}

Strategy strategy_named(const std::string& name, const QueryParams& params) {
  const auto own = std::ranges::find(params.own, name, &OwnStrategy::name);
  if (own != params.own.end()) return strategy_of(*own);
  require_strategy(name, params.own_names());
  return *std::ranges::find(strategies(), name, &Strategy::name);
}

}  // namespace

std::vector<std::string> QueryParams::own_names() const {
  std::vector<std::string> names;
  for (const OwnStrategy& strategy : own) names.push_back(strategy.name);
  return names;
}

const std::vector<StrategySummary>& query_strategies() {
  static const std::vector<StrategySummary> summaries = [] {
    std::vector<StrategySummary> list;
    for (const Strategy& strategy : strategies()) list.push_back({strategy.name, strategy.summary});
    return list;
  }();
  return summaries;
}

void require_strategy(const std::string& name, std::span<const std::string> further_names) {
  std::vector<std::string> known(further_names.begin(), further_names.end());
  for (const Strategy& strategy : strategies()) known.push_back(strategy.name);
  if (std::ranges::find(known, name) != known.end()) return;
  throw ParameterError(
      fmt::format("unknown query strategy \"{}\"; known: {}", name, fmt::join(known, ", ")),
      suggestion(name, known));
}

std::vector<Question> choose_questions(const std::string& strategy, const QuerySituation& situation,
                                       const QueryParams& params, std::size_t batch_size,
                                       Run& run) {
  const Strategy chosen = strategy_named(strategy, params);
  check_fields(params);
  const auto longest = static_cast<int>(
      std::max(situation.labels.user_count(Side::kA), situation.labels.user_count(Side::kB)));
  // Lists may run out of pairs before the pool does: look further down then.
  for (QueryParams wider = params;; wider.list_length *= 2) {
    const Scene scene = look_around(situation, wider, batch_size, run);
    std::vector<Question> batch = make_best_batch(chosen, scene);
    if (!batch.empty() || !chosen.looks_further || wider.list_length >= longest) return batch;
  }
}

}  // namespace dalaup
