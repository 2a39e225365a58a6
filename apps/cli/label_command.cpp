#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/study_settings.h"
#include "cli/terminal_labelling.h"
#include "study/study.h"
#include "web/web.h"

namespace dalaup {
namespace {

struct ServeParams {
  int port = 8080;
  std::string host = "127.0.0.1";
  std::string known_as;
  std::string annotator;
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, ServeParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("port", params.port, 0, 65535, "port to listen on; 0: any free one");
  visit("host", params.host, Choices{},
        "address to listen on; any but this machine's own needs the printed access token");
  visit("known_as", params.known_as, Choices{}, "further host name browsers may use");
  visit("annotator", params.annotator, Choices{}, "name of the person who answers");
}

struct Options {
  std::string study;
  bool terminal = false;
  std::string guidelines;
  ServeParams serve;
  std::shared_ptr<Settings> given = std::make_shared<Settings>();
};

std::string name_of_user(const std::string& given) {
  if (!given.empty()) return given;
  const char* const user = std::getenv("USER");
  return user != nullptr && *user != '\0' ? user : "me";
}

void serve(const Options& options, LabellingSession& labelling, Session& session) {
  const Settings& settings = labelling.study().settings();
  WebOptions web{.host = options.serve.host,
                 .port = options.serve.port,
                 .known_as = {},
                 .annotator = options.serve.annotator.empty()
                                  ? std::string()
                                  : checked_annotator(options.serve.annotator),
                 .page = page_params_of(settings, *options.given),
                 .guidelines = options.guidelines.empty() ? text_setting(settings, "guidelines")
                                                          : read_guidelines(options.guidelines)};
  if (!options.serve.known_as.empty()) web.known_as.push_back(options.serve.known_as);
  const WebServer server(labelling, web);
  session.print("open {}\n", server.address());
  if (!server.token().empty())
    session.print("everybody with this address may answer; it is not encrypted\n");
  session.print("Ctrl-C stops; every answer is kept at once\n");
  std::fflush(stdout);
  while (!session.run().is_cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

void label(const Options& options, Session& session) {
  Study study = Study::open(options.study, Access::kLabel);
  LabellingParams params = labelling_params_of(study.settings());
  apply_settings(params, *options.given);
  LabellingSession labelling(
      study, method_of(study.settings()),
      {.params = params, .threads = session.run().threads(), .seed = seed_of(study.settings())});
  if (options.terminal)
    label_in_terminal(labelling, checked_annotator(name_of_user(options.serve.annotator)),
                      page_params_of(study.settings(), *options.given), session.run());
  else
    serve(options, labelling, session);
  const Status status = labelling.status();
  session.print("{}: {}, {} of them yes; {} known\n", options.study,
                counted(static_cast<std::uint64_t>(status.counts.answers), "answer"),
                grouped(static_cast<std::uint64_t>(status.counts.yes)),
                counted(status.anchors, "pair"));
  session.print("next: dalaup export {} --labels labels.tsv --matching matching.tsv\n",
                options.study);
  auto& summary = session.summary();
  summary["answers"] = status.counts.answers;
  summary["yes"] = status.counts.yes;
  summary["anchors"] = status.anchors;
}

}  // namespace

void add_label_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add("label", "asks people, in the browser or in the terminal");
  command.positional("STUDY", options->study, "study to work on");
  command.flag("terminal", options->terminal, "ask here, with single keys");
  command.fields(options->serve);
  command.optional("guidelines", options->guidelines, "FILE",
                   "Markdown shown beside questions, instead of the study's own");
  command.offer(describe_fields(PageParams{}), options->given);
  command.offer(describe_fields(LabellingParams{}), options->given);
  command.action([options](Session& session) { label(*options, session); });
}

}  // namespace dalaup
