#include <fmt/format.h>

#include "study/import.h"
#include "study/labelling_session.h"

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

ImportReport import_labels(Study& study, LineReader& lines, const std::string& annotator,
                           const LabelOptions& options) {
  Ledger ledger = load_ledger(study);
  std::vector<JournalEntry> taken;
  ImportReport report = import_into(ledger, study.networks(), lines, annotator, taken, options);
  if (!taken.empty()) study.append(taken);
  return report;
}

ImportReport LabellingSession::import_labels(LineReader& lines, const std::string& annotator,
                                             const LabelOptions& options) {
  Lock lock(mutex_);
  std::vector<JournalEntry> taken;
  ImportReport report = import_into(ledger_, study_.networks(), lines, annotator, taken, options);
  if (taken.empty()) {
    journal_.wait_for_all(lock);  // what is known already may not be on disk yet
  } else {
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
  const bool is_pair = pair.a < networks.a.user_count() && pair.b < networks.b.user_count();
  const bool is_alone =
      is_no_partner(pair) && (pair.a < networks.a.user_count() || pair.b < networks.b.user_count());
  if (reply == Reply::kNoPartner ? !is_alone : !is_pair || reply > Reply::kNo) {
    const Refusal refusal{.kind = Refusal::Kind::kUnknown, .pair = {}};
    return {.message = "There is no such pair.", .refusal = refusal};
  }
  const Label label = reply == Reply::kYes ? Label::kAnchor : Label::kNotAnchor;
  if (is_given(ledger_.labels(), pair, label) ||
      (is_pair && ledger_.labels().answer(pair) == label)) {
    journal_.wait_for_all(lock);
    return {.is_taken = true, .message = "That is known already.", .refusal = {}};
  }
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
