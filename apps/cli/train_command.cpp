#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/method_options.h"
#include "labels/labels.h"

namespace dalaup {
namespace {

struct Options {
  PairOptions pair;
  std::string labels;
  std::string model;
};

void train(const Options& options, const MethodOptions& method, Session& session) {
  const auto aligner = method.make();
  const NetworkPair networks = read_pair(options.pair, session.run());
  const LabelSet labels = read_labels(options.labels, networks);
  const auto started = std::chrono::steady_clock::now();
  aligner->fit(networks, labels, session.run());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  save_model(options.model, *aligner);
  session.print("{}: learned in {:.2f} s (anchor pairs: {}, other answers: {})\n", method.method(),
                seconds, labels.anchors().size(), labels.negatives().size());
  session.print("model: {}\n", options.model);
  session.print("next: dalaup predict --model {} --out ranked.tsv --matching matching.tsv\n",
                options.model);
  auto& summary = session.summary();
  summary["method"] = method.method();
  summary["settings"] = nlohmann::ordered_json::parse(aligner->settings().to_json());
  summary["users_a"] = networks.a.user_count();
  summary["users_b"] = networks.b.user_count();
  summary["anchors"] = labels.anchors().size();
  summary["negatives"] = labels.negatives().size();
  summary["seconds"] = seconds;
  summary["model"] = options.model;
}

}  // namespace

void add_train_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add("train", "learns from labelled pairs and saves a model");
  add_pair_options(command, options->pair);
  command.required("labels", options->labels, "FILE", "labelled pairs");
  command.required("model", options->model, "FILE", "model to write, such as model.dalaup");
  const MethodOptions method(program, command);
  command.action([options, method](Session& session) { train(*options, method, session); });
}

}  // namespace dalaup
