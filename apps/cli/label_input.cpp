#include "cli/label_input.h"

namespace dalaup {

void tell_notes(const Run& run, const std::string& path, const LabelNotes& notes,
                std::size_t labels) {
  tell(run, fmt::format("{}: {}; {}", path, notes.understood, counted(labels, "label")));
  if (notes.other_case > 0)
    tell(run, fmt::format("{}: {} found by ignoring the case", path,
                          counted(notes.other_case, "name was", "names were")));
  if (notes.skipped > 0)
    run.warn(fmt::format("{}: {} with users the networks do not have {} left out", path,
                         counted(notes.skipped, "line"), by_number(notes.skipped, "was", "were")));
}

void add_label_options(Command& command, LabelInput& input, LabelUse use) {
  if (use == LabelUse::kUsers) {
    command.group("Input");
    command.flag("skip-unknown", input.skip_unknown,
                 "leave lines with users the networks do not have out, and count them");
    command.flag("ignore-case", input.ignore_case,
                 "names in label files may differ in the case of A to Z");
  }
  command.group("How label files are written, where it cannot be seen");
  command.fields(input.table);
  command.group("Settings");
}

LabelSet read_labels(const std::string& path, const NetworkPair& networks, const LabelInput& input,
                     const Run& run) {
  LabelNotes notes;
  LabelSet labels = read_labels(path, networks, input.options(), &notes);
  tell_notes(run, path, notes, labels.anchors().size() + labels.negatives().size());
  return labels;
}

std::vector<UserPair> read_truth(const std::string& path, const NetworkPair& networks,
                                 const LabelInput& input, const Run& run) {
  LabelNotes notes;
  std::vector<UserPair> truth = read_truth(path, networks, input.options(), &notes);
  tell_notes(run, path, notes, truth.size());
  return truth;
}

}  // namespace dalaup
