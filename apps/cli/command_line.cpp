#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>

#include "cli/config_file.h"
#include "cli/outcome.h"
#include "cli/output_check.h"
#include "cli/terminal_progress.h"
#include "cli/terminal_text.h"
#include "cli/warnings.h"

namespace dalaup {
namespace {

std::atomic<bool> interrupted{false};  // signal handlers can reach nothing else

void on_signal(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);  // a second Ctrl-C ends the program at once
}

void finish_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw InputError("standard output: cannot be written",
                     "the summary is lost; result files are complete");
}

// Throws InputError when the file could not be written.
void require_writable(const std::string& path) {
  if (std::filesystem::is_fifo(path)) return;  // opening a pipe waits for its reader
  const AtomicFile probe(path);
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back(name);
  return names;
}

// CLI11's help without "{false}" behind flags and without doubled empty lines.
class HelpFormat final : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, is_positional);
    if (const std::size_t found = name.find("{false}"); found != std::string::npos)
      name.erase(found, 7);
    return name;
  }
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;)
      text.erase(at, 1);
    return text;
  }
};

}  // namespace

CLI::Option* Command::add_text(const std::string& name, std::string& value, const std::string& type,
                               const std::string& help) {
  CLI::Option* const option = app_.add_option("--" + name, value, help);
  option->type_name(type)->group(group_);
  if (!value.empty()) option->default_str(value);
  return option;
}

void Command::required(const std::string& name, std::string& value, const std::string& type,
                       const std::string& help) {
  add_text(name, value, type, help)->required();
}

void Command::optional(const std::string& name, std::string& value, const std::string& type,
                       const std::string& help) {
  add_text(name, value, type, help);
}

void Command::output(const std::string& name, std::string& value, const std::string& help,
                     Need need) {
  CLI::Option* const option = add_text(name, value, "FILE", help);
  option->group("Output");
  if (need == Need::kRequired) option->required();
  outputs_.push_back(&value);
}

void Command::flag(const std::string& name, bool& value, const std::string& help) {
  app_.add_flag("--" + name, value, help)->group(group_);
}

void Command::positional(const std::string& name, std::string& value, const std::string& help,
                         const std::string& choices) {
  app_.add_option(name, value, help)->required()->type_name(choices);
}

void Command::words(const std::string& name, std::vector<std::string>& values, int count,
                    const std::string& help) {
  app_.add_option("--" + name, values, help)
      ->required()
      ->expected(count)
      ->type_name("NAME")
      ->group(group_);
}

void Command::offer(const std::vector<FieldInfo>& fields, std::shared_ptr<Settings> given,
                    const std::string& owner) {
  owner_ = owner;
  for (const FieldInfo& field : fields) {
    const bool is_taken =
        !owner.empty() && app_.get_option_no_throw("--" + dashed(field.name)) != nullptr;
    const std::string prefix = is_taken ? "--" + owner + "." : "--";
    std::string names = prefix + dashed(field.name);
    if (!field.alias.empty()) names += "," + prefix + dashed(field.alias);
    CLI::Option* option = nullptr;
    if (std::holds_alternative<bool>(field.value)) {
      const bool is_negative = field.name.starts_with("no_");
      const std::string opposite =
          is_negative ? dashed(field.name.substr(3)) : "no-" + dashed(field.name);
      option = app_.add_flag_function(
          names + ",!" + prefix + opposite,
          [given, field](std::int64_t count) { given->set(field.name, count > 0); }, field.help);
      option->default_str(std::get<bool>(field.value) ? "on" : "off")->group(group_);
      continue;
    }
    const auto store = [given, field, prefix](const std::string& text) {
      given->set(field.name, parse_setting(field, text, prefix + dashed(field.name)));
    };
    option = app_.add_option_function<std::string>(names, store, field.help);
    option->group(group_);
    if (const auto* text = std::get_if<std::string>(&field.value)) {
      option->type_name(field.choices.empty() ? "TEXT"
                                              : fmt::format("{}", fmt::join(field.choices, "|")));
      option->default_str(*text);
    } else if (const auto* whole = std::get_if<std::int64_t>(&field.value)) {
      option->type_name("INT")->default_str(fmt::format("{}", *whole));
    } else {
      option->type_name("NUMBER")->default_str(fmt::format("{}", std::get<double>(field.value)));
    }
  }
}

void Command::run(Session& session) const {
  for (const auto& step : before_action_) step();
  for (const std::string* const path : outputs_) {
    if (*path == "-") session.leave_standard_output_to_results();
    if (!path->empty() && communicator_of(session.run()).is_first()) require_writable(*path);
  }
  action_(session);
}

