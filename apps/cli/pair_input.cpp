#include "cli/pair_input.h"

namespace dalaup {

void add_pair_options(Command& command, PairOptions& options, Command::Need need) {
  command.group("Input");
  const auto add = need == Command::Need::kRequired ? &Command::required : &Command::optional;
  (command.*add)("a", options.a, "FILE", "network A");
  (command.*add)("b", options.b, "FILE", "network B");
  command.flag("directed", options.directed, "edges point from the first user to the second");
  command.group("Names and other attributes");
  command.optional("attributes-a", options.attributes_a, "FILE",
                   "CSV of what is known of users of A; its first column is the user");
  command.optional("attributes-b", options.attributes_b, "FILE", "the same for B");
  command.optional("compare", options.compare, "FIELDS",
                   "fields that belong together, such as name=full_name,city=location:category; "
                   "kinds: name, text, category, set, number, date");
  command.optional("similarity", options.similarity, "FILE",
                   "similarities of pairs computed elsewhere: a, b, value");
  command.flag("strict", options.strict, "unknown users in these files are an error");
  command.group("How networks are written, where it cannot be seen");
  command.fields(options.table);
  command.group("How attribute files are written, where it cannot be seen");
  command.fields(options.attribute_form);
  command.group("Settings");
}

namespace {

std::shared_ptr<const PairAttributes> read_attributes_of_pair(const PairOptions& options,
                                                              const NetworkPair& networks,
                                                              Run& run) {
  if (options.attributes_a.empty() != options.attributes_b.empty())
    throw ParameterError(fmt::format("found --attributes-{} alone, expected both --attributes-a "
                                     "and --attributes-b",
                                     options.attributes_a.empty() ? "b" : "a"),
                         "values of A are compared with values of B");
  if (!options.compare.empty() && options.attributes_a.empty())
    throw ParameterError("found --compare without --attributes-a and --attributes-b");
  if (options.attributes_a.empty() && options.similarity.empty()) return nullptr;
  const AttributeReading reading{.strict = options.strict, .table = options.attribute_form.options};
  auto attributes = std::make_shared<PairAttributes>();
  std::string understood;
  const auto read_one = [&](const std::string& path, const Network& network) {
    AttributeTable table = read_attributes(path, network, reading, run, &understood);
    tell(run, fmt::format("{}: {}", path, understood));
    return table;
  };
  if (!options.attributes_a.empty()) {
    attributes->a = read_one(options.attributes_a, networks.a);
    attributes->b = read_one(options.attributes_b, networks.b);
  }
  attributes->compare = options.compare;
  if (!options.similarity.empty()) {
    attributes->similarity =
        read_similarities(options.similarity, networks, reading, run, &understood);
    tell(run, fmt::format("{}: {}; {}", options.similarity, understood,
                          counted(attributes->similarity.entries.size(), "pair")));
  }
  return attributes;
}

}  // namespace

NetworkPair read_pair(const PairOptions& options, Run& run) {
  const ReadOptions read{.directed = options.directed,
                         .tells_direction = options.tells_direction,
                         .table = options.table};
  NetworkPair pair = read_networks(
      options.a, options.b, read, run,
      [&](Side side, const Network& network, const std::string& understood) {
        tell(run, fmt::format("{}: {}; {}, {}", side == Side::kA ? options.a : options.b,
                              understood, counted(network.user_count(), "user"),
                              counted(network.edge_count(), "edge")));
      });
  run.throw_if_cancelled();
  pair.attributes = read_attributes_of_pair(options, pair, run);
  return pair;
}

}  // namespace dalaup
