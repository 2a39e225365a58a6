#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "study/study.h"

namespace dalaup {
namespace {

void check(const std::string& path, Session& session) {
  const Study study = Study::open(path, Access::kRead);
  study.check();
  const Ledger ledger = load_ledger(study);
  const LedgerCounts counts = ledger.counts();
  const std::string hash = study.journal_hash();
  session.print("{}: sound; {} + {} users, {}\n", path, grouped(study.networks().a.user_count()),
                grouped(study.networks().b.user_count()), counted(study.rounds().size(), "round"));
  session.print("journal: {}, {} and {} in force\n",
                counted(ledger.entries().size(), "entry", "entries"),
                counted(static_cast<std::uint64_t>(counts.answers), "answer"),
                counted(static_cast<std::uint64_t>(counts.imported), "imported label"));
  if (!hash.empty()) session.print("hash of the journal: {}\n", hash);
  auto& summary = session.summary();
  summary["entries"] = ledger.entries().size();
  summary["answers"] = counts.answers;
  summary["imported"] = counts.imported;
  summary["hash"] = hash;
}

}  // namespace

void add_check_command(Program& program) {
  auto study = std::make_shared<std::string>();
  Command& command =
      program.add("check", "checks a study: file, tables, every entry of the journal");
  command.positional("STUDY", *study, "study to check");
  command.action([study](Session& session) { check(*study, session); });
}

}  // namespace dalaup
