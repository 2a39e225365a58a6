#pragma once
// --a, --b, attributes and how these files are written, for every command that reads two networks.
#include <string>

#include "cli/command_line.h"
#include "networks/networks.h"

namespace dalaup {

// How attribute files are written: --attribute-delimiter, --attribute-quotes.
struct AttributeForm {
  TableOptions options;
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, AttributeForm>
void visit_fields(Params& params, Visit&& visit) {
  visit_fields(params.options, [&](std::string_view name, auto& value, const Choices& choices,
                                   std::string_view help) {
    if (name == "delimiter" || name == "quotes")  // they always have a header
      visit(fmt::format("attribute_{}", name), value, choices, help);
  });
}

// --a FILE --b FILE [--directed] and what else is known of the users, common to most commands.
struct PairOptions {
  std::string a;
  std::string b;
  bool directed = false;
  bool tells_direction = false;  // ReadOptions::tells_direction
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
