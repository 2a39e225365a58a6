#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "study/study.h"

namespace dalaup {
namespace {

struct Options {
  std::string action;
  std::string study;
  std::string name;
  std::string role = "annotator";
};

void list_people(const Study& study, Session& session) {
  auto& people = session.summary()["people"];
  people = nlohmann::ordered_json::array();
  for (const Person& person : study.people()) {
    session.print("{}\t{}\t{}{}\n", person.name, name_of(person.role), person.since,
                  person.is_revoked ? "\trevoked" : "");
    people.push_back({{"name", person.name},
                      {"role", name_of(person.role)},
                      {"since", person.since},
                      {"is_revoked", person.is_revoked}});
  }
  if (people.empty())
    session.print("nobody: whoever reaches the study may answer, under any name\n");
}

void add_one(Study& study, const Options& options, Session& session) {
  const auto role = role_named(options.role);
  if (!role)
    throw ParameterError(fmt::format("--role: found {}, expected annotator, reviewer or owner",
                                     dalaup::quoted(options.role)));
  const std::string name = checked_annotator(options.name);
  const std::string token = study.add_person(name, *role);
  session.print("{} may answer as {}. Token, shown once: {}\n", name, name_of(*role), token);
  session.print("address: the one dalaup label prints, then ?token={}\n", token);
  session.summary()["name"] = name;
  session.summary()["role"] = name_of(*role);
  session.summary()["token"] = token;
}

void work(const Options& options, Session& session) {
  const bool only_reads = options.action == "list";
  if (options.action != "add" && options.action != "list" && options.action != "revoke")
    throw ParameterError(
        fmt::format("found {}, expected add, list or revoke", dalaup::quoted(options.action)),
        "dalaup annotators add STUDY NAME");
  if (only_reads != options.name.empty())
    throw ParameterError(only_reads ? "found a name, expected none with list"
                                    : "found no name, expected whom to " + options.action);
  Study study = Study::open(options.study, only_reads ? Access::kRead : Access::kPeople);
  if (only_reads) return list_people(study, session);
  if (options.action == "add") return add_one(study, options, session);
  study.revoke_person(checked_annotator(options.name));
  session.print("{} may no longer answer; what was answered stays\n", options.name);
  session.summary()["revoked"] = options.name;
}

}  // namespace

void add_annotators_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command =
      program.add("annotators", "says who may answer in a study: add, list or revoke");
  command.positional("ACTION", options->action, "what to do", "add|list|revoke");
  command.positional("STUDY", options->study, "study, also while it is being labelled");
  command.app().add_option("NAME", options->name, "whom to add or revoke")->type_name("");
  command.optional("role", options->role, "ROLE",
                   "annotator (answers), reviewer (settles disagreements too) or owner (imports "
                   "labels too)");
  command.action([options](Session& session) { work(*options, session); });
}

}  // namespace dalaup
