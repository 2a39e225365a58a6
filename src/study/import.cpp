#include "study/import.h"

namespace dalaup {
namespace {

// read_labels stops at the first contradiction; here all of them are wanted.
std::vector<FoundLabel> labels_of(LineReader& lines, const NetworkPair& networks,
                                  const LabelOptions& options, LabelNotes& notes) {
  std::string text;
  for (std::string_view line; lines.next(line);) {
    text += line;
    text += '\n';
  }
  LabelReader rows(bytes_of(text), lines.name(), options.table);
  return find_labels(rows, networks, options, &notes);
}

}  // namespace

ImportReport import_into(Ledger& ledger, const NetworkPair& networks, LineReader& lines,
                         const std::string& annotator, std::vector<JournalEntry>& taken,
                         const LabelOptions& options) {
  ImportReport report;
  const std::string now = utc_now();
  for (const FoundLabel& one : labels_of(lines, networks, options, report.notes)) {
    if (is_given(ledger.labels(), one.pair, one.label)) {
      ++report.known;
      continue;
    }
    JournalEntry entry{.id = ledger.next_id(),
                       .at = now,
                       .kind = EntryKind::kImport,
                       .annotator = annotator,
                       .reply = one.label == Label::kAnchor ? Reply::kYes
                                : is_no_partner(one.pair)   ? Reply::kNoPartner
                                                            : Reply::kNo,
                       .pair = one.pair,
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

ImportReport import_labels(Study& study, LineReader& lines, const std::string& annotator,
                           const LabelOptions& options) {
  Ledger ledger = load_ledger(study);
  std::vector<JournalEntry> taken;
  ImportReport report = import_into(ledger, study.networks(), lines, annotator, taken, options);
  if (!taken.empty()) study.append(taken);
  return report;
}

}  // namespace dalaup
