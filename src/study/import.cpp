#include <fmt/format.h>

#include "study/import.h"
#include "study/labelling_session.h"

namespace dalaup {
namespace {

struct ImportLine {
  UserPair pair;
  Label label = Label::kAnchor;
  std::size_t line = 0;
};

// A labels file in any table that can be understood (docs/use/files.md). read_labels stops at the
// first contradiction; here all of them are wanted.
std::vector<ImportLine> parse_labels(LineReader& lines, const NetworkPair& networks) {
  std::string text;
  for (std::string_view line; lines.next(line);) {
    text += line;
    text += '\n';
  }
  LabelReader rows(bytes_of(text), lines.name());
  std::vector<ImportLine> found;
  for (LabelRow row; rows.next(row);)
    found.push_back({.pair = {require_user(networks.a, row.a, Side::kA, rows.name(), row.line),
                              require_user(networks.b, row.b, Side::kB, rows.name(), row.line)},
                     .label = row.label,
                     .line = row.line});
  return found;
}

}  // namespace

ImportReport import_into(Ledger& ledger, const NetworkPair& networks, LineReader& lines,
                         const std::string& annotator, std::vector<JournalEntry>& taken) {
  ImportReport report;
  const std::string now = utc_now();
  for (const ImportLine& one : parse_labels(lines, networks)) {
    const bool said_itself = one.label == Label::kAnchor
                                 ? ledger.labels().answer(one.pair) == Label::kAnchor
                                 : ledger.labels().is_negative(one.pair);
    if (said_itself) {
      ++report.known;
      continue;
    }
    JournalEntry entry{.id = ledger.next_id(),
                       .at = now,
                       .kind = EntryKind::kImport,
                       .annotator = annotator,
                       .reply = one.label == Label::kAnchor ? Reply::kYes : Reply::kNo,
                       .pair = one.pair,
                       .refused = {},
                       .source = lines.name()};
    if (const auto refusal = ledger.add(entry)) {
      report.conflicts.push_back({.line = one.line,
                                  .pair = one.pair,
                                  .label = one.label,
                                  .earlier = refusal->pair,
                                  .earlier_label = refusal->label});
      continue;
    }
    taken.push_back(std::move(entry));
    ++report.added;
  }
  return report;
}

ImportReport import_labels(Study& study, LineReader& lines, const std::string& annotator) {
  Ledger ledger = load_ledger(study);
  std::vector<JournalEntry> taken;
  ImportReport report = import_into(ledger, study.networks(), lines, annotator, taken);
  if (!taken.empty()) study.append(taken);
  return report;
}

ImportReport LabellingSession::import_labels(LineReader& lines, const std::string& annotator) {
  Lock lock(mutex_);
  std::vector<JournalEntry> taken;
  ImportReport report = import_into(ledger_, study_.networks(), lines, annotator, taken);
  if (!taken.empty()) {
    journal_.write(taken, lock);
    changed();
  }
  return report;
}

Outcome LabellingSession::enter(const std::string& annotator, UserPair pair, Reply reply,
                                const std::string& request) {
  Lock lock(mutex_);
  if (auto outcome = repeated(annotator, request, lock)) return *outcome;
  const NetworkPair& networks = study_.networks();
  const bool is_known = pair.a < networks.a.user_count() && pair.b < networks.b.user_count();
  if (!is_known || (reply != Reply::kYes && reply != Reply::kNo)) {
    const Refusal refusal{.kind = Refusal::Kind::kUnknown, .pair = {}};
    return {.message = "There is no such pair.", .refusal = refusal};
  }
  if (ledger_.labels().answer(pair) == (reply == Reply::kYes ? Label::kAnchor : Label::kNotAnchor))
    return {.is_taken = true, .message = "That is known already.", .refusal = {}};
  return take({{.at = {},
                .kind = EntryKind::kImport,
                .annotator = annotator,
                .reply = reply,
                .pair = pair,
                .refused = {},
                .source = "search",
                .request = request}},
              lock);
}

}  // namespace dalaup
