#include "methods/methods.h"

#include <fmt/format.h>

#include <algorithm>

#include "embedding/embedding.h"
#include "library/internals.h"

namespace dalaup::v1 {
namespace {

Matrix matrix_of(const std::vector<float>& values, std::size_t users, std::size_t dimensions,
                 const std::string& method) {
  if (dimensions == 0 || values.size() != users * dimensions)
    throw core::StateError(
        fmt::format("method {}: found {} numbers, expected {} users times {} dimensions",
                    quoted(method), values.size(), users, dimensions));
  return Eigen::Map<const Matrix>(values.data(), index(users), index(dimensions));
}

// A method that somebody else wrote, as every other method that has vectors.
class OwnAligner final : public EmbeddingAligner {
 public:
  OwnAligner(OwnMethod own, core::Settings settings, std::shared_ptr<OwnContext> context)
      : EmbeddingAligner(0.25),
        own_(std::move(own)),
        settings_(std::move(settings)),
        context_(std::move(context)) {}
  std::string method() const override { return own_.name; }
  core::Settings settings() const override { return settings_; }

 protected:
  Embeddings train(const NetworkPair& networks, const LabelSet& labels, Run& run) override {
    Vectors vectors;
    context_->operation->on_caller([&] {
      vectors = own_.learn(networks_of(context_->networks), labels_of(labels),
                           settings_of(settings_), run.seed());
    });
    run.throw_if_cancelled();
    return {matrix_of(vectors.a, networks.a.user_count(), vectors.dimensions, own_.name),
            matrix_of(vectors.b, networks.b.user_count(), vectors.dimensions, own_.name)};
  }

 private:
  OwnMethod own_;
  core::Settings settings_;
  std::shared_ptr<OwnContext> context_;
};

}  // namespace

core::Settings core_of(const Settings& settings) {
  core::Settings all;
  for (const auto& [name, value] : settings) all.set(name, value);
  return all;
}

Settings settings_of(const core::Settings& settings) { return {settings.begin(), settings.end()}; }

std::vector<SettingInfo> infos_of(std::span<const FieldInfo> fields) {
  std::vector<SettingInfo> infos;
  for (const FieldInfo& field : fields)
    infos.push_back(
        {field.name, field.value, field.lowest, field.highest, field.choices, field.help});
  return infos;
}

void require_known(const Settings& settings, std::span<const FieldInfo> fields,
                   const std::string& of_whom) {
  std::vector<std::string> known;
  for (const FieldInfo& field : fields) known.push_back(field.name);
  for (const auto& [name, value] : settings)
    if (std::ranges::find(known, name) == known.end())
      throw core::ParameterError(
          fmt::format("found setting {}, expected one of {}", quoted(name), of_whom),
          suggestion(name, known));
}

MethodRegistry registry_with(const std::vector<OwnMethod>& own,
                             const std::shared_ptr<OwnContext>& context) {
  MethodRegistry registry = all_methods();
  for (const OwnMethod& method : own)
    registry.add({.name = method.name,
                  .summary = "the caller's own",
                  .fields = {},
                  .make = [method, context](const core::Settings& settings) {
                    return std::make_unique<OwnAligner>(method, settings, context);
                  }});
  return registry;
}

std::unique_ptr<Aligner> make_aligner(const Method& method, const MethodRegistry& registry) {
  const bool is_own =
      std::ranges::find(method.own, method.name, &OwnMethod::name) != method.own.end();
  if (!is_own) {
    const auto given = method.settings.find("preset");
    const std::string preset =
        given == method.settings.end() || !std::holds_alternative<std::string>(given->second)
            ? ""
            : std::get<std::string>(given->second);
    require_known(method.settings, registry.find(method.name, preset).fields_with(preset),
                  method.name);
  }
  return registry.make(method.name, core_of(method.settings));
}

std::vector<core::OwnStrategy> strategies_with(const std::vector<OwnStrategy>& own,
                                               const std::shared_ptr<OwnContext>& context) {
  std::vector<core::OwnStrategy> all;
  for (const OwnStrategy& strategy : own)
    all.push_back({strategy.name, [strategy, context](std::span<const CandidatePair> pairs) {
                     std::vector<AskablePair> askable;
                     for (const CandidatePair& one : pairs)
                       askable.push_back({one.pair.a, one.pair.b, one.score, one.probability});
                     std::vector<double> values;
                     context->operation->on_caller([&] { values = strategy.values(askable); });
                     return values;
                   }});
  return all;
}

const char* version() { return DALAUP_VERSION; }

std::vector<MethodInfo> methods() {
  std::vector<MethodInfo> infos;
  const MethodRegistry registry = all_methods();
  for (const MethodRegistry::Method& method : registry.all())
    infos.push_back({method.name, method.summary, infos_of(method.fields)});
  return infos;
}

std::vector<StrategyInfo> strategies() {
  std::vector<StrategyInfo> infos;
  for (const StrategySummary& strategy : query_strategies())
    infos.push_back({strategy.name, strategy.summary});
  return infos;
}

}  // namespace dalaup::v1
