#pragma once
// The frame of all subcommands. A command file declares its options and what to do:
//
//   void add_context_command(Program& program) {
//     struct Options { std::string network; ContextParams params; };
//     auto options = std::make_shared<Options>();
//     Command& command = program.add("context", "structural contexts of one network");
//     command.required("network", options->network, "FILE", "network to read");
//     command.fields(options->params);
//     command.action([options](Session& session) { ... session.print("{} users\n", count); });
//   }
//
// Results go to files, summaries to standard output, progress and warnings to standard error.
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/base.h"
#include "communicator/communicator.h"

namespace CLI {  // CLI11 and the whole of nlohmann's json stay out of this header: they take
                 // seconds
class App;       // to compile, and every command includes it
class Option;
class ParseError;
}  // namespace CLI

namespace dalaup {

// What a running command has at hand.
class Session {
 public:
  enum class Speaks : std::uint8_t { kYes, kNo };
  // A rank that does not speak prints nothing.
  Session(Run& run, bool json, std::string command_line, Speaks speaks);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Run& run() { return run_; }
  // For people, on standard output unless a result goes there; silent with --json.
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    if (!json_) print_text(fmt::format(format, std::forward<Args>(args)...));
  }
  void leave_standard_output_to_results() { summaries_ = stderr; }
  void print_summary() const;  // the JSON object
  // The one object that --json prints when the command has finished; its users include
  // <nlohmann/json.hpp>.
  nlohmann::ordered_json& summary() { return *summary_; }
  const std::string& command_line() const { return command_line_; }

 private:
  void print_text(const std::string& text) const;
  Run& run_;
  bool json_;
  Speaks speaks_;
  std::FILE* summaries_ = stdout;
  std::string command_line_;
  std::unique_ptr<nlohmann::ordered_json> summary_;
};

class Command {
 public:
  explicit Command(CLI::App& app) : app_(app) {}

  // The heading of help under which further options stand.
  void group(const std::string& heading) { group_ = heading; }

  void required(const std::string& name, std::string& value, const std::string& type,
                const std::string& help);
  void optional(const std::string& name, std::string& value, const std::string& type,
                const std::string& help);
  // A file to write; "-" is standard output, and summaries then go to standard error. Refused
  // before the command begins its work when it could not be written.
  enum class Need : std::uint8_t { kRequired, kOptional };
  void output(const std::string& name, std::string& value, const std::string& help,
              Need need = Need::kOptional);
  void flag(const std::string& name, bool& value, const std::string& help);
  // Words without a leading --, such as STUDY; `count` of them.
  void positional(const std::string& name, std::string& value, const std::string& help,
                  const std::string& choices = "");  // "a|b"
  void words(const std::string& name, std::vector<std::string>& values, int count,
             const std::string& help);

  // Options from a params struct: spelling, range, help and live default come from visit_fields.
  template <class Params>
  void fields(Params& params) {
    auto given = std::make_shared<Settings>();
    offer(describe_fields(params), given);
    before_action_.push_back([&params, given] { apply_settings(params, *given); });
  }
  // The same for fields known only at run time; what the user gave is collected in `given`. A field
  // of `owner` whose name the command has already is --OWNER.NAME.
  void offer(const std::vector<FieldInfo>& fields, std::shared_ptr<Settings> given,
             const std::string& owner = {});

  const std::string& owner() const { return owner_; }  // of the fields offered last

  // Every rank of dalaup-mpi runs the command, and the run has their communicator; commands that
  // do not say so are run by rank 0 alone.
  void run_on_all_ranks() { is_shared_ = true; }
  bool is_shared() const { return is_shared_; }

  void action(std::function<void(Session&)> action) { action_ = std::move(action); }
  void run(Session& session) const;
  CLI::App& app() { return app_; }

 private:
  CLI::Option* add_text(const std::string& name, std::string& value, const std::string& type,
                        const std::string& help);
  CLI::App& app_;
  std::string group_ = "Settings";
  std::string owner_;
  std::vector<std::function<void()>> before_action_;
  std::vector<const std::string*> outputs_;
  std::function<void(Session&)> action_;
  bool is_shared_ = false;
};

class Program {
 public:
  // `arguments` without the program's name. Commands may look at them while they are declared
  // (train offers the options of the method it finds there).
  // `communicator`: that of the ranks mpirun started, or null.
  explicit Program(std::vector<std::string> arguments, Communicator* communicator = nullptr);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Command& add(const std::string& name, const std::string& summary);
  // The value the user gives to an option, in --config too; nothing when it is not there.
  std::optional<std::string> peek(const std::string& option) const;

  // Lets `declare` add the commands, parses, runs one, prints errors; returns the exit code.
  int run(const std::function<void(Program&)>& declare);

  CLI::App& app() { return *app_; }

 private:
  struct Common {
    std::uint64_t seed = 1;
    int threads;
    bool quiet = false;
    bool json = false;
    std::string config;
  };
  void add_common_options(CLI::App& app);
  void check_command_name() const;
  void load_config();
  std::vector<std::string> with_config() const;
  void turn_help_command();
  void require_same_ranks() const;
  bool is_first_rank() const;
  int run_chosen();
  [[noreturn]] void throw_usage(const CLI::ParseError& error) const;

  std::unique_ptr<CLI::App> app_;
  std::vector<std::string> arguments_;
  Communicator* communicator_;
  std::vector<std::pair<std::string, std::string>> config_values_;  // option without --, value
  std::string config_path_;
  Common common_;
  std::vector<std::unique_ptr<Command>> commands_;
};

// A line on standard error, beside the progress display; silent with --quiet.
void tell(const Run& run, const std::string& line);

}  // namespace dalaup
