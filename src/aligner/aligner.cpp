#include "aligner/aligner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dalaup {
namespace {

constexpr std::size_t kUsersPerPiece = 16;

std::vector<float> whole_row(const Aligner& aligner, Side side, UserId user) {
  std::vector<float> scores(aligner.networks().on(other(side)).user_count());
  aligner.score_row(side, user, scores);
  return scores;
}

}  // namespace

float Aligner::score(UserPair pair) const { return whole_row(*this, Side::kA, pair.a)[pair.b]; }

RankedLists Aligner::best_candidates(Side side, std::span<const UserId> users, std::size_t top,
                                     Run& run) const {
  const std::vector<bool> open = open_users(labels(), other(side));
  const Task task(run, "ranking", users.size());
  RankedLists lists(users.size());
  run.for_pieces(users.size(), kUsersPerPiece, [&](const Piece& piece) {
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      const UserId user = users[i];
      std::vector<bool> allowed = open;
      for (UserId candidate = 0; candidate < allowed.size() && !labels().negatives().empty();
           ++candidate)
        if (labels().is_negative(pair_of(side, user, candidate))) allowed[candidate] = false;
      lists[i] = {user, best_of_row(whole_row(*this, side, user), top, allowed)};
    }
  });
  return lists;
}

std::vector<double> Aligner::ranks(std::span<const UserPair> pairs, Run& run) const {
  const std::vector<bool> open = open_users(labels(), Side::kB);
  std::vector<double> ranks(pairs.size());
  run.for_pieces(pairs.size(), kUsersPerPiece, [&](const Piece& piece) {
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      const std::vector<float> scores = whole_row(*this, Side::kA, pairs[i].a);
      const float own = scores[pairs[i].b];
      double rank = 1.0;
      for (UserId user = 0; user < scores.size(); ++user) {
        if ((!open[user] && labels().is_anchored(Side::kB, user)) || user == pairs[i].b) continue;
        if (!std::isfinite(scores[user]) || !std::isfinite(own))
          throw StateError(fmt::format("{}: found a score that is not finite", method()));
        rank += scores[user] > own ? 1.0 : scores[user] == own ? 0.5 : 0.0;
      }
      ranks[i] = rank;
    }
  });
  return ranks;
}

void Aligner::probability_row(Side side, UserId user, std::span<float> probabilities) const {
  for (UserId partner = 0; partner < probabilities.size(); ++partner)
    probabilities[partner] = static_cast<float>(probability(pair_of(side, user, partner)));
}

std::vector<float> Aligner::pair_features(UserPair pair) const {
  const double likely = std::clamp(probability(pair), 1e-9, 1.0 - 1e-9);
  return {static_cast<float>(std::log(likely) - std::log1p(-likely)),
          std::log1p(static_cast<float>(networks().a.degree(pair.a))),
          std::log1p(static_cast<float>(networks().b.degree(pair.b)))};
}

std::vector<double> Aligner::negative_information(Side side, Run& run) const {
  constexpr float kMostCertain = 1.0F - 1e-6F;  // float rows cannot tell 1 - 1e-9 from 1
  const UserId users = networks().on(side).user_count();
  const UserId others = networks().on(other(side)).user_count();
  const std::vector<bool> open = open_users(labels(), other(side));
  std::vector<double> sums(users, 0.0);
  run.for_pieces(users, kUsersPerPiece, [&](const Piece& piece) {
    std::vector<float> row(others);
    for (std::size_t place = piece.begin; place < piece.end; ++place) {
      const auto user = static_cast<UserId>(place);
      if (!labels().is_open(side, user)) continue;
      probability_row(side, user, row);
      double sum = 0.0;
      for (UserId partner = 0; partner < others; ++partner)
        if (open[partner] && !labels().is_negative(pair_of(side, user, partner)))
          sum -= std::log1p(-std::min(row[partner], kMostCertain));
      sums[user] = sum;
    }
  });
  return sums;
}

Explanation Aligner::explain(UserPair pair, std::size_t) const {
  return {.score = score(pair),
          .probability = probability(pair),
          .parts = {},
          .words = fmt::format("{} scores this pair from its representations of the two users; "
                               "it has no parts to show.",
                               method())};
}

void MethodRegistry::add(Method method) { methods_.push_back(std::move(method)); }

std::vector<std::string> MethodRegistry::names() const {
  std::vector<std::string> names;
  for (const auto& method : methods_) names.push_back(method.name);
  return names;
}

const std::vector<FieldInfo>& MethodRegistry::Method::fields_with(const std::string& preset) const {
  const auto found = fields_of_preset.find(preset);
  return found == fields_of_preset.end() ? fields : found->second;
}

void MethodRegistry::add_former_preset(const std::string& method, const std::string& preset,
                                       const std::string& name) {
  former_presets_[{method, preset}] = name;
}

std::unique_ptr<Aligner> MethodRegistry::make(const std::string& name,
                                              const Settings& settings) const {
  const SettingValue* const preset = settings.find("preset");
  const bool is_text = preset != nullptr && std::holds_alternative<std::string>(*preset);
  return find(name, is_text ? std::get<std::string>(*preset) : "").make(settings);
}

const MethodRegistry::Method& MethodRegistry::find(const std::string& name,
                                                   const std::string& preset) const {
  const auto former = former_presets_.find({name, preset});
  if (former != former_presets_.end()) return find(former->second);
  for (const auto& method : methods_)
    if (method.name == name) return method;
  const auto known = names();
  throw ParameterError(
      fmt::format("unknown method \"{}\"; known: {}", name, fmt::join(known, ", ")),
      suggestion(name, known));
}

MethodRegistry::Method MethodRegistry::variant(const std::string& text) const {
  std::size_t colon = text.find(':');
  const std::string name_of_method = text.substr(0, colon);
  const std::size_t preset_at = text.find(":preset=");
  const std::string preset =
      preset_at == text.npos
          ? ""
          : text.substr(preset_at + 8, text.find(':', preset_at + 8) - preset_at - 8);
  Method method = find(name_of_method, preset);
  Settings chosen;
  while (colon != text.npos) {
    const std::size_t next = text.find(':', colon + 1);
    const std::string setting = text.substr(colon + 1, next - colon - 1);
    const std::size_t equals = setting.find('=');
    if (equals == setting.npos)
      throw ParameterError(fmt::format("{}: found \"{}\", expected NAME=VALUE", text, setting),
                           "such as deepwalk:align=procrustes");
    std::string name = setting.substr(0, equals);
    std::ranges::replace(name, '-', '_');
    if (name == "preset" && method.name != name_of_method) {  // that is what the method was once
      colon = next;
      continue;
    }
    const auto field = std::ranges::find_if(method.fields, [&](const FieldInfo& candidate) {
      return candidate.name == name || candidate.alias == name;
    });
    if (field == method.fields.end()) {
      std::vector<std::string> known;
      for (const FieldInfo& candidate : method.fields) known.push_back(candidate.name);
      throw ParameterError(fmt::format("{}: {} has no setting \"{}\"", text, method.name, name),
                           suggestion(name, known));
    }
    chosen.set(field->name, parse_setting(*field, setting.substr(equals + 1), text));
    colon = next;
  }
  method.name = text;
  method.make = [make = method.make, chosen](const Settings& settings) {
    Settings all = chosen;
    for (const auto& [name, value] : settings) all.set(name, value);
    return make(all);
  };
  return method;
}

}  // namespace dalaup
