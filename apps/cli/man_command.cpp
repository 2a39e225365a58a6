#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/command_line.h"
#include "cli/commands.h"

namespace dalaup {
namespace {

// Text in roff: backslashes and hyphens are signs there, and a dot or quote begins a request.
std::string in_roff(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    const bool begins_line = escaped.empty() || escaped.back() == '\n';
    if (letter == '\\')
      escaped += "\\e";
    else if (letter == '-')
      escaped += "\\-";
    else if (begins_line && (letter == '.' || letter == '\''))
      escaped += std::string("\\&") + letter;
    else
      escaped += letter;
    if (letter == '\n') escaped += ".br\n";
  }
  return escaped;
}

std::string heading(const std::string& title, const std::string& page) {
  return fmt::format(".TH {} 1 \"\" \"dalaup {}\" \"User Commands\"\n.SH NAME\n{}\n", title,
                     DALAUP_VERSION, page);
}

std::string option_entry(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_lnames())
    names += fmt::format("{}\\fB\\-\\-{}\\fR", names.empty() ? "" : ", ", in_roff(name));
  if (names.empty()) names = fmt::format("\\fI{}\\fR", in_roff(option.get_name()));
  if (!option.get_type_name().empty() && !option.get_lnames().empty())
    names += fmt::format(" \\fI{}\\fR", in_roff(option.get_type_name()));
  std::string text = in_roff(option.get_description());
  if (option.get_required()) text += " (required)";
  if (!option.get_default_str().empty())
    text += fmt::format(" [{}]", in_roff(option.get_default_str()));
  return fmt::format(".TP\n{}\n{}\n", names, text);
}

// Options under the headings of the help, in its order.
std::string options_section(const CLI::App& command) {
  std::vector<std::string> groups;
  for (const CLI::Option* option : command.get_options())
    if (std::ranges::find(groups, option->get_group()) == groups.end())
      groups.push_back(option->get_group());
  std::string text = ".SH OPTIONS\n";
  for (const std::string& group : groups) {
    text += fmt::format(".SS {}\n", in_roff(group));
    for (const CLI::Option* option : command.get_options())
      if (option->get_group() == group) text += option_entry(*option);
  }
  return text;
}

std::string command_page(const CLI::App& command) {
  const std::string name = command.get_name();
  std::string words;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) words += fmt::format(" \\fI{}\\fR", in_roff(option->get_name()));
  return heading("dalaup-" + name, fmt::format("dalaup-{} \\- {}", in_roff(name),
                                               in_roff(command.get_description()))) +
         fmt::format(".SH SYNOPSIS\n\\fBdalaup {}\\fR{} [\\fIOPTIONS\\fR]\n", in_roff(name),
                     words) +
         options_section(command) +
         ".SH EXIT STATUS\n0 done; 1 input or run\\-time error; 2 wrong usage or parameter; 130 "
         "interrupted (finished work is kept)\n.SH SEE ALSO\n.BR dalaup (1)\n";
}

std::string program_page(const CLI::App& program) {
  std::string text = heading("dalaup", "dalaup \\- finds the same people in two networks");
  text += ".SH SYNOPSIS\n\\fBdalaup\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n" +
          in_roff(program.get_description()) + "\n.SH COMMANDS\n";
  for (const CLI::App* command : program.get_subcommands({}))
    text += fmt::format(".TP\n.BR dalaup\\-{} (1)\n{}\n", in_roff(command->get_name()),
                        in_roff(command->get_description()));
  return text +
         ".SH EXAMPLE\n.nf\ndalaup train \\-\\-a a.edges \\-\\-b b.edges \\-\\-labels known.tsv "
         "\\-\\-model my.dalaup\ndalaup predict \\-\\-model my.dalaup \\-\\-out ranked.tsv "
         "\\-\\-matching matching.tsv\n.fi\n";
}

}  // namespace

void add_man_command(Program& program) {
  auto name = std::make_shared<std::string>();
  Command& command = program.add("man", "prints a manual page, made from the declared options");
  command.app().add_option("COMMAND", *name,
                           "the command whose page to print; none: the program's");
  command.action([name, &program](Session& session) {
    if (name->empty()) return session.print("{}", program_page(program.app()));
    std::vector<std::string> known;
    for (const CLI::App* one : program.app().get_subcommands({})) {
      known.push_back(one->get_name());
      if (one->get_name() == *name) return session.print("{}", command_page(*one));
    }
    throw ParameterError(
        fmt::format("unknown command \"{}\"; known: {}", *name, fmt::join(known, ", ")),
        suggestion(*name, known));
  });
}

}  // namespace dalaup
