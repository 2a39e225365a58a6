#include "study/question_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "study/rows.h"

namespace dalaup {

using nlohmann::json;

std::string question_details(const StudyQuestion& question) {
  json ranks = json::array();
  for (const Standing& standing : question.standings)
    ranks.push_back({standing.rank_of_candidate, standing.rank_of_user});
  json rivals = json::array();
  for (const Rival& rival : question.rivals)
    rivals.push_back({name_of(rival.side), rival.user, rival.probability});
  json likely = json::array();
  for (const UserPair pair : question.likely_same) likely.push_back({pair.a, pair.b});
  json fields = json::array();
  for (const auto& shares : question.field_shares) {
    json& one = fields.emplace_back(json::array());
    for (const FieldShare& share : shares) one.push_back({share.field, share.ratio});
  }
  return json{{"candidates", question.question.candidates},
              {"probabilities", question.question.probabilities},
              {"ranks", ranks},
              {"rivals", rivals},
              {"likely_same", likely},
              {"fields", fields}}
      .dump();
}

namespace {

// get<UserId>() would cut a number that does not fit.
UserId id_of(const json& value) {
  const auto number = value.get<std::int64_t>();
  if (!value.is_number_integer() || number < 0 || number >= kNoUser)
    throw StudyDamage(fmt::format("found {}, expected the id of a user", value.dump()));
  return static_cast<UserId>(number);
}

}  // namespace

void read_question_details(const std::string& text, StudyQuestion& question) {
  try {
    const json details = json::parse(text);
    for (const json& candidate : details.at("candidates"))
      question.question.candidates.push_back(id_of(candidate));
    details.at("probabilities").get_to(question.question.probabilities);
    for (const json& rank : details.at("ranks"))
      question.standings.push_back({rank.at(0).get<double>(), rank.at(1).get<double>()});
    for (const json& rival : details.at("rivals"))
      question.rivals.push_back({rival.at(0) == "A" ? Side::kA : Side::kB, id_of(rival.at(1)),
                                 rival.at(2).get<double>()});
    for (const json& pair : details.at("likely_same"))
      question.likely_same.push_back({id_of(pair.at(0)), id_of(pair.at(1))});
    // Not in studies that were begun before fields had shares.
    for (const json& shares : details.value("fields", json::array())) {
      auto& one = question.field_shares.emplace_back();
      for (const json& share : shares)
        one.push_back({share.at(0).get<std::string>(), share.at(1).get<double>()});
    }
  } catch (const json::exception& error) {
    throw StudyDamage(
        fmt::format("question {}: found damaged details: {}", question.id, error.what()));
  }
}

}  // namespace dalaup
