#pragma once
// --skip-unknown, --ignore-case and how label files are written, for every command that reads them.
#include <string>

#include "cli/command_line.h"
#include "labels/labels.h"

namespace dalaup {

struct LabelInput {
  struct Table {
    std::string label_delimiter = "auto";
    std::string label_header = "auto";
    std::string label_quotes = "auto";
    std::string label_columns;
  };
  Table table;
  bool skip_unknown = false;
  bool ignore_case = false;

  TableOptions table_options() const;
  LabelOptions options() const {
    return {.table = table_options(), .skip_unknown = skip_unknown, .ignore_case = ignore_case};
  }
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, LabelInput::Table>
void visit_fields(Params& params, Visit&& visit) {
  visit("label_delimiter", params.label_delimiter, Choices{},
        "what separates columns: auto, tab, comma, semicolon, space or one character");
  visit("label_header", params.label_header, Choices{"auto", "yes", "no"},
        "whether the file begins with the names of its columns");
  visit("label_quotes", params.label_quotes, Choices{"auto", "yes", "no"},
        "whether quotes around a cell are no part of it");
  visit("label_columns", params.label_columns, Choices{},
        "columns to read, by name or by number from 1, such as a,b,label or 2,1");
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