Program::Program(std::vector<std::string> arguments, Communicator* communicator)
    : app_(std::make_unique<CLI::App>(
          "dalaup finds the same people in two networks while asking a human as few questions as "
          "possible.",
          "dalaup")),
      arguments_(std::move(arguments)),
      communicator_(communicator) {
  common_.threads = usable_threads();
  app_->formatter(std::make_shared<HelpFormat>());
  app_->require_subcommand(1);
  app_->set_version_flag("--version", std::string("dalaup ") + DALAUP_VERSION);
  app_->footer(
      "dalaup help COMMAND shows the options of one command.\n"
      "Start with: dalaup demo");
}

Program::~Program() = default;

Command& Program::add(const std::string& name, const std::string& summary) {
  CLI::App* const app = app_->add_subcommand(name, summary);
  app->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app->set_help_flag();
  commands_.push_back(std::make_unique<Command>(*app));
  return *commands_.back();
}

void Program::add_common_options(CLI::App& app) {
  constexpr const char* kEverywhere = "Of every command";
  app.add_option("--seed", common_.seed, "seed of everything random; same seed, same result")
      ->capture_default_str()
      ->group(kEverywhere);
  app.add_option("--threads", common_.threads, "threads to use; results do not depend on it")
      ->check(CLI::Range(1, 1024))
      ->type_name("INT")
      ->capture_default_str()
      ->group(kEverywhere);
  app.add_flag("--quiet", common_.quiet, "no progress and no warnings")->group(kEverywhere);
  app.add_flag("--json", common_.json, "print the summary as one JSON object")->group(kEverywhere);
  app.add_option("--config", common_.config, "settings in TOML; the command line wins")
      ->type_name("FILE")
      ->group(kEverywhere);
  app.set_help_flag("-h,--help", "print this help and exit")->group(kEverywhere);
}

std::optional<std::string> Program::peek(const std::string& option) const {
  const std::string flag = "--" + option;
  std::optional<std::string> value;
  for (const auto& [name, text] : config_values_)
    if (name == option) value = text;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i] == flag && i + 1 < arguments_.size()) value = arguments_[i + 1];
    if (arguments_[i].starts_with(flag + "=")) value = arguments_[i].substr(flag.size() + 1);
  }
  return value;
}

void Program::check_command_name() const {
  if (arguments_.empty() || arguments_[0].starts_with("-")) return;
  std::vector<std::string> known;
  for (const CLI::App* app : app_->get_subcommands({})) known.push_back(app->get_name());
  if (std::ranges::find(known, arguments_[0]) != known.end()) return;
  throw ParameterError(
      fmt::format("unknown command \"{}\"; known: {}", arguments_[0], fmt::join(known, ", ")),
      suggestion(arguments_[0], known));
}

// The values of --config as arguments before the user's own, so that the command line wins. A
// method's setting may be written METHOD.NAME everywhere, also where NAME alone would do.
std::vector<std::string> Program::with_config() const {
  if (arguments_.empty() || arguments_[0].starts_with("-")) return arguments_;
  const auto known = option_names(*app_->get_subcommand(arguments_[0]));
  const auto is_known = [&](const std::string& name) {
    return std::ranges::find(known, name) != known.end();
  };
  const auto chosen = std::ranges::find(commands_, arguments_[0],
                                        [](const auto& one) { return one->app().get_name(); });
  const std::string& owner = (*chosen)->owner();
  const auto shortened = [&](const std::string& name) {
    const bool is_long = !owner.empty() && name.starts_with(owner + ".") && !is_known(name);
    return is_long ? name.substr(owner.size() + 1) : name;
  };
  std::vector<std::string> arguments{arguments_[0]};
  for (const auto& [given, value] : config_values_) {
    const std::string name = shortened(given);
    if (name.find('.') != name.npos && !is_known(name)) continue;  // of another command or method
    if (!is_known(name))
      throw InputError(
          config_path_, 0,
          fmt::format("found setting \"{}\", expected an option of dalaup {}", name, arguments_[0]),
          suggestion(name, known));
    if (value.empty()) continue;  // CLI11 would take the next argument for the value
    arguments.push_back(fmt::format("--{}={}", name, value));
  }
  for (std::size_t i = 1; i < arguments_.size(); ++i) {
    const std::string& given = arguments_[i];
    const std::size_t end = std::min(given.find('='), given.size());
    arguments.push_back(given.starts_with("--")
                            ? "--" + shortened(given.substr(2, end - 2)) + given.substr(end)
                            : given);
  }
  return arguments;
}

