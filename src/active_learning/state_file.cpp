#include "active_learning/state_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <nlohmann/json.hpp>
#include <tuple>

namespace dalaup {
namespace {

constexpr std::string_view kKind = "simulation";
constexpr std::uint32_t kVersion = 2;  // 2: knows the contents of its inputs

using Json = nlohmann::json;

// Records name their fields once, for writing and for reading: these by place, rounds by name.
template <class Record>
constexpr bool kIsListed = std::same_as<Record, RightPairs> || std::same_as<Record, RoundProgress>;
template <class Record>
auto fields_of(Record& one) {
  if constexpr (std::same_as<std::remove_const_t<Record>, RightPairs>)
    return std::tie(one.known, one.exported, one.not_judged, one.right, one.right_at_wanted,
                    one.claimed_precision, one.true_precision, one.claimed_at_9, one.true_at_9);
  else
    return std::tie(one.answers, one.yes, one.anchors, one.matches, one.churn, one.doubt,
                    one.expected_right, one.expected_at_wanted);
}
template <class Round, class Visit>
void visit_round(Round& round, Visit&& visit) {
  visit("round", round.round);
  visit("answers", round.answers);
  visit("positives", round.positives);
  visit("test", round.test);
  visit("validation", round.validation);
  visit("strategy", round.strategy);
  visit("exploration_probability", round.exploration_probability);
  visit("reward", round.reward);
  visit("query_seconds", round.query_seconds);
  visit("refit_seconds", round.refit_seconds);
  visit("seconds", round.seconds);
  visit("right", round.right);
  visit("progress", round.progress);
  visit("advice", round.advice);
}

template <class Value>
Json json_of(const Value& value) {
  if constexpr (std::same_as<Value, Metrics>) {
    Json list = Json::array({value.tests});
    visit_values(value, [&](std::string_view, double metric) { list.push_back(metric); });
    return list;
  } else if constexpr (kIsListed<Value>) {
    Json list = Json::array();
    std::apply([&](const auto&... field) { (list.push_back(field), ...); }, fields_of(value));
    return list;
  } else {
    return value;
  }
}
template <class Value>
void read_into(Value& value, const Json& json) {
  if constexpr (std::same_as<Value, Metrics>) {
    std::size_t place = 0;
    json.at(place++).get_to(value.tests);
    visit_values(value, [&](std::string_view, double& metric) { json.at(place++).get_to(metric); });
  } else if constexpr (kIsListed<Value>) {
    std::size_t place = 0;
    std::apply([&](auto&... field) { (json.at(place++).get_to(field), ...); }, fields_of(value));
  } else {
    json.get_to(value);
  }
}

Json json_of(const RoundResult& round) {
  Json json;
  visit_round(round, [&](const char* name, const auto& field) { json[name] = json_of(field); });
  return json;
}
RoundResult round_from(const Json& json) {
  RoundResult round;
  visit_round(round, [&](const char* name, auto& field) { read_into(field, json.at(name)); });
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
  ArchiveWriter archive(kept.path, kKind, kVersion);
  archive.put("settings", kept.settings.to_json());
  archive.put("contents", static_cast<std::int64_t>(kept.contents));
  archive.put("state", json.dump());
  if (aligner != nullptr) aligner->save(archive);
  archive.commit();
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
