#include <fmt/format.h>

#include <algorithm>

#include "generate/generate.h"
#include "library/internals.h"

namespace dalaup::v1 {

struct Asking::Content {
  Model model;
  Interview interview;
  std::vector<core::Question> asked = {};
  std::vector<Question> shown = {};

  void answer(std::size_t question, const Answer& answer) {
    operate({}, [&](Run&) {
      if (question >= asked.size())
        throw core::StateError(
            fmt::format("found question {}, expected one of a batch of {}", question, asked.size()),
            "call next() first");
      interview.answer(asked[question], answer);
    });
  }
};

Asking::Asking(const Model& model, const AskOptions& options) {
  content_ = operate({}, [&](Run&) {
    const auto& own = Internals::of(model).own;
    QueryParams query{.questions = options.questions,
                      .candidates_per_question = options.candidates};
    query.own = strategies_with(options.own, own);
    const InterviewParams params{
        .strategy = options.strategy, .arms = options.arms, .batch_size = options.batch_size};
    return std::make_shared<Content>(
        Content{model, Interview(*Internals::of(model).aligner, params, query, {})});
  });
}

void Asking::learn(const Control& control) {
  Operation operation(control);
  const auto& model = Internals::of(content_->model);
  *model.own = {&operation, model.networks};
  operation.run([&](Run& run) { content_->interview.learn(run); });
}

const std::vector<Question>& Asking::next(const Control& control) {
  Operation operation(control);
  Content& content = *content_;
  const auto& model = Internals::of(content.model);
  *model.own = {&operation, model.networks};
  content.asked = operation.run([&](Run& run) { return content.interview.next(run); });
  content.shown.clear();
  for (const core::Question& question : content.asked)
    content.shown.push_back({side_of(question.side), question.user, question.candidates,
                             question.probabilities, shown_strategy(question.strategy),
                             form_of(question).words(question, *model.networks)});
  return content.shown;
}

void Asking::answer_yes(std::size_t question, std::size_t candidate) {
  content_->answer(question, Answer::yes(candidate));
}
void Asking::answer_no(std::size_t question) { content_->answer(question, Answer::no()); }
void Asking::skip(std::size_t question) { content_->answer(question, Answer::skip()); }
std::string Asking::advice() const { return content_->interview.advice().words(); }

namespace {

bool is_on(const Settings& settings, const std::string& name) {
  const auto found = settings.find(name);
  return found != settings.end() && found->second == Value(true);
}

struct SimulationFields {
  SimulationParams params = {};
  QueryParams query = {};
  PlanParams plan = {};

  std::vector<FieldInfo> all() const {
    std::vector<FieldInfo> fields = describe_fields(params);
    for (const auto& more : {describe_fields(query), describe_fields(plan)})
      fields.insert(fields.end(), more.begin(), more.end());
    fields.push_back({.name = "trust_no",
                      .alias = "",
                      .value = false,
                      .choices = {},
                      .help = "a \"no\" becomes a label, not only a pair not to ask"});
    return fields;
  }
  void apply(const Settings& settings) {
    require_known(settings, all(), "simulate");
    const core::Settings given = core_of(settings);
    apply_settings(params, given);
    apply_settings(query, given);
    apply_settings(plan, given);
  }
  // As they stand in settings.toml.
  core::Settings kept() const {
    core::Settings settings = to_settings(params);
    for (const auto& more : {to_settings(query), to_settings(plan)})
      for (const auto& [name, value] : more) settings.set(name, value);
    return settings;
  }
};

std::vector<CurvePoint> curve_of(const std::vector<SimulatedRun>& runs) {
  std::vector<CurvePoint> curve;
  for (const SimulatedRun& run : runs)
    for (const RoundResult& round : run.state.rounds)
      curve.push_back({run.strategy, run.repeat, round.round, round.answers, round.positives,
                       round.test.precision, round.test.map, round.test.hits_1, round.test.hits_10,
                       round.test.mrr, round.seconds});
  return curve;
}

}  // namespace

std::vector<SettingInfo> simulation_settings() { return infos_of(SimulationFields{}.all()); }

std::vector<CurvePoint> simulate(const Networks& networks, std::span<const Label> truth,
                                 const Simulation& simulation, const Control& control) {
  Operation operation(control);
  return operation.run([&](Run& run) {
    const auto own = std::make_shared<OwnContext>();
    SimulationFields fields;
    fields.apply(simulation.settings);
    fields.query.own = strategies_with(simulation.own, own);
    const MethodRegistry registry = registry_with(simulation.method.own, own);
    const auto make = [&] { return make_aligner(simulation.method, registry); };
    const std::shared_ptr<const NetworkPair> pair = pair_of(networks);
    *own = {&operation, pair};
    const std::vector<UserPair> anchors = anchors_in(truth, *pair);
    const auto chose = [&](const char* name) { return simulation.settings.contains(name); };
    if (!chose("initial") && !chose("validation") && !chose("test"))
      scale_to_truth(fields.params, anchors.size(), run);
    const bool trusts =
        is_on(simulation.settings, "trust_no") || is_on(simulation.method.settings, "trust_no");
    core::Settings settings = fields.kept();
    settings.set("method", simulation.method.name);
    for (const auto& [name, value] : make()->settings()) settings.set(name, value);
    settings.set("trust_no", trusts);
    return curve_of(core::simulate({.networks = *pair,
                                    .truth = anchors,
                                    .params = fields.params,
                                    .query = fields.query,
                                    .plan = fields.plan,
                                    .trust_no = trusts,
                                    .make_aligner = make,
                                    .settings = settings,
                                    .folder = simulation.folder},
                                   run));
  });
}

Generated generate(const Settings& settings, const Control& control) {
  return operate(control, [&](Run& run) {
    GeneratorParams params;
    require_known(settings, describe_fields(params), "generate");
    apply_settings(params, core_of(settings));
    GeneratedPair made = generate_pair(params, run);
    const auto labels_of_pairs = [](std::span<const UserPair> pairs) {
      std::vector<Label> labels;
      for (const UserPair pair : pairs) labels.push_back({pair.a, pair.b});
      return labels;
    };
    return Generated{networks_of(std::make_shared<const NetworkPair>(std::move(made.networks))),
                     labels_of_pairs(made.truth), labels_of_pairs(made.labels)};
  });
}

}  // namespace dalaup::v1
