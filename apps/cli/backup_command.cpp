#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "study/study.h"

namespace dalaup {
namespace {

struct Options {
  std::string study;
  std::string copy;
};

void back_up(const Options& options, Session& session) {
  Study::open(options.study, Access::kRead).copy_to(options.copy);
  const Study copy = Study::open(options.copy, Access::kRead);
  const std::size_t entries = load_ledger(copy).entries().size();
  session.print("{}: a copy of {} with {} journal entries\n", options.copy, options.study,
                grouped(entries));
  session.summary()["entries"] = entries;
  session.summary()["hash"] = copy.journal_hash();
}

}  // namespace

void add_backup_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add("backup", "copies a study, also while it is being labelled");
  command.positional("STUDY", options->study, "study to copy");
  command.positional("FILE", options->copy, "the copy; must not exist yet");
  command.action([options](Session& session) { back_up(*options, session); });
}

}  // namespace dalaup
