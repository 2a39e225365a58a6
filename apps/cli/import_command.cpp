#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/label_input.h"
#include "cli/study_settings.h"
#include "study/study.h"
#include "web/web.h"

namespace dalaup {
namespace {

struct Options {
  std::string study;
  std::string labels;
  std::string annotator = "import";
  LabelInput label_input;
};

// Through the server that labels the study: it alone may write.
// What a server takes: long paths lose their beginning.
std::string source_of(const std::string& path) {
  constexpr std::size_t kLongest = 1000;
  return path.size() <= kLongest ? path : path.substr(path.size() - kLongest);
}

void import_through(const ServerAddress& server, const Options& options, Session& session) {
  constexpr std::size_t kMostBytes = 700000;  // with quotes around, what a server takes at once
  const std::string labels = read_all(*open_bytes(options.labels));
  if (!is_utf8(labels))
    throw InputError(options.labels, 0, "found bytes that are not UTF-8, expected UTF-8 text");
  if (labels.size() > kMostBytes)
    throw InputError(options.labels, 0,
                     fmt::format("found {} bytes, expected at most {} while {} is being labelled",
                                 grouped(labels.size()), grouped(kMostBytes), options.study),
                     "import it in parts, or stop dalaup label first");
  HttpFields fields;
  if (!server.token.empty()) fields.emplace_back("Authorization", "Bearer " + server.token);
  const TableOptions table = options.label_input.table_options();
  const nlohmann::json request{{"labels", labels},
                               {"source", source_of(options.labels)},
                               {"annotator", options.annotator},
                               {"delimiter", table.delimiter},
                               {"header", table.header},
                               {"quotes", table.quotes},
                               {"columns", table.columns},
                               {"skip_unknown", options.label_input.skip_unknown ? "1" : ""},
                               {"ignore_case", options.label_input.ignore_case ? "1" : ""}};
  const HttpClientReply reply =
      HttpClient(server.host, server.port)
          .post("/api/import",
                request.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), fields);
  const auto said = nlohmann::ordered_json::parse(reply.body, nullptr, false);
  if (reply.status != 200)
    throw InputError(said.is_object() ? said.value("error", "") : "the server refused",
                     said.is_object() ? said.value("hint", "") : "");
  tell_notes(session.run(), options.labels,
             {.understood = said.value("understood", ""),
              .skipped = said.value("skipped", std::size_t{0}),
              .other_case = said.value("other_case", std::size_t{0})},
             said.at("added").get<std::size_t>() + said.at("known").get<std::size_t>());
  session.print("{} is being labelled: {} added, {} known already, {} contradicting\n",
                options.study, counted(said.at("added").get<std::size_t>(), "label"),
                said.at("known").get<std::size_t>(), said.at("conflicts").size());
  const auto in_words = [](const nlohmann::ordered_json& pair,
                           const nlohmann::ordered_json& label) {
    const auto name = [&](const char* side) {
      const auto found = pair.is_object() ? pair.find(side) : pair.end();
      return found == pair.end() || !found->is_object() ? std::string("*")
                                                        : dalaup::quoted(found->value("name", ""));
    };
    return fmt::format("({}, {}) {}", name("a"), name("b"), label.get<int>());
  };
  for (const auto& conflict : said.at("conflicts"))
    session.print("  line {}: {} contradicts {}\n", conflict.at("line").get<std::size_t>(),
                  in_words(conflict.at("pair"), conflict.at("label")),
                  in_words(conflict.at("earlier"), conflict.at("earlier_label")));
  for (const char* const count : {"added", "known", "conflicts"})
    session.summary()[count] = said.at(count);
}

void import_file(const Options& options, Session& session) {
  Study study = Study::open(options.study, Access::kLabel);
  LineReader lines(options.labels);
  const ImportReport report =
      import_labels(study, lines, options.annotator, options.label_input.options());
  tell_notes(session.run(), options.labels, report.notes,
             static_cast<std::size_t>(report.added + report.known));
  session.print("{}: {} added, {} known already, {} contradicting\n", options.study,
                counted(static_cast<std::uint64_t>(report.added), "label"), report.known,
                report.conflicts.size());
  session.print("{}", conflicts_in_words(report, study.networks()));
  auto& summary = session.summary();
  summary["added"] = report.added;
  summary["known"] = report.known;
  summary["conflicts"] = nlohmann::ordered_json::array();
  for (const ImportConflict& conflict : report.conflicts)
    summary["conflicts"].push_back({{"line", conflict.line},
                                    {"a", label_name(study.networks(), Side::kA, conflict.pair)},
                                    {"b", label_name(study.networks(), Side::kB, conflict.pair)},
                                    {"label", conflict.label == Label::kAnchor ? 1 : 0}});
}

}  // namespace

void add_import_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add("import", "adds labels to a study; lists contradictions");
  command.positional("STUDY", options->study, "study to add to");
  command.group("Input");
  command.required("labels", options->labels, "FILE", "labels to add");
  command.optional("annotator", options->annotator, "NAME", "whose labels these are");
  add_label_options(command, options->label_input);
  command.action([options](Session& session) {
    options->annotator = checked_annotator(options->annotator);
    try {
      import_file(*options, session);
    } catch (const StudyInUse&) {
      const auto server = server_of(options->study);
      if (!server) throw;
      import_through(*server, *options, session);
    }
  });
}

}  // namespace dalaup
