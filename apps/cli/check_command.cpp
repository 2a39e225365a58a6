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
  session.print("{}: sound; {} + {} users, {} rounds\n", path,
                grouped(study.networks().a.user_count()), grouped(study.networks().b.user_count()),
                study.rounds().size());
  session.print("journal: {} entries, {} answers and {} imported labels in force\n",
                grouped(ledger.entries().size()),
                grouped(static_cast<std::uint64_t>(counts.answers)),
                grouped(static_cast<std::uint64_t>(counts.imported)));
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
