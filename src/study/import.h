#pragma once
// Labels from elsewhere, at any time: what contradicts is listed and left out.
#include <cstdint>
#include <string>
#include <vector>

#include "study/ledger.h"
#include "study/study_file.h"

namespace dalaup {

struct ImportConflict {
  std::size_t line = 0;
  UserPair pair;
  Label label = Label::kAnchor;
  UserPair earlier;  // what refuses it
  Label earlier_label = Label::kAnchor;
};
struct ImportReport {
  std::int64_t added = 0;
  std::int64_t known = 0;  // said so already
  std::vector<ImportConflict> conflicts = {};
  LabelNotes notes = {};
};

// Throws InputError with file and line for unknown users and lines of another form; nothing is then
// added.
ImportReport import_labels(Study& study, LineReader& lines, const std::string& annotator,
                           const LabelOptions& options = {});
// The same without writing: the entries for the journal are in `taken`.
ImportReport import_into(Ledger& ledger, const NetworkPair& networks, LineReader& lines,
                         const std::string& annotator, std::vector<JournalEntry>& taken,
                         const LabelOptions& options = {});

}  // namespace dalaup