void Program::throw_usage(const CLI::ParseError& error) const {
  const auto chosen = app_->get_subcommands();
  const CLI::App& app = chosen.empty() ? *app_ : *chosen.front();
  const std::string where = chosen.empty() ? "dalaup" : "dalaup " + app.get_name();
  const std::string help = fmt::format("{} --help lists the options", where);
  const auto extras = app.remaining(true);
  const auto option =
      std::ranges::find_if(extras, [](const auto& word) { return word.starts_with("-"); });
  // A misspelt option also leaves the one that was meant out: say the cause, not what is missing.
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) ||
      option != extras.end()) {
    const std::string found = option != extras.end() ? *option
                              : extras.empty()       ? std::string(error.what())
                                                     : extras.front();
    std::string bare = found.substr(0, found.find('='));
    bare.erase(0, bare.find_first_not_of('-'));
    std::string hint = suggestion(bare, option_names(app));
    if (const auto quote = hint.find('"'); quote != std::string::npos) hint.insert(quote + 1, "--");
    throw ParameterError(fmt::format("{}: found \"{}\", expected one of its options", where, found),
                         hint.empty() ? help : hint);
  }
  throw ParameterError(fmt::format("{}: {}", where, error.what()), help);
}

int Program::run_chosen() {
  std::vector<std::string> arguments = with_config();
  std::ranges::reverse(arguments);  // CLI11 takes them from the back
  try {
    app_->parse(arguments);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app_->get_subcommands();
    if (is_first_rank())
      fmt::print("{}", chosen.empty() ? app_->help() : chosen.front()->help("dalaup"));
    return 0;
  } catch (const CLI::CallForVersion& version) {
    if (is_first_rank()) fmt::print("{}\n", version.what());
    return 0;
  } catch (const CLI::ParseError& error) {
    throw_usage(error);
  }

  const CLI::App* const chosen = app_->get_subcommands().front();
  const auto command = std::ranges::find_if(
      commands_, [&](const auto& candidate) { return &candidate->app() == chosen; });
  if (!is_first_rank() && !(*command)->is_shared()) return 0;

  const bool is_quiet = common_.quiet || !is_first_rank();
  TerminalProgress progress;
  WarningPrinter warnings([&](const std::string& line) {
    if (!is_quiet) progress.print_above(line);
  });
  Run run({.threads = common_.threads,
           .seed = common_.seed,
           .progress = is_quiet ? nullptr : &progress,
           .cancelled = &interrupted,
           .on_warning = [&](const std::string& message) { warnings.add(message); },
           .communicator = (*command)->is_shared() ? communicator_ : nullptr});
  std::string command_line = "dalaup";
  for (const auto& argument : arguments_) command_line += " " + argument;
  Session session(run, common_.json, command_line,
                  is_first_rank() ? Session::Speaks::kYes : Session::Speaks::kNo);
  check_outputs(*chosen);
  (*command)->run(session);
  if (common_.json) session.print_summary();
  warnings.finish();
  return 0;
}

bool Program::is_first_rank() const {
  return communicator_ == nullptr || communicator_->is_first();
}

void Program::require_same_ranks() const {
  if (communicator_ == nullptr) return;
  require_same(*communicator_, "version of dalaup", digest_of(DALAUP_VERSION),
               "install the same version on all machines");
  std::string command_line;
  for (const auto& argument : arguments_) command_line += argument + '\0';
  require_same(*communicator_, "command line", digest_of(command_line),
               "give mpirun one command for all ranks");
}

// "help" and "help COMMAND" are "--help" and "COMMAND --help".
void Program::turn_help_command() {
  if (arguments_.empty() || arguments_[0] != "help") return;
  if (arguments_.size() > 1 && !arguments_[1].starts_with("-"))
    arguments_ = {arguments_[1], "--help"};
  else
    arguments_ = {"--help"};
}

void Program::load_config() {
  const auto path = peek("config");
  if (!path || arguments_.empty()) return;
  config_path_ = *path;
  config_values_ = read_config(*path, arguments_[0]);
}

int Program::run(const std::function<void(Program&)>& declare) {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGPIPE, SIG_IGN);
  RankOutcome outcome = outcome_of([&] {
    require_same_ranks();
    turn_help_command();
    load_config();
    declare(*this);
    for (const auto& command : commands_) add_common_options(command->app());  // last in help
    check_command_name();
    const int code = run_chosen();
    finish_output();
    return code;
  });
  if (communicator_ != nullptr) {
    if (outcome.exit_code != 0) communicator_->give_up();
    outcome = communicator_->conclude(std::move(outcome));
  }
  if (outcome.exit_code != 0) std::fflush(stdout);
  if (is_first_rank()) fmt::print(stderr, "{}", outcome.message);
  return outcome.exit_code;
}

void tell(const Run& run, const std::string& line) {
  if (auto* const terminal = dynamic_cast<TerminalProgress*>(run.options().progress))
    terminal->print_above(line);
}

}  // namespace dalaup
