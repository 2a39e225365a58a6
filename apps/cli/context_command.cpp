#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/numpy_output.h"
#include "context/context.h"

namespace dalaup {
namespace {

struct Options {
  std::string network;
  std::string out;
  bool directed = false;
  TableOptions table;
  ContextParams params;
};

void write_contexts(const Options& options, Session& session) {
  const std::string users = users_path(options.out, "out");  // checked before the work
  const Network network = read_network(
      options.network, {.directed = options.directed, .table = options.table}, session.run());
  const Matrix context = structural_context(network, options.params, session.run());
  write_numpy(options.out, "out", context, network);
  session.print("{}, {}, {} with restart {}\n", counted(network.user_count(), "user"),
                counted(network.edge_count(), "edge"),
                counted(static_cast<std::uint64_t>(options.params.walk_steps), "step"),
                options.params.restart_probability);
  session.print("contexts: {} ({} x {} float32)\n", options.out, context.rows(), context.cols());
  session.print("users:    {} (one name a line, in the order of the rows)\n", users);
  auto& summary = session.summary();
  summary["users"] = network.user_count();
  summary["edges"] = network.edge_count();
  summary["restart_probability"] = options.params.restart_probability;
  summary["walk_steps"] = options.params.walk_steps;
  summary["contexts"] = options.out;
  summary["user_names"] = users;
}

}  // namespace

void add_context_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command =
      program.add("context", "writes the structural contexts of a network (eqs. 1 and 2)");
  command.required("network", options->network, "FILE", "network to read");
  command.required("out", options->out, "FILE.npy",
                   "NumPy file to write; the names go to FILE.users.txt");
  command.flag("directed", options->directed,
               "the edges are directed (contexts follow them both ways all the same)");
  command.fields(options->params);
  command.group("How the network is written, where it cannot be seen");
  command.fields(options->table);
  command.action([options](Session& session) { write_contexts(*options, session); });
}

}  // namespace dalaup
