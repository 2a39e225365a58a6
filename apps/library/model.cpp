#include <fmt/format.h>

#include <algorithm>

#include "evaluation/evaluation.h"
#include "library/internals.h"
#include "predictions/predictions.h"

namespace dalaup::v1 {
namespace {

void require_pair(const NetworkPair& networks, UserId a, UserId b) {
  if (a >= networks.a.user_count() || b >= networks.b.user_count())
    throw core::InputError(
        fmt::format("found the pair ({}, {}), expected users of networks with "
                    "{} and {} users",
                    a, b, networks.a.user_count(), networks.b.user_count()));
}

std::vector<float> values_of(const Matrix& matrix) {
  return {matrix.data(), matrix.data() + matrix.size()};
}

Model model_of(core::Model loaded, const std::shared_ptr<OwnContext>& own) {
  return Internals::model(std::move(loaded.networks), std::move(loaded.aligner), own);
}

}  // namespace

Model Internals::model(std::shared_ptr<const NetworkPair> networks,
                       std::unique_ptr<Aligner> aligner, std::shared_ptr<OwnContext> own) {
  Model handle;
  handle.content_ = std::make_shared<Model::Content>(
      Model::Content{std::move(networks), std::move(aligner), std::move(own)});
  return handle;
}

Model Model::fit(const Networks& networks, std::span<const Label> labels, const Method& method,
                 const Control& control) {
  Operation operation(control);
  return operation.run([&](Run& run) {
    const auto own = std::make_shared<OwnContext>();
    std::unique_ptr<Aligner> aligner = make_aligner(method, registry_with(method.own, own));
    const std::shared_ptr<const NetworkPair> pair = pair_of(networks);
    *own = {&operation, pair};
    LabelSet known(pair->a.user_count(), pair->b.user_count());
    add_labels(known, labels, *pair);
    aligner->fit(*pair, known, run);
    return Internals::model(pair, std::move(aligner), own);
  });
}

void Model::refit(std::span<const Label> more, const Control& control) {
  Operation operation(control);
  operation.run([&](Run& run) {
    *content_->own = {&operation, content_->networks};
    LabelSet labels = content_->aligner->labels();
    add_labels(labels, more, *content_->networks);
    content_->aligner->refit(labels, run);
  });
}

std::vector<Ranked> Model::rank(const RankOptions& options, const Control& control) const {
  return operate(control, [&](Run& run) {
    const Aligner& aligner = *content_->aligner;
    const core::Side side = core_of(options.side);
    for (const UserId user : options.users)
      if (user >= aligner.networks().on(side).user_count())
        throw core::InputError(fmt::format("found user {}, expected less than {}", user,
                                           aligner.networks().on(side).user_count()));
    const RankedLists lists = aligner.best_candidates(
        side, options.users.empty() ? unanchored_users(aligner.labels(), side) : options.users,
        options.top, run);
    const RankedLists probabilities = probabilities_of(aligner, side, lists, run);
    std::vector<Ranked> rows;
    for (std::size_t i = 0; i < lists.size(); ++i)
      for (std::size_t place = 0; place < lists[i].candidates.size(); ++place)
        rows.push_back({lists[i].user, static_cast<std::uint32_t>(place + 1),
                        lists[i].candidates[place].user, lists[i].candidates[place].score,
                        probabilities[i].candidates[place].score});
    return rows;
  });
}

std::vector<Match> Model::match(const MatchOptions& options, const Control& control) const {
  return operate(control, [&](Run& run) {
    const MatchingParams params{.least_probability = options.least_probability};
    check_fields(params);
    std::vector<Match> matches;
    for (const PredictedPair& found : match_networks(*content_->aligner, options.top, params, run))
      matches.push_back({found.pair.a, found.pair.b, found.probability, found.margin,
                         static_cast<std::uint32_t>(found.rank_a),
                         static_cast<std::uint32_t>(found.rank_b)});
    return matches;
  });
}

double Model::probability(UserId a, UserId b) const {
  return operate({}, [&](Run&) {
    require_pair(*content_->networks, a, b);
    return content_->aligner->probability({a, b});
  });
}

Explanation Model::explain(UserId a, UserId b, std::size_t most_parts) const {
  return operate({}, [&](Run&) {
    require_pair(*content_->networks, a, b);
    const core::Explanation why = content_->aligner->explain({a, b}, most_parts);
    Explanation explanation{why.score, why.probability, {}, {}, why.words};
    for (const auto& part : why.parts)
      explanation.parts.push_back(
          {part.neighbours.a, part.neighbours.b, part.contribution, part.is_label});
    for (const auto& field : why.fields)
      explanation.fields.push_back({field.name, field.value_a, field.value_b, field.ratio});
    return explanation;
  });
}

std::vector<Unmatched> Model::unmatched() const {
  return operate({}, [&](Run&) {
    std::vector<Unmatched> users;
    for (const UnmatchedUser& one : unmatched_users(*content_->aligner))
      users.push_back({side_of(one.side), one.user, one.probability});
    return users;
  });
}

std::optional<Vectors> Model::vectors() const {
  return operate({}, [&](Run&) -> std::optional<Vectors> {
    const auto embeddings = content_->aligner->embeddings();
    if (!embeddings) return std::nullopt;
    return Vectors{static_cast<std::size_t>(embeddings->a.cols()), values_of(embeddings->a),
                   values_of(embeddings->b)};
  });
}

std::vector<std::pair<std::string, double>> Model::evaluate(std::span<const Label> truth,
                                                            const Control& control) const {
  return operate(control, [&](Run& run) {
    const Aligner& aligner = *content_->aligner;
    std::vector<UserPair> tests = anchors_in(truth, aligner.networks());
    std::erase_if(tests, [&](UserPair pair) {
      return aligner.labels().partner(core::Side::kA, pair.a) == pair.b;
    });
    if (tests.empty())
      throw core::InputError("truth: found no anchor pair that is not a label already");
    return named_values(metrics_of(aligner.ranks(tests, run)));
  });
}

std::string Model::method() const { return content_->aligner->method(); }
Settings Model::settings() const { return settings_of(content_->aligner->settings()); }
std::vector<Label> Model::labels() const { return labels_of(content_->aligner->labels()); }
Network Model::a() const {
  return Internals::network({content_->networks, &content_->networks->a});
}
Network Model::b() const {
  return Internals::network({content_->networks, &content_->networks->b});
}

void Model::save(const std::string& path) const {
  operate({}, [&](Run&) { save_model(path, *content_->aligner); });
}

Model Model::load(const std::string& path, const std::vector<OwnMethod>& own) {
  return operate({}, [&](Run&) {
    const auto context = std::make_shared<OwnContext>();
    return model_of(load_model(path, registry_with(own, context)), context);
  });
}

std::string Model::to_bytes() const {
  return operate({}, [&](Run&) { return model_bytes(*content_->aligner); });
}

Model Model::from_bytes(std::string bytes, const std::vector<OwnMethod>& own) {
  return operate({}, [&](Run&) {
    const auto context = std::make_shared<OwnContext>();
    return model_of(model_from_bytes(std::move(bytes), registry_with(own, context)), context);
  });
}

}  // namespace dalaup::v1
