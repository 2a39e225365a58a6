#include <CLI/CLI.hpp>

#include "cli/command_line.h"
#include "cli/commands.h"

namespace dalaup {
namespace {

std::string options_of(const CLI::App& app) {
  std::string options;
  for (const CLI::Option* option : app.get_options())
    for (const auto& name : option->get_lnames()) options += " --" + name;
  return options.empty() ? options : options.substr(1);
}

std::string commands_of(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) names += " " + command->get_name();
  return names.empty() ? names : names.substr(1);
}

std::string bash_script(const CLI::App& app) {
  std::string cases;
  for (const CLI::App* command : app.get_subcommands({}))
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command->get_name(), options_of(*command));
  return fmt::format(
      R"(# bash completion for dalaup: source this file, or put it into bash-completion's folder
_dalaup() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$current"))
    return
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
      commands_of(app), cases);
}

std::string zsh_script(const CLI::App& app) {
  std::string cases;
  for (const CLI::App* command : app.get_subcommands({}))
    cases += fmt::format("    {}) options=({}) ;;\n", command->get_name(), options_of(*command));
  return fmt::format(R"(#compdef dalaup
# zsh completion for dalaup: put this file as _dalaup into a folder of $fpath
_dalaup() {{
  local -a options
  if (( CURRENT == 2 )); then
    compadd -- {} --help --version
    return
  fi
  case "$words[2]" in
{}  esac
  if [[ "$PREFIX" == -* ]]; then compadd -- $options; else _files; fi
}}
compdef _dalaup dalaup
)",
                     commands_of(app), cases);
}

}  // namespace

void add_completion_command(Program& program) {
  auto shell = std::make_shared<std::string>();
  Command& command = program.add("completion", "prints shell completion for bash or zsh");
  command.positional("SHELL", *shell, "bash or zsh");
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
