#include <fmt/format.h>

#include <algorithm>

#include "library/internals.h"

namespace dalaup::v1 {
namespace {

TableOptions core_of(const TableForm& form) {
  return {.delimiter = form.delimiter,
          .header = form.header,
          .quotes = form.quotes,
          .columns = form.columns};
}

Network::Rows rows_of(const Adjacency& adjacency) {
  return {adjacency.begins, adjacency.users, adjacency.weights};
}

AttributeTable table_of(const Attributes& attributes, const core::Network& network,
                        const char* name) {
  if (attributes.fields.size() != attributes.columns.size())
    throw core::InputError(fmt::format("{}: found {} fields and {} columns, expected as many", name,
                                       attributes.fields.size(), attributes.columns.size()));
  AttributeTable table{.fields = attributes.fields, .columns = {}};
  for (const auto& values : attributes.columns) {
    if (values.size() != network.user_count())
      throw core::InputError(fmt::format("{}: found {} values, expected one for each of {} users",
                                         name, values.size(), network.user_count()));
    TextColumn column(values.size());
    for (UserId user = 0; user < values.size(); ++user) column.set(user, values[user]);
    table.columns.push_back(std::move(column));
  }
  return table;
}

Attributes attributes_of(const AttributeTable& table) {
  Attributes attributes{.fields = table.fields, .columns = {}};
  for (const TextColumn& column : table.columns) {
    auto& values = attributes.columns.emplace_back();
    for (UserId user = 0; user < column.size(); ++user) values.emplace_back(column[user]);
  }
  return attributes;
}

PairSimilarities similarities_of(std::vector<Similarity> given, const NetworkPair& networks) {
  std::ranges::sort(given, [](const Similarity& left, const Similarity& right) {
    return left.a != right.a   ? left.a < right.a
           : left.b != right.b ? left.b < right.b
                               : left.value > right.value;
  });
  const auto is_same_pair = [](const Similarity& left, const Similarity& right) {
    return left.a == right.a && left.b == right.b;
  };
  given.erase(std::ranges::unique(given, is_same_pair).begin(), given.end());
  PairSimilarities similarities;
  similarities.begins.assign(std::size_t{networks.a.user_count()} + 1, 0);
  for (const Similarity& one : given) {
    if (one.a >= networks.a.user_count() || one.b >= networks.b.user_count())
      throw core::InputError("similarities: found a user that the networks do not have");
    if (!std::isfinite(one.value))
      throw core::InputError("similarities: found a value that is not finite");
    ++similarities.begins[one.a + 1];
    similarities.entries.push_back({one.b, one.value});
  }
  for (std::size_t user = 0; user < networks.a.user_count(); ++user)
    similarities.begins[user + 1] += similarities.begins[user];
  return similarities;
}

std::vector<Similarity> listed(const PairSimilarities& similarities) {
  std::vector<Similarity> list;
  for (UserId user = 0; user + 1 < similarities.begins.size(); ++user)
    for (const auto& [b, value] : similarities.of(user)) list.push_back({user, b, value});
  return list;
}

}  // namespace

Network Internals::network(std::shared_ptr<const core::Network> network) {
  const core::Network* const place = network.get();
  Network handle;
  handle.content_ =
      std::make_shared<const Network::Content>(Network::Content{std::move(network), place});
  return handle;
}

Network::Network() {
  static const auto kEmpty = std::make_shared<const core::Network>();
  content_ = std::make_shared<const Content>(Content{kEmpty, kEmpty.get()});
}

Network Network::read(const std::string& path, const ReadOptions& options, const Control& control) {
  return operate(control, [&](Run& run) {
    return Internals::network(std::make_shared<const core::Network>(
        read_network(path, {.directed = options.directed, .table = core_of(options.table)}, run)));
  });
}

Network Network::build(std::span<const std::string> names, std::span<const Edge> edges,
                       bool directed, const Control& control) {
  return operate(control, [&](Run& run) {
    NetworkBuilder builder;
    for (const std::string& name : names)
      if (builder.add_user(name) != builder.user_count() - 1 || !is_utf8(name) || name.empty())
        throw core::InputError(
            fmt::format("names: found {}, expected UTF-8 text that comes once", quoted(name)));
    if (builder.user_count() != names.size())
      throw core::InputError("names: found one twice, expected each once");
    for (const Edge& edge : edges) {
      if (edge.from >= names.size() || edge.to >= names.size())
        throw core::InputError(fmt::format("edges: found user {}, expected less than {}",
                                           std::max(edge.from, edge.to), names.size()));
      if (!(edge.weight > 0.0F) || !std::isfinite(edge.weight))
        throw core::InputError(
            fmt::format("edges: found the weight {}, expected a positive number", edge.weight));
      builder.add_edge(edge.from, edge.to, edge.weight);
    }
    Dropped dropped;
    auto network = std::make_shared<const core::Network>(builder.build(directed, &dropped));
    if (dropped.self_loops + dropped.duplicate_edges > 0)
      run.warn(fmt::format("edges: dropped {} and {}",
                           core::counted(dropped.self_loops, "self-loop"),
                           core::counted(dropped.duplicate_edges, "duplicate edge")));
    return Internals::network(std::move(network));
  });
}

UserId Network::user_count() const { return content_->network->user_count(); }
std::uint64_t Network::edge_count() const { return content_->network->edge_count(); }
bool Network::is_directed() const { return content_->network->is_directed(); }
Network::Rows Network::neighbours() const { return rows_of(content_->network->both()); }
Network::Rows Network::followed() const { return rows_of(content_->network->out()); }

std::string_view Network::name(UserId user) const {
  if (user >= user_count())
    throw StateError(fmt::format("found user {}, expected less than {}", user, user_count()));
  return content_->network->name(user);
}

std::optional<UserId> Network::find(std::string_view name) const {
  const UserId user = content_->network->find(name);
  return user == core::kNoUser ? std::nullopt : std::optional(user);
}

UserId Network::at(std::string_view name) const {
  if (const auto user = find(name)) return *user;
  std::vector<std::string> known;
  for (UserId user = 0; user < user_count(); ++user) known.emplace_back(this->name(user));
  throw InputError(fmt::format("found {}, expected a user of the network", quoted(name)),
                   suggestion(name, known));
}

Attributes read_attributes(const std::string& path, const Network& network,
                           const Control& control) {
  return operate(control, [&](Run& run) {
    return attributes_of(core::read_attributes(path, Internals::of(network), {}, run));
  });
}

std::shared_ptr<const NetworkPair> pair_of(const Networks& networks) {
  auto pair = std::make_shared<NetworkPair>(
      NetworkPair{Internals::of(networks.a), Internals::of(networks.b)});
  if (networks.attributes_a.has_value() != networks.attributes_b.has_value())
    throw core::ParameterError("found attributes of one network alone, expected those of both",
                               "values of A are compared with values of B");
  if (!networks.attributes_a && networks.similarities.empty()) return pair;
  auto attributes = std::make_shared<PairAttributes>();
  if (networks.attributes_a) {
    attributes->a = table_of(*networks.attributes_a, pair->a, "attributes of A");
    attributes->b = table_of(*networks.attributes_b, pair->b, "attributes of B");
  }
  attributes->compare = networks.compare;
  if (!networks.similarities.empty())
    attributes->similarity = similarities_of(networks.similarities, *pair);
  pair->attributes = std::move(attributes);
  return pair;
}

Networks networks_of(const std::shared_ptr<const NetworkPair>& pair) {
  Networks networks{.a = Internals::network(std::shared_ptr<const core::Network>(pair, &pair->a)),
                    .b = Internals::network(std::shared_ptr<const core::Network>(pair, &pair->b))};
  if (pair->attributes == nullptr) return networks;
  networks.compare = pair->attributes->compare;
  if (!pair->attributes->a.fields.empty()) {
    networks.attributes_a = attributes_of(pair->attributes->a);
    networks.attributes_b = attributes_of(pair->attributes->b);
  }
  networks.similarities = listed(pair->attributes->similarity);
  return networks;
}

std::vector<Similarity> read_similarities(const std::string& path, const Networks& networks,
                                          const Control& control) {
  return operate(control, [&](Run& run) {
    const NetworkPair pair{Internals::of(networks.a), Internals::of(networks.b)};
    return listed(core::read_similarities(path, pair, {}, run));
  });
}

std::vector<Label> read_labels(const std::string& path, const Networks& networks,
                               const LabelOptions& options, const Control& control) {
  return operate(control, [&](Run& run) {
    const NetworkPair pair{Internals::of(networks.a), Internals::of(networks.b)};
    LabelNotes notes;
    const LabelSet labels = core::read_labels(path, pair,
                                              {.table = core_of(options.table),
                                               .skip_unknown = options.skip_unknown,
                                               .ignore_case = options.ignore_case},
                                              &notes);
    if (notes.skipped > 0)
      run.warn(fmt::format("{}: {} with users the networks do not have {} left out", path,
                           core::counted(notes.skipped, "line"),
                           core::by_number(notes.skipped, "was", "were")));
    return labels_of(labels);
  });
}

void add_labels(LabelSet& labels, std::span<const Label> more, const NetworkPair& networks) {
  for (const Label& label : more) {
    const UserPair pair{label.a, label.b};
    const bool is_known = (label.a < networks.a.user_count() || label.a == kNoUser) &&
                          (label.b < networks.b.user_count() || label.b == kNoUser);
    const bool is_pair = label.a != kNoUser && label.b != kNoUser;
    if (!is_known || (!is_pair && (!is_no_partner(pair) || label.is_anchor)))
      throw core::InputError("labels: found a user that the networks do not have");
    add_label(labels, pair, label.is_anchor ? core::Label::kAnchor : core::Label::kNotAnchor,
              networks, "labels", "a user has at most one partner; take one of the two out");
  }
}

std::vector<UserPair> anchors_in(std::span<const Label> truth, const NetworkPair& networks) {
  LabelSet known(networks.a.user_count(), networks.b.user_count());
  add_labels(known, truth, networks);
  return {known.anchors().begin(), known.anchors().end()};
}

std::vector<Label> labels_of(const LabelSet& labels) {
  std::vector<Label> all;
  for_each_label(labels, [&](UserPair pair, core::Label label) {
    all.push_back({pair.a, pair.b, label == core::Label::kAnchor});
  });
  return all;
}

}  // namespace dalaup::v1
