#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <unordered_map>

#include "communicator/communicator.h"
#include "predictions/predictions.h"

namespace dalaup {
namespace {

std::string_view header_of(Side side) {
  return side == Side::kA ? "a\trank\tb\tscore\tprobability\n" : "b\trank\ta\tscore\tprobability\n";
}

// Calls write(text) for the lines of each user; from_name(user) and to_name(candidate) name them.
template <class FromName, class ToName, class Write>
void write_named_lines(const RankedLists& lists, const RankedLists& probabilities,
                       FromName&& from_name, ToName&& to_name, Write&& write) {
  fmt::memory_buffer text;
  for (std::size_t place = 0; place < lists.size(); ++place) {
    const auto& candidates = lists[place].candidates;
    text.clear();
    for (std::size_t i = 0; i < candidates.size(); ++i)
      fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\t{:.6g}\n",
                     from_name(lists[place].user), i + 1, to_name(candidates[i].user),
                     candidates[i].score, probabilities[place].candidates[i].score);
    write(std::string_view(text.data(), text.size()));
  }
}

template <class Write>
void write_lines(Side side, const RankedLists& lists, const RankedLists& probabilities,
                 const NetworkPair& networks, Write&& write) {
  const Network& from = networks.on(side);
  const Network& to = networks.on(other(side));
  write_named_lines(
      lists, probabilities, [&](UserId user) { return from.name(user); },
      [&](UserId candidate) { return to.name(candidate); }, write);
}

std::unordered_map<UserId, std::string> names_in(StoredModel& model, Side side,
                                                 const std::set<UserId>& wanted) {
  std::unordered_map<UserId, std::string> names;
  auto next = wanted.begin();
  model.for_names(side, [&](UserId user, std::string_view name) {
    if (next == wanted.end() || *next != user) return;
    names[user] = name;
    ++next;
  });
  return names;
}

}  // namespace

void write_ranked_lists(const std::string& path, Side side, const RankedLists& lists,
                        const RankedLists& probabilities, const NetworkPair& networks) {
  AtomicFile file(path);
  file.write(header_of(side));
  write_lines(side, lists, probabilities, networks,
              [&](std::string_view text) { file.write(text); });
  file.commit();
}

NamedLists with_names(StoredLists lists, StoredModel& model) {
  std::set<UserId> users;
  std::set<UserId> listed;
  for (const RankedList& list : lists.candidates) {
    users.insert(list.user);
    for (const Candidate& candidate : list.candidates) listed.insert(candidate.user);
  }
  return {std::move(lists), names_in(model, Side::kA, users), names_in(model, Side::kB, listed)};
}

void write_ranked_lists(const std::string& path, const NamedLists& named) {
  AtomicFile file(path);
  file.write(header_of(Side::kA));
  write_named_lines(
      named.lists.candidates, named.lists.probabilities,
      [&](UserId user) { return named.names_a.at(user); },
      [&](UserId candidate) { return named.names_b.at(candidate); },
      [&](std::string_view text) { file.write(text); });
  file.commit();
}

void write_ranked_parts(const std::string& path, Side side, const RankedLists& lists,
                        const RankedLists& probabilities, const NetworkPair& networks,
                        Communicator& communicator) {
  std::vector<char> own;
  write_lines(side, lists, probabilities, networks,
              [&](std::string_view text) { own.insert(own.end(), text.begin(), text.end()); });
  std::optional<AtomicFile> file;
  if (communicator.is_first()) {
    file.emplace(path);
    file->write(header_of(side));
  }
  visit_in_turn(communicator, std::move(own), [&](std::span<const char> part) {
    file->write({part.data(), part.size()});
  });
  if (file) file->commit();
}

void write_matched_pairs(const std::string& path, std::span<const PredictedPair> pairs,
                         const NetworkPair& networks) {
  std::vector<PredictedPair> sorted(pairs.begin(), pairs.end());
  std::ranges::sort(sorted, [](const PredictedPair& left, const PredictedPair& right) {
    return left.probability != right.probability ? left.probability > right.probability
                                                 : left.pair < right.pair;
  });
  const auto rank_words = [](std::size_t rank) {
    return rank == 0 ? std::string() : fmt::format("{}", rank);
  };
  AtomicFile file(path);
  file.write("a\tb\tprobability\tmargin\trank_a\trank_b\tknown\n");
  for (const PredictedPair& found : sorted)
    file.write(fmt::format("{}\t{}\t{:.6g}\t{:.6g}\t{}\t{}\t{}\n", networks.a.name(found.pair.a),
                           networks.b.name(found.pair.b), found.probability, found.margin,
                           rank_words(found.rank_a), rank_words(found.rank_b),
                           found.is_known ? 1 : 0));
  file.commit();
}

std::vector<UnmatchedUser> unmatched_users(const Aligner& aligner) {
  std::vector<UnmatchedUser> users;
  for (const Side side : {Side::kA, Side::kB})
    for (UserId user = 0; user < aligner.networks().on(side).user_count(); ++user) {
      if (aligner.labels().is_anchored(side, user)) continue;
      const auto probability = aligner.no_partner_probability(side, user);
      if (!probability)
        throw ParameterError(fmt::format("{} cannot tell who has no partner", aligner.method()),
                             "the method propagation can");
      users.push_back({side, user, *probability});
    }
  std::ranges::stable_sort(users, [](const UnmatchedUser& left, const UnmatchedUser& right) {
    return left.probability > right.probability;
  });
  return users;
}

double write_unmatched(const std::string& path, const Aligner& aligner) {
  const std::vector<UnmatchedUser> users = unmatched_users(aligner);
  double expected = 0.0;
  AtomicFile file(path);
  file.write("side\tuser\tprobability\n");
  for (const UnmatchedUser& one : users) {
    expected += one.probability;
    file.write(fmt::format("{}\t{}\t{:.6f}\n", name_of(one.side),
                           aligner.networks().on(one.side).name(one.user), one.probability));
  }
  file.commit();
  return expected;
}

}  // namespace dalaup
