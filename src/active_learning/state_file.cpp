#include "active_learning/state_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace dalaup {
namespace {

constexpr std::string_view kKind = "simulation";
constexpr std::uint32_t kVersion = 2;  // 2: knows the contents of its inputs

using Json = nlohmann::json;

Json json_of(const Metrics& metrics) {
  return {metrics.tests,   metrics.precision, metrics.map,       metrics.hits_1,
          metrics.hits_10, metrics.mrr,       metrics.map_linear};
}
Metrics metrics_from(const Json& json) {
  Metrics metrics;
  json.at(0).get_to(metrics.tests);
  json.at(1).get_to(metrics.precision);
  json.at(2).get_to(metrics.map);
  json.at(3).get_to(metrics.hits_1);
  json.at(4).get_to(metrics.hits_10);
  json.at(5).get_to(metrics.mrr);
  json.at(6).get_to(metrics.map_linear);
  return metrics;
}

Json json_of(const RightPairs& right) {
  return {right.known,          right.exported,        right.not_judged,
          right.right,          right.right_at_wanted, right.claimed_precision,
          right.true_precision, right.claimed_at_9,    right.true_at_9};
}
RightPairs right_from(const Json& json) {
  RightPairs right;
  json.at(0).get_to(right.known);
  json.at(1).get_to(right.exported);
  json.at(2).get_to(right.not_judged);
  json.at(3).get_to(right.right);
  json.at(4).get_to(right.right_at_wanted);
  json.at(5).get_to(right.claimed_precision);
  json.at(6).get_to(right.true_precision);
  json.at(7).get_to(right.claimed_at_9);
  json.at(8).get_to(right.true_at_9);
  return right;
}

Json json_of(const RoundProgress& progress) {
  return {progress.answers, progress.yes,   progress.anchors,        progress.matches,
          progress.churn,   progress.doubt, progress.expected_right, progress.expected_at_wanted};
}
RoundProgress progress_from(const Json& json) {
  RoundProgress progress;
  json.at(0).get_to(progress.answers);
  json.at(1).get_to(progress.yes);
  json.at(2).get_to(progress.anchors);
  json.at(3).get_to(progress.matches);
  json.at(4).get_to(progress.churn);
  json.at(5).get_to(progress.doubt);
  json.at(6).get_to(progress.expected_right);
  json.at(7).get_to(progress.expected_at_wanted);
  return progress;
}

Json json_of(const RoundResult& round) {
  return {{"round", round.round},
          {"answers", round.answers},
          {"positives", round.positives},
          {"test", json_of(round.test)},
          {"validation", json_of(round.validation)},
          {"strategy", round.strategy},
          {"exploration_probability", round.exploration_probability},
          {"reward", round.reward},
          {"query_seconds", round.query_seconds},
          {"refit_seconds", round.refit_seconds},
          {"seconds", round.seconds},
          {"right", json_of(round.right)},
          {"progress", json_of(round.progress)},
          {"advice", round.advice}};
}
RoundResult round_from(const Json& json) {
  RoundResult round;
  json.at("round").get_to(round.round);
  json.at("answers").get_to(round.answers);
  json.at("positives").get_to(round.positives);
  round.test = metrics_from(json.at("test"));
  round.validation = metrics_from(json.at("validation"));
  json.at("strategy").get_to(round.strategy);
  json.at("exploration_probability").get_to(round.exploration_probability);
  json.at("reward").get_to(round.reward);
  json.at("query_seconds").get_to(round.query_seconds);
  json.at("refit_seconds").get_to(round.refit_seconds);
  json.at("seconds").get_to(round.seconds);
  round.right = right_from(json.at("right"));
  round.progress = progress_from(json.at("progress"));
  json.at("advice").get_to(round.advice);
  return round;
}

Json json_of(const AskedQuestion& asked) {
  return {{"round", asked.round},
          {"question", Json::parse(to_json(asked.question))},
          {"answer", static_cast<int>(asked.answer.kind)},
          {"chosen", asked.answer.chosen}};
}
AskedQuestion asked_from(const Json& json, const NetworkPair& networks) {
  AskedQuestion asked;
  json.at("round").get_to(asked.round);
  asked.question = question_from_json(json.at("question").dump(), networks);
  const int kind = json.at("answer").get<int>();
  asked.answer.kind = static_cast<Answer::Kind>(kind);
  json.at("chosen").get_to(asked.answer.chosen);
  if (kind < 0 || kind > static_cast<int>(Answer::Kind::kNoPartner) ||
      (asked.answer.kind == Answer::Kind::kYes &&
       asked.answer.chosen >= asked.question.candidates.size()))
    throw InputError("found an answer that does not fit its question");
  return asked;
}

std::string in_words(const SettingValue* value) {
  if (value == nullptr) return "nothing";
  return std::visit(
      [](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>)
          return dalaup::quoted(held);  // not std::quoted
        else
          return fmt::format("{}", held);
      },
      *value);
}

