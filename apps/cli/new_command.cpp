#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "attributes/attributes.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/label_input.h"
#include "cli/method_options.h"
#include "cli/pair_input.h"
#include "cli/study_settings.h"
#include "study/study.h"

namespace dalaup {
namespace {

struct Options {
  std::string study;
  PairOptions pair;
  std::string labels;
  LabelInput label_input;
  std::string profiles_a;
  std::string profiles_b;
  bool profiles_only = false;
  std::string guidelines;
  PageParams page;
  LabellingParams params;
};

Settings settings_of(const Options& options, const MethodOptions& method, std::uint64_t seed) {
  Settings settings;
  settings.set("method", method.method());
  for (const auto& [name, value] : method.given()) settings.set(name, value);
  for (const auto& [name, value] : to_settings(options.params)) settings.set(name, value);
  for (const auto& [name, value] : to_settings(options.page)) settings.set(name, value);
  if (!options.guidelines.empty()) settings.set("guidelines", read_guidelines(options.guidelines));
  settings.set("seed", static_cast<std::int64_t>(seed));
  settings.set("profiles_only", options.profiles_only);
  settings.set("compare", options.pair.compare);
  return settings;
}

void start(const Options& options, const MethodOptions& method, Session& session) {
  method.make();  // complains about its settings before anything is written
  if (!options.pair.similarity.empty())
    throw ParameterError("--similarity: found a file of similarities, which a study does not keep",
                         "give names and other fields with --attributes-a and --attributes-b");
  if (!options.pair.attributes_a.empty() && !options.profiles_a.empty())
    throw ParameterError("found both --attributes-a and --profiles-a, expected one of them",
                         "a study's profiles are its attributes");
  PairOptions pair = options.pair;
  if (!pair.compare.empty() && pair.attributes_a.empty()) {
    pair.attributes_a = options.profiles_a;
    pair.attributes_b = options.profiles_b;
  }
  const NetworkPair networks = read_pair(pair, session.run());
  compared_fields(networks, session.run());  // complains about fields before anything is written
  Profiles profiles[2];
  const std::string& shown_a =
      options.profiles_a.empty() ? options.pair.attributes_a : options.profiles_a;
  const std::string& shown_b =
      options.profiles_b.empty() ? options.pair.attributes_b : options.profiles_b;
  const TableOptions form = options.pair.attribute_form.options;
  const auto read_shown = [&](const std::string& path, const Network& network) {
    std::string understood;
    Profiles read = read_profiles(path, network, session.run(), form, &understood);
    if (pair.attributes_a.empty()) tell(session.run(), fmt::format("{}: {}", path, understood));
    return read;
  };
  if (!shown_a.empty()) profiles[0] = read_shown(shown_a, networks.a);
  if (!shown_b.empty()) profiles[1] = read_shown(shown_b, networks.b);
  Study study = Study::create(options.study, networks, profiles[0], profiles[1],
                              settings_of(options, method, session.run().seed()));
  ImportReport report;
  if (!options.labels.empty()) {
    try {
      LineReader lines(options.labels);
      report = import_labels(study, lines, "import", options.label_input.options());
      tell_notes(session.run(), options.labels, report.notes,
                 static_cast<std::size_t>(report.added + report.known));
    } catch (...) {
      { const Study closed = std::move(study); }
      remove_study(options.study);
      throw;
    }
  }
  session.print("{}: a study of {} in A and {} in B, {} to begin with\n", options.study,
                counted(networks.a.user_count(), "user"), grouped(networks.b.user_count()),
                counted(static_cast<std::uint64_t>(report.added), "label"));
  if (!report.conflicts.empty())
    session.print("{} others and {} left out:\n{}",
                  counted(report.conflicts.size(), "label contradicts", "labels contradict"),
                  by_number(report.conflicts.size(), "was", "were"),
                  conflicts_in_words(report, networks));
  session.print("next: dalaup label {}\n", options.study);
  auto& summary = session.summary();
  summary["study"] = options.study;
  summary["users_a"] = networks.a.user_count();
  summary["users_b"] = networks.b.user_count();
  summary["labels"] = report.added;
  summary["conflicts"] = report.conflicts.size();
}

}  // namespace

void add_new_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add("new", "starts a labelling study");
  command.positional("STUDY", options->study, "study file to write, such as people.study");
  add_pair_options(command, options->pair);
  command.optional("labels", options->labels, "FILE", "pairs known already");
  add_label_options(command, options->label_input);
  command.group("Input");
  command.optional("profiles-a", options->profiles_a, "FILE",
                   "CSV shown with the users of A; its first column is the name");
  command.optional("profiles-b", options->profiles_b, "FILE", "the same for B");
  command.flag("profiles-only", options->profiles_only,
               "profiles are shown to people and not used as evidence");
  command.optional("guidelines", options->guidelines, "FILE",
                   "Markdown that people see beside questions");
  command.group("Settings");
  command.fields(options->page);
  command.fields(options->params);
  const MethodOptions method(program, command);
  command.action([options, method](Session& session) { start(*options, method, session); });
}

}  // namespace dalaup
