#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "aligner/aligner.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "methods/methods.h"

namespace dalaup {
namespace {

struct ExplainParams {
  int parts = 10;
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, ExplainParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("parts", params.parts, 1, 1000000, "matched neighbour pairs listed at most");
}

struct Options {
  std::string model;
  std::vector<std::string> pair;
  ExplainParams params;
};

void explain(const Options& options, Session& session) {
  if (options.pair.size() != 2)
    throw ParameterError(fmt::format("--pair: found {}, expected two: a user of A and a user of B",
                                     counted(options.pair.size(), "name")),
                         "such as --pair alice bob; put names with spaces into quotes");
  const MethodRegistry registry = all_methods();
  const Model model = load_model(options.model, registry);
  const NetworkPair& networks = model.aligner->networks();
  if (networks.a.find(options.pair[0]) == kNoUser && networks.b.find(options.pair[0]) != kNoUser &&
      networks.a.find(options.pair[1]) != kNoUser)
    throw InputError("--pair", 0,
                     fmt::format("found {} of network B first, expected the user of A and then "
                                 "the one of B",
                                 dalaup::quoted(options.pair[0])),
                     "exchange the two names");
  const UserPair pair{require_user(networks.a, options.pair[0], Side::kA, "--pair", 0),
                      require_user(networks.b, options.pair[1], Side::kB, "--pair", 0)};
  const Explanation explanation =
      model.aligner->explain(pair, static_cast<std::size_t>(options.params.parts));
  session.print("{} and {}: score {:.4f}, probability {:.4f}\n", options.pair[0], options.pair[1],
                explanation.score, explanation.probability);
  session.print("{}\n", explanation.words);
  auto& summary = session.summary();
  summary["a"] = options.pair[0];
  summary["b"] = options.pair[1];
  summary["score"] = explanation.score;
  summary["probability"] = explanation.probability;
  summary["words"] = explanation.words;
  summary["parts"] = nlohmann::ordered_json::array();
  for (const Explanation::Part& part : explanation.parts) {
    const std::string_view name_a = networks.a.name(part.neighbours.a);
    const std::string_view name_b = networks.b.name(part.neighbours.b);
    session.print("{:6.1f} %  {} = {}{}\n", 100.0 * part.contribution, name_a, name_b,
                  part.is_label ? " (known)" : "");
    summary["parts"].push_back({{"a", name_a},
                                {"b", name_b},
                                {"contribution", part.contribution},
                                {"known", part.is_label}});
  }
  summary["fields"] = nlohmann::ordered_json::array();
  for (const Explanation::FieldPart& field : explanation.fields) {
    session.print("{:+6.1f}    {}{}\n", field.ratio, field.name,
                  field.value_a.empty() ? std::string()
                                        : fmt::format(": {} / {}", dalaup::quoted(field.value_a),
                                                      dalaup::quoted(field.value_b)));
    summary["fields"].push_back(
        {{"name", field.name}, {"a", field.value_a}, {"b", field.value_b}, {"ratio", field.ratio}});
  }
}

}  // namespace

void add_explain_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add("explain", "says why a pair scores as it does");
  command.group("Input");
  command.required("model", options->model, "FILE", "model written by train");
  command.app()
      .add_option("--pair", options->pair, "a user of A and a user of B")
      ->type_name("A B")
      ->group("Input")
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->required();
  command.group("Settings");
  command.fields(options->params);
  command.action([options](Session& session) { explain(*options, session); });
}

}  // namespace dalaup
