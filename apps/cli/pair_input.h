#pragma once
// --a, --b, attributes and how these files are written, for every command that reads two networks.
#include <string>

#include "cli/command_line.h"
#include "networks/networks.h"

namespace dalaup {

// How attribute files are written.
struct AttributeForm {
  std::string attribute_delimiter = "auto";
  std::string attribute_quotes = "auto";
  TableOptions table_options() const {
    return {.delimiter = attribute_delimiter, .quotes = attribute_quotes, .columns = {}};
  }
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, AttributeForm>
void visit_fields(Params& params, Visit&& visit) {
  visit("attribute_delimiter", params.attribute_delimiter, Choices{},
        "what separates columns: auto, tab, comma, semicolon, space or one character");
  visit("attribute_quotes", params.attribute_quotes, Choices{"auto", "yes", "no"},
        "whether quotes around a cell are no part of it");
}

// --a FILE --b FILE [--directed] and what else is known of the users, common to most commands.
struct PairOptions {
  std::string a;
  std::string b;
  bool directed = false;
  TableOptions table;
  std::string attributes_a;
  std::string attributes_b;
  std::string compare;
  std::string similarity;
  bool strict = false;
  AttributeForm attribute_form;
};
void add_pair_options(Command& command, PairOptions& options,
                      Command::Need need = Command::Need::kRequired);
// Says how each file was understood.
NetworkPair read_pair(const PairOptions& options, Run& run);

}  // namespace dalaup
