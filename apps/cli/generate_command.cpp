#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "generate/generate.h"

namespace dalaup {
namespace {

struct Options {
  std::string out;
  GeneratorParams params;
};

void generate(const Options& options, Session& session) {
  const GeneratedPair pair = generate_pair(options.params, session.run());
  write_pair(options.out, pair);
  const NetworkPair& networks = pair.networks;
  const auto share = [&](std::uint64_t edges) {
    return edges == 0 ? 0.0 : static_cast<double>(pair.common_edges) / static_cast<double>(edges);
  };
  session.print("{}/a.edges: {}, {}\n", options.out, counted(networks.a.user_count(), "user"),
                counted(networks.a.edge_count(), "edge"));
  session.print("{}/b.edges: {}, {}\n", options.out, counted(networks.b.user_count(), "user"),
                counted(networks.b.edge_count(), "edge"));
  session.print("{}/truth.tsv: {}\n", options.out, counted(pair.truth.size(), "anchor pair"));
  if (!pair.labels.empty())
    session.print("{}/labels.tsv: {}\n", options.out, counted(pair.labels.size(), "label"));
  if (networks.attributes != nullptr)
    session.print("{0}/a.attributes.csv, {0}/b.attributes.csv: {1}\n", options.out,
                  fmt::join(networks.attributes->a.fields, ", "));
  session.print(
      "between anchored users: {} in A, {} in B, {} in both "
      "({:.1f} % of A's, {:.1f} % of B's)\n",
      counted(pair.anchored_edges_a, "edge"), grouped(pair.anchored_edges_b),
      grouped(pair.common_edges), 100.0 * share(pair.anchored_edges_a),
      100.0 * share(pair.anchored_edges_b));
  auto& summary = session.summary();
  summary["out"] = options.out;
  summary["users_a"] = networks.a.user_count();
  summary["users_b"] = networks.b.user_count();
  summary["edges_a"] = networks.a.edge_count();
  summary["edges_b"] = networks.b.edge_count();
  summary["anchors"] = pair.truth.size();
  summary["labels"] = pair.labels.size();
  summary["anchored_edges_a"] = pair.anchored_edges_a;
  summary["anchored_edges_b"] = pair.anchored_edges_b;
  summary["common_edges"] = pair.common_edges;
  summary["settings"] = nlohmann::ordered_json::parse(to_settings(options.params).to_json());
}

}  // namespace

void add_generate_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command =
      program.add("generate", "two noisy views of one hidden society, with the truth");
  command.group("Output");
  command.required("out", options->out, "DIR", "folder for a.edges, b.edges and truth.tsv");
  command.group("Settings");
  command.fields(options->params);
  command.action([options](Session& session) { generate(*options, session); });
}

}  // namespace dalaup
