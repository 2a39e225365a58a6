#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "experiments/jobs.h"

namespace dalaup {
namespace {

// Of one test user: its true partner with rank and probability, its first candidate and the
// probability of that; kNoUser without candidates.
struct Judged {
  UserPair pair;
  double rank = 0.0;
  double probability = 0.0;
  UserId first = kNoUser;
  double first_probability = 0.0;
};

std::vector<Judged> judge(const Aligner& aligner, std::span<const UserPair> test, Run& run) {
  std::vector<UserId> users;
  for (const UserPair& pair : test) users.push_back(pair.a);
  const RankedLists lists = aligner.best_candidates(Side::kA, users, 1, run);
  const std::vector<double> ranks = aligner.ranks(test, run);
  std::vector<Judged> judged;
  for (std::size_t i = 0; i < test.size(); ++i) {
    judged.push_back(
        {.pair = test[i], .rank = ranks[i], .probability = aligner.probability(test[i])});
    if (lists[i].candidates.empty()) continue;
    judged.back().first = lists[i].candidates.front().user;
    judged.back().first_probability = aligner.probability({test[i].a, judged.back().first});
  }
  return judged;
}

TestMatches named(const NetworkPair& networks, std::span<const Judged> judged) {
  TestMatches matches;
  for (const Judged& one : judged) {
    const std::string a(networks.a.name(one.pair.a));
    matches.true_pairs.push_back(
        {a, std::string(networks.b.name(one.pair.b)), one.probability, one.rank, one.rank <= 1.0});
    if (one.first == kNoUser) continue;
    matches.first_candidates.push_back({a, std::string(networks.b.name(one.first)),
                                        one.first_probability, 1.0, one.first == one.pair.b});
  }
  return matches;
}

}  // namespace

TestMatches judged_matches(const Aligner& aligner, std::span<const UserPair> test, Run& run) {
  return named(aligner.networks(), judge(aligner, test, run));
}

nlohmann::json matches_json(const Aligner& aligner, std::span<const UserPair> test, Run& run) {
  nlohmann::json json = nlohmann::json::array();
  for (const Judged& one : judge(aligner, test, run))
    json.push_back(
        {one.pair.a, one.pair.b, one.rank, one.probability, one.first, one.first_probability});
  return json;
}

namespace {

// Nothing when the job failed or kept none.
std::optional<TestMatches> matches_of(const ExperimentData& data, const nlohmann::json& result) {
  if (result.is_null() || !result.contains("matches")) return std::nullopt;
  std::vector<Judged> judged;
  for (const auto& one : result.at("matches"))
    judged.push_back({.pair = {one.at(0).get<UserId>(), one.at(1).get<UserId>()},
                      .rank = one.at(2).get<double>(),
                      .probability = one.at(3).get<double>(),
                      .first = one.at(4).get<UserId>(),
                      .first_probability = one.at(5).get<double>()});
  return named(data.networks, judged);
}

}  // namespace

void add_sureness(Report& report, const ExperimentData& data, const nlohmann::json& result,
                  const std::string& words) {
  if (const auto matches = matches_of(data, result))
    report.sections.push_back(sureness_section(words, *matches));
}

void begin_with_result(Report& report, const ExperimentData& data, const nlohmann::json& result,
                       const std::string& when, const std::vector<std::string>& verdicts) {
  const auto matches = matches_of(data, result);
  if (!matches) return;
  ReportSection section = test_result_section(
      *matches, when,
      {"dalaup info tells what to expect of your own files;",
       "dalaup train and dalaup predict give the pairs, dalaup new and dalaup label ask people."});
  if (!verdicts.empty())
    section.items.emplace_back(
        ReportText{fmt::format("precision@30: {}", fmt::join(verdicts, " "))});
  report.sections.insert(report.sections.begin(), std::move(section));
}

}  // namespace dalaup
