#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/label_input.h"
#include "cli/method_options.h"
#include "cli/pair_input.h"
#include "cli/same_files.h"
#include "evaluation/evaluation.h"
#include "labels/labels.h"

namespace dalaup {
namespace {

struct Options {
  PairOptions pair;
  std::string labels;
  LabelInput label_input;
  std::string from;
  std::string model;
  bool has_method = false;  // the user gave --method
};

void check(const Options& options, const Settings& given) {
  const auto require = [](const std::string& value, const char* name) {
    if (value.empty())
      throw ParameterError(fmt::format("dalaup train: --{} is required", name),
                           "dalaup train --help lists the options");
  };
  if (options.from.empty()) {
    require(options.pair.a, "a");
    require(options.pair.b, "b");
  } else if (!options.pair.a.empty() || !options.pair.b.empty() || options.has_method) {
    throw ParameterError(
        "dalaup train: found --from together with --a, --b or --method, expected --from alone",
        "a model holds its networks, its method and the labels it was trained on");
  } else if (given.find("checkpoint") != nullptr) {
    throw ParameterError("dalaup train: found --checkpoint together with --from, expected one",
                         "to learn on takes a part of the time; train anew with --a and --b to "
                         "keep a checkpoint");
  }
}

// Before learning, so that nobody waits for a result that the files give away.
void warn_of_file_order(const NetworkPair& networks, const LabelSet& labels, Run& run) {
  const FileOrder order = file_order(networks, labels.anchors());
  if (order.tells_partners()) run.warn(order.place_words());
  if (order.names_tell_partners()) run.warn(order.name_words());
}

void report(const Aligner& aligner, const Options& options, double seconds, Session& session) {
  const LabelSet& labels = aligner.labels();
  const FileOrder order = file_order(aligner.networks(), labels.anchors());
  session.print("{}: learned in {:.2f} s (anchor pairs: {}, other answers: {})\n", aligner.method(),
                seconds, labels.anchors().size(), labels.negatives().size());
  if (aligner.reads_file_order())
    session.print(
        "{} read users in the order of the files (--order file), where labelled partners' places "
        "have rank correlation {:.2f} beyond their degrees (by chance within {:.2f} of 0)\n",
        aligner.method(), order.beyond_degrees, order.chance);
  session.print("model: {}\n", options.model);
  session.print("next: dalaup predict --model {} --out ranked.tsv --matching matching.tsv\n",
                options.model);
  auto& summary = session.summary();
  summary["method"] = aligner.method();
  summary["settings"] = nlohmann::ordered_json::parse(aligner.settings().to_json());
  summary["users_a"] = aligner.networks().a.user_count();
  summary["users_b"] = aligner.networks().b.user_count();
  summary["anchors"] = labels.anchors().size();
  summary["negatives"] = labels.negatives().size();
  summary["place_rank_correlation"] = order.rank_correlation;
  summary["place_rank_correlation_beyond_degrees"] = order.beyond_degrees;
  summary["place_rank_correlation_by_chance"] = order.chance;
  summary["equal_names"] = order.equal_names;
  summary["reads_file_order"] = aligner.reads_file_order();
  summary["seconds"] = seconds;
  summary["model"] = options.model;
}

template <class Learn>
double seconds_of(Learn&& learn) {
  const auto started = std::chrono::steady_clock::now();
  learn();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

// Methods that ranks cannot share are learned by rank 0 while the others wait.
bool learns_here(const Aligner& aligner, const Run& run) {
  const Communicator& communicator = communicator_of(run);
  if (communicator.size() == 1 || aligner.fits_on_many_ranks()) return true;
  run.warn(fmt::format("{} learns on one rank, the other {} have nothing to do", aligner.method(),
                       communicator.size() - 1));
  return communicator.is_first();
}

void tell_of_checkpoint(const Settings& given, const Run& run) {
  const SettingValue* const checkpoint = given.find("checkpoint");
  const auto* const path = checkpoint == nullptr ? nullptr : std::get_if<std::string>(checkpoint);
  if (path != nullptr && file_exists(*path)) tell(run, "going on from " + *path);
}

// The labels of the model and the further ones together.
LabelSet joined(const LabelSet& known, const LabelSet& more, const Options& options,
                const NetworkPair& networks) {
  LabelSet labels = known;
  for_each_label(more, [&](UserPair pair, Label label) {
    add_label(labels, pair, label, networks, options.labels,
              "take the line out, or train anew with --a, --b and all labels");
  });
  return labels;
}

void learn_on(const Options& options, const MethodRegistry& registry, Session& session) {
  if (options.labels.empty())
    throw ParameterError("dalaup train: found --from without --labels, expected further labels");
  require_same_files({options.from, options.labels}, session.run());
  const Model model = load_model(options.from, registry);
  Aligner& aligner = *model.aligner;
  if (!learns_here(aligner, session.run())) return;
  const NetworkPair& networks = aligner.networks();
  const LabelSet labels = joined(
      aligner.labels(), read_labels(options.labels, networks, options.label_input, session.run()),
      options, networks);
  warn_of_file_order(networks, labels, session.run());
  const std::size_t before = aligner.labels().anchors().size();
  const double seconds = seconds_of([&] { aligner.refit(labels, session.run()); });
  save_model(options.model, aligner, session.run());
  session.print("{}: {} known before, {} new\n", options.from, counted(before, "anchor pair"),
                grouped(labels.anchors().size() - before));
  session.summary()["from"] = options.from;
  report(aligner, options, seconds, session);
}

void train(const Options& options, const MethodOptions& method, Session& session) {
  check(options, method.given());
  if (!options.from.empty()) return learn_on(options, method.registry(), session);
  const auto aligner = method.make();
  require_same_files({options.pair.a, options.pair.b, options.labels, options.pair.attributes_a,
                      options.pair.attributes_b, options.pair.similarity},
                     session.run());
  if (!learns_here(*aligner, session.run())) return;
  const NetworkPair networks = read_pair(options.pair, session.run());
  if (options.labels.empty() && networks.attributes == nullptr)
    throw ParameterError("found neither --labels nor attributes, expected one of them",
                         "give known pairs with --labels FILE, or names and other fields with "
                         "--attributes-a FILE --attributes-b FILE");
  const LabelSet labels =
      options.labels.empty()
          ? LabelSet(networks.a.user_count(), networks.b.user_count())
          : read_labels(options.labels, networks, options.label_input, session.run());
  warn_of_file_order(networks, labels, session.run());
  tell_of_checkpoint(method.given(), session.run());
  const double seconds = seconds_of([&] { aligner->fit(networks, labels, session.run()); });
  save_model(options.model, *aligner, session.run());
  report(*aligner, options, seconds, session);
}

}  // namespace

void add_train_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add("train", "learns from labelled pairs and saves a model");
  add_pair_options(command, options->pair, Command::Need::kOptional);
  command.group("Input");
  command.optional("labels", options->labels, "FILE",
                   "labelled pairs; may be left out where attributes suffice");
  command.optional(
      "from", options->from, "FILE",
      "learn on from this model, with its networks and labels, instead of --a and --b");
  add_label_options(command, options->label_input);
  command.output("model", options->model, "model to write, such as model.dalaup",
                 Command::Need::kRequired);
  const MethodOptions method(program, command);
  options->has_method = program.peek("method").has_value();
  command.run_on_all_ranks();
  command.action([options, method](Session& session) { train(*options, method, session); });
}

}  // namespace dalaup