void require_same_settings(const std::string& path, const Settings& found,
                           const Settings& expected) {
  // A simulation may be continued with further strategies and repeats: these do not change a run.
  static const std::vector<std::string> free = {"strategy", "repeats", "no_control", "target"};
  for (const auto& [name, value] : expected) {
    if (std::ranges::find(free, name) != free.end()) continue;
    if (const SettingValue* const other = found.find(name); other == nullptr || *other != value)
      throw InputError(path, 0,
                       fmt::format("found a simulation with {} {}, expected {}", name,
                                   in_words(other), in_words(&value)),
                       "give another --out folder, or remove this one to begin again");
  }
}

}  // namespace

void save_state(const KeptRun& kept, const LoopState& state, const Aligner* aligner) {
  Json json = {{"bandit", state.bandit.to_json()},
               {"pool_is_empty", state.pool_is_empty},
               {"rounds", Json::array()},
               {"asked", Json::array()}};
  for (const RoundResult& round : state.rounds) json["rounds"].push_back(json_of(round));
  for (const AskedQuestion& asked : state.asked) json["asked"].push_back(json_of(asked));
  ArchiveWriter archive;
  archive.put("settings", kept.settings.to_json());
  archive.put("contents", static_cast<std::int64_t>(kept.contents));
  archive.put("state", json.dump());
  if (aligner != nullptr) aligner->save(archive);
  archive.save(kept.path, kKind, kVersion);
}

void load_state(const KeptRun& kept, const NetworkPair& networks, const LoopParams& params,
                LoopState& state, Aligner& aligner, Run& run) {
  const std::string& path = kept.path;
  const ArchiveReader archive(path, kKind, kVersion);
  require_same_settings(path, Settings::from_json(archive.text("settings")), kept.settings);
  if (archive.version() < 2)
    throw InputError(path, 0,
                     "found a simulation of an earlier version, which does not say what its "
                     "networks and truth held",
                     "give another --out folder, or remove this one to begin again");
  if (archive.whole_number("contents") != static_cast<std::int64_t>(kept.contents))
    throw InputError(path, 0,
                     "found a simulation of other data: the networks or the truth have changed "
                     "since it began, expected the same contents",
                     "give another --out folder, or remove this one to begin again");
  try {
    const Json json = Json::parse(archive.text("state"));
    for (const Json& round : json.at("rounds")) state.rounds.push_back(round_from(round));
    for (const Json& asked : json.at("asked")) state.asked.push_back(asked_from(asked, networks));
    state.bandit = Bandit::from_json(json.at("bandit").get<std::string>());
    json.at("pool_is_empty").get_to(state.pool_is_empty);
    if (state.rounds.empty()) throw InputError("found no round, expected the first one");
  } catch (const Json::exception& error) {
    throw InputError(path, 0, fmt::format("found a state that cannot be read: {}", error.what()));
  } catch (const InputError& error) {
    throw InputError(path, 0, fmt::format("found a state that cannot be read: {}", error.what()));
  }
  for (const auto& [round, question, answer] : state.asked)
    record_answer(question, answer, params.trust_no || params.strategy == kStudyPlan, state.labels,
                  state.pool);
  const bool is_done = state.pool_is_empty || state.rounds.back().answers >= params.label_budget;
  if (is_done) return;
  if (params.warm)
    aligner.load(archive, networks, state.labels);
  else
    aligner.fit(networks, state.labels, run);
}

}  // namespace dalaup
