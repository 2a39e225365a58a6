#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <set>

#include "active_learning/active_learning.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/config_file.h"
#include "methods/methods.h"
#include "query/query.h"

namespace dalaup {
namespace {

// Those of every method where one can be chosen, not only of the default one.
std::string options_of(const CLI::App& app) {
  std::set<std::string> known;
  std::string options;
  const auto add = [&](const std::string& name) {
    if (known.insert(name).second) options += (options.empty() ? "--" : " --") + name;
  };
  for (const CLI::Option* option : app.get_options())
    for (const auto& name : option->get_lnames()) add(name);
  const MethodRegistry methods = all_methods();
  if (known.contains("method"))
    for (const auto& method : methods.all())
      for (const FieldInfo& field : method.fields) add(dashed(field.name));
  return options;
}

std::string commands_of(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) names += " " + command->get_name();
  return names.empty() ? names : names.substr(1);
}

std::string with_spaces(std::string words) {
  std::ranges::replace(words, '|', ' ');
  return words;
}

// What may stand behind an option, by its name: choices are written a|b|c in help.
std::map<std::string, std::string> values_of_options(const CLI::App& app) {
  std::map<std::string, std::string> values;
  for (const CLI::App* command : app.get_subcommands({}))
    for (const CLI::Option* option : command->get_options())
      for (const auto& name : option->get_lnames())
        if (option->get_type_name().find('|') != std::string::npos)
          values.try_emplace("--" + name, with_spaces(option->get_type_name()));
  std::string strategies = fmt::format("{}", fmt::join(further_strategies(), " "));
  for (const auto& strategy : query_strategies()) strategies += " " + strategy.name;
  const MethodRegistry methods = all_methods();
  values["--methods"] = fmt::format("{}", fmt::join(methods.names(), " "));
  for (const auto& method : methods.all())
    for (const FieldInfo& field : method.fields)
      if (!field.choices.empty())
        values.try_emplace("--" + dashed(field.name),
                           fmt::format("{}", fmt::join(field.choices, " ")));
  values["--strategy"] = strategies;
  values["--strategies"] = strategies;
  return values;
}

// What the first word behind a command may be: "experiment ratio|strategies|transfer".
std::map<std::string, std::string> values_of_commands(const CLI::App& app) {
  std::map<std::string, std::string> values{{"help", commands_of(app)}};
  for (const CLI::App* command : app.get_subcommands({}))
    for (const CLI::Option* option : command->get_options())
      if (option->get_positional() && option->get_type_name().find('|') != std::string::npos)
        values.try_emplace(command->get_name(), with_spaces(option->get_type_name()));
  return values;
}

// One branch of a shell's case statement for each: "    --prior) values="context aup both" ;;".
template <class Words>
std::string branches(const Words& words, const char* branch) {
  std::string cases;
  for (const auto& [name, known] : words) cases += fmt::format(fmt::runtime(branch), name, known);
  return cases;
}

std::vector<std::pair<std::string, std::string>> options_of_commands(const CLI::App& app) {
  std::vector<std::pair<std::string, std::string>> options;
  for (const CLI::App* command : app.get_subcommands({}))
    options.emplace_back(command->get_name(), options_of(*command));
  return options;
}

std::string bash_script(const CLI::App& app) {
  return fmt::format(
      R"(# bash completion for dalaup: source this file, or put it into bash-completion's folder
_dalaup() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words="" values=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$current"))
    return
  fi
  case "$before" in
{}  esac
  if [ "$COMP_CWORD" -eq 2 ]; then
    case "$before" in
{}    esac
  fi
  if [ -n "$values" ]; then
    case "$current" in
      -*) ;;
      *) COMPREPLY=($(compgen -W "$values" -- "$current")); return ;;
    esac
  fi
  case "${{COMP_WORDS[1]}}" in
{}  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}}
complete -o filenames -F _dalaup dalaup
)",
      commands_of(app), branches(values_of_options(app), "    {}) values=\"{}\" ;;\n"),
      branches(values_of_commands(app), "    {}) values=\"{}\" ;;\n"),
      branches(options_of_commands(app), "    {}) words=\"{}\" ;;\n"));
}

std::string zsh_script(const CLI::App& app) {
  return fmt::format(R"(#compdef dalaup
# zsh completion for dalaup: put this file as _dalaup into a folder of $fpath
_dalaup() {{
  local -a options values
  if (( CURRENT == 2 )); then
    compadd -- {} --help --version
    return
  fi
  case "$words[CURRENT-1]" in
{}  esac
  if (( CURRENT == 3 )); then
    case "$words[2]" in
{}    esac
  fi
  if (( $#values )) && [[ "$PREFIX" != -* ]]; then compadd -- $values; return; fi
  case "$words[2]" in
{}  esac
  if [[ "$PREFIX" == -* ]]; then compadd -- $options; else _files; fi
}}
compdef _dalaup dalaup
)",
                     commands_of(app), branches(values_of_options(app), "    {}) values=({}) ;;\n"),
                     branches(values_of_commands(app), "      {}) values=({}) ;;\n"),
                     branches(options_of_commands(app), "    {}) options=({}) ;;\n"));
}

}  // namespace

void add_completion_command(Program& program) {
  auto shell = std::make_shared<std::string>();
  Command& command = program.add("completion", "prints shell completion for bash or zsh");
  command.positional("SHELL", *shell, "bash or zsh", "bash|zsh");
  command.action([shell, &program](Session& session) {
    const std::vector<std::string> known{"bash", "zsh"};
    if (*shell == "bash") {
      session.print("{}", bash_script(program.app()));
    } else if (*shell == "zsh") {
      session.print("{}", zsh_script(program.app()));
    } else {
      throw ParameterError(fmt::format("unknown shell \"{}\"; known: bash, zsh", *shell),
                           suggestion(*shell, known));
    }
  });
}

}  // namespace dalaup
