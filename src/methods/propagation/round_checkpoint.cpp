#include "methods/propagation/round_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace dalaup {
namespace {

constexpr std::string_view kKind = "checkpoint";
constexpr std::uint32_t kVersion = 3;  // raised, too, when rounds give other numbers than before

template <class T>
std::string_view bytes_in(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

template <class T>
std::uint64_t digest_of_values(const std::vector<T>& values, std::uint64_t before) {
  return digest_of(bytes_in(std::span<const T>(values)), before);
}

std::uint64_t digest_of_network(const Network& network, std::uint64_t digest) {
  for (const Adjacency* const edges : {&network.both(), &network.out()}) {
    digest = digest_of_values(edges->begins, digest);
    digest = digest_of_values(edges->users, digest);
    digest = digest_of_values(edges->weights, digest);
  }
  for (UserId user = 0; user < network.user_count(); ++user)
    digest = digest_of(network.name(user), digest);
  return digest;
}

std::string hexadecimal(std::uint64_t digest) { return fmt::format("{:016x}", digest); }

// Matchings are whole on every rank.
void put_matchings(ArchiveWriter& archive, const std::string& name,
                   const std::vector<Rows<WeightedUser>>& matchings) {
  archive.put(name, static_cast<std::int64_t>(matchings.size()));
  for (std::size_t i = 0; i < matchings.size(); ++i) {
    const Rows<WeightedUser>& matched = matchings[i];
    std::vector<std::uint32_t> counts;
    for (std::size_t user = 0; user < matched.size(); ++user)
      counts.push_back(static_cast<std::uint32_t>(matched.of(user).size()));
    archive.put(fmt::format("{}.{}.counts", name, i), counts);
    archive.put(fmt::format("{}.{}.pairs", name, i), matched.items);
  }
}

// Reads entries and refuses those that do not fit the networks.
class KeptReader {
 public:
  KeptReader(const ArchiveReader& archive, const NetworkPair& networks)
      : archive_(archive), users_a_(networks.a.user_count()), users_b_(networks.b.user_count()) {}

  std::size_t number(const std::string& name, std::size_t most) const {
    const std::int64_t found = archive_.whole_number(name);
    if (found < 0 || static_cast<std::uint64_t>(found) > most)
      throw foreign(fmt::format("{} in \"{}\"", found, name), fmt::format("0 to {}", most));
    return static_cast<std::size_t>(found);
  }

  Rows<WeightedUser> rows(const std::string& name, float highest) const {
    const auto counts = archive_.values<std::uint32_t>(name + ".counts");
    Rows<WeightedUser> rows;
    rows.items = archive_.values<WeightedUser>(name + ".pairs");
    const std::uint64_t total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    if (counts.size() != users_a_ || total != rows.items.size())
      throw foreign(fmt::format("{} rows of {} pairs in \"{}\"", counts.size(), total, name),
                    fmt::format("{} of {}", users_a_, rows.items.size()));
    for (const std::uint32_t count : counts) rows.begins.push_back(rows.begins.back() + count);
    for (const WeightedUser& item : rows.items)
      if (item.user >= users_b_ || !(item.weight >= 0.0F && item.weight <= highest))
        throw foreign(fmt::format("user {} with weight {} in \"{}\"", item.user, item.weight, name),
                      fmt::format("a user below {} with 0 to {}", users_b_, highest));
    return rows;
  }

  std::vector<Rows<WeightedUser>> matchings(const std::string& name, std::size_t most) const {
    std::vector<Rows<WeightedUser>> all(number(name, most));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = rows(fmt::format("{}.{}", name, i), 1.0F);
    return all;
  }

  // One for each user of A, each of which `is_right`.
  template <class T, class Test>
  std::vector<T> by_user(const std::string& name, const Test& is_right) const {
    auto values = archive_.values<T>(name);
    if (values.size() != users_a_)
      throw foreign(fmt::format("{} numbers in \"{}\"", values.size(), name),
                    std::to_string(users_a_));
    for (const T& value : values)
      if (!is_right(value))
        throw foreign(fmt::format("{} in \"{}\"", value, name), "a number that fits the networks");
    return values;
  }

  bool is_user_of_b(UserId user) const { return user < users_b_; }

 private:
  InputError foreign(const std::string& found, const std::string& expected) const {
    return {archive_.path(), 0, fmt::format("found {}, expected {}", found, expected),
            "the file is damaged; remove it to begin anew"};
  }
  const ArchiveReader& archive_;
  std::size_t users_a_;
  std::size_t users_b_;
};

// The rows of one rank.
template <class T>
Rows<T> cut_out(const Rows<T>& all, RowRange own) {
  Rows<T> part;
  for (std::size_t row = own.begin; row < own.end; ++row) {
    part.items.insert(part.items.end(), all.of(row).begin(), all.of(row).end());
    part.end_row();
  }
  return part;
}

// The content of the file on rank 0, for everybody; nothing when there is none.
std::optional<std::string> content_of(const std::string& path, Communicator& ranks) {
  std::string content;
  std::uint64_t size = 0;  // and one
  if (ranks.is_first() && file_exists(path)) {
    content = read_all(*open_bytes(path));
    size = content.size() + 1;
  }
  ranks.broadcast(0, std::as_writable_bytes(std::span(&size, 1)));
  if (size == 0) return std::nullopt;
  content.resize(size - 1);
  ranks.broadcast(0, std::as_writable_bytes(std::span(content)));
  return content;
}

}  // namespace

Checkpoint::Checkpoint(std::string path, Identity identity, const NetworkPair& networks,
                       const PropagationParams& params, Run& run)
    : path_(std::move(path)),
      identity_(std::move(identity)),
      ranks_(communicator_of(run)),
      own_(RowBlocks(networks.a.both().begins, ranks_).own()) {
  auto content = content_of(path_, ranks_);
  if (content) read(ArchiveReader(std::move(*content), path_, kKind, kVersion), networks, params);
}

void Checkpoint::refuse(const std::string& found, const std::string& expected) const {
  throw InputError(path_, 0, fmt::format("found {}, expected {}", found, expected),
                   "give the inputs and settings it was begun with, remove the file to begin anew, "
                   "or name another one with --checkpoint");
}

void Checkpoint::read(const ArchiveReader& archive, const NetworkPair& networks,
                      const PropagationParams& params) {
  if (!archive.has("runs")) refuse("a checkpoint of another method", "one of propagation");
  for (const auto& [what, value] : identity_)
    if (!archive.has(what) || archive.text(what) != value)
      refuse(fmt::format("a checkpoint of a training with other {}", what),
             fmt::format("the {} of this one", what));
  const KeptReader reader(archive, networks);
  const auto most_rounds = static_cast<std::size_t>(params.iterations);
  constexpr std::size_t kMostMembers = 4;
  constexpr std::size_t kMostMatchings = 2;
  for (const std::string& name : archive.strings("runs")) {
    KeptRounds& run = runs_[name];
    run.finished = reader.matchings(name + ".finished", kMostMembers);
    run.matchings = reader.matchings(name + ".matchings", kMostMatchings);
    run.listed = cut_out(reader.rows(name + ".listed", std::numeric_limits<float>::max()), own_);
    if (run.matchings.empty()) continue;
    run.agenda.round = static_cast<int>(reader.number(name + ".round", most_rounds));
    if (!Agenda::updates_everybody(run.agenda.round))
      refuse(fmt::format("round {} in \"{}\"", run.agenda.round, name),
             "one that updates everybody");
    run.agenda.calm_rounds =
        static_cast<int>(reader.number(name + ".calm_rounds", Agenda::kCalmRounds));
    run.agenda.partners = reader.by_user<UserId>(name + ".partners", [&](UserId partner) {
      return partner == kNoUser || reader.is_user_of_b(partner);
    });
    const auto weakest = reader.by_user<float>(
        name + ".weakest", [](float value) { return std::isfinite(value) && value >= 0.0F; });
    run.weakest.assign(weakest.begin() + static_cast<std::ptrdiff_t>(own_.begin),
                       weakest.begin() + static_cast<std::ptrdiff_t>(own_.end));
  }
}

KeptRounds& Checkpoint::run_of(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  return runs_[name];
}

void Checkpoint::update(const std::function<void()>& change) {
  const std::scoped_lock lock(mutex_);
  change();
  write();
}

void Checkpoint::write() {
  std::vector<std::string> names;
  for (const auto& [name, run] : runs_)
    if (!run.finished.empty() || !run.matchings.empty()) names.push_back(name);
  ArchiveWriter archive = ranks_.is_first() ? ArchiveWriter(path_, kKind, kVersion)
                                            : ArchiveWriter(ArchiveWriter::Keeps::kNothing);
  for (const auto& [what, value] : identity_) archive.put(what, value);
  archive.put_strings("runs", names);
  for (const std::string& name : names) {
    const KeptRounds& run = runs_.at(name);
    put_matchings(archive, name + ".finished", run.finished);
    put_matchings(archive, name + ".matchings", run.matchings);
    const auto listed_of = [&](std::size_t user) { return run.listed.of(user - own_.begin); };
    put_rows<std::uint32_t>(archive, name + ".listed.counts", own_, own_.size(), ranks_,
                            [&](std::size_t user, std::vector<std::uint32_t>& counts) {
                              counts.push_back(static_cast<std::uint32_t>(listed_of(user).size()));
                            });
    put_rows<WeightedUser>(archive, name + ".listed.pairs", own_, run.listed.items.size(), ranks_,
                           [&](std::size_t user, std::vector<WeightedUser>& pairs) {
                             pairs.insert(pairs.end(), listed_of(user).begin(),
                                          listed_of(user).end());
                           });
    if (run.matchings.empty()) continue;
    archive.put(name + ".round", std::int64_t{run.agenda.round});
    archive.put(name + ".calm_rounds", std::int64_t{run.agenda.calm_rounds});
    archive.put(name + ".partners", run.agenda.partners);
    put_rows<float>(archive, name + ".weakest", own_, own_.size(), ranks_,
                    [&](std::size_t user, std::vector<float>& weakest) {
                      weakest.push_back(run.weakest[user - own_.begin]);
                    });
  }
  if (ranks_.is_first()) archive.commit();
}

Checkpoint::Identity identity_of(const NetworkPair& networks, const LabelSet& labels,
                                 PropagationParams params, const Run& run) {
  params.checkpoint.clear();
  ArchiveWriter about_labels;
  save_labels(about_labels, labels);
  ArchiveWriter about_attributes;
  if (networks.attributes != nullptr) save_attributes(about_attributes, *networks.attributes);
  const auto digest_in = [](const ArchiveWriter& archive) {
    return hexadecimal(digest_of(archive.to_bytes(kKind, kVersion)));
  };
  return {
      {"networks", hexadecimal(digest_of_network(networks.b, digest_of_network(networks.a, 0)))},
      {"attributes", digest_in(about_attributes)},
      {"labels", digest_in(about_labels)},
      {"settings", to_settings(params).to_json()},
      {"seed", std::to_string(run.seed())}};
}

}  // namespace dalaup
