#include "query/query.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

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
  require_strategy(strategy);
  check_fields(params);
  const Strategy& chosen = *std::ranges::find(strategies(), strategy, &Strategy::name);
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
