#pragma once
// --skip-unknown, --ignore-case and how label files are written, for every command that reads them.
#include <string>

#include "cli/command_line.h"
#include "labels/labels.h"

namespace dalaup {

struct LabelInput {
  // --label-delimiter and so on.
  struct Table {
    TableOptions options;
  };
  Table table;
  bool skip_unknown = false;
  bool ignore_case = false;

  const TableOptions& table_options() const { return table.options; }
  LabelOptions options() const {
    return {.table = table_options(), .skip_unknown = skip_unknown, .ignore_case = ignore_case};
  }
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, LabelInput::Table>
void visit_fields(Params& params, Visit&& visit) {
  visit_fields(params.options, [&](std::string_view name, auto& value, const Choices& choices,
                                   std::string_view help) {
    visit(fmt::format("label_{}", name), value, choices,
          name == "columns"
              ? "columns to read, by name or by number from 1, such as a,b,label or 2,1"
              : help);
  });
}

// Tables alone where names are not looked up in networks.
enum class LabelUse : std::uint8_t { kUsers, kNames };
void add_label_options(Command& command, LabelInput& input, LabelUse use = LabelUse::kUsers);

// Say how the file was understood and what was left out.
void tell_notes(const Run& run, const std::string& path, const LabelNotes& notes,
                std::size_t labels);
LabelSet read_labels(const std::string& path, const NetworkPair& networks, const LabelInput& input,
                     const Run& run);
std::vector<UserPair> read_truth(const std::string& path, const NetworkPair& networks,
                                 const LabelInput& input, const Run& run);

}  // namespace dalaup
