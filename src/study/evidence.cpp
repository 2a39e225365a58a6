#include "study/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace dalaup {
namespace {

bool are_neighbours(const Network& network, UserId left, UserId right) {
  const auto neighbours = network.neighbours(left);
  return std::ranges::binary_search(neighbours, right);
}

std::vector<Contact> contacts_of(Side side, UserPair pair, const NetworkPair& networks,
                                 const LabelSet& labels,
                                 const std::unordered_map<UserId, int>& likely) {
  const Network& network = networks.on(side);
  const Network& opposite = networks.on(other(side));
  std::vector<Contact> contacts;
  contacts.reserve(network.degree(pair.on(side)));
  for (const UserId contact : network.neighbours(pair.on(side))) {
    const UserId partner = labels.partner(side, contact);
    if (partner == kNoUser) {
      const auto guess = likely.find(contact);
      if (guess == likely.end())
        contacts.push_back({contact, Contact::Kind::kOpen, -1});
      else
        contacts.push_back({contact, Contact::Kind::kLikely, guess->second});
      continue;
    }
    const bool shared = are_neighbours(opposite, pair.on(other(side)), partner);
    contacts.push_back({contact, shared ? Contact::Kind::kShared : Contact::Kind::kElsewhere, -1});
  }
  return contacts;
}

// Shared first; among the others those with few contacts tell more than those everybody knows.
void keep_most_telling(std::vector<Contact>& contacts, const Network& network, std::size_t most) {
  const auto sooner = [&](const Contact& left, const Contact& right) {
    if (left.kind != right.kind) return left.kind < right.kind;
    const auto left_degree = network.degree(left.user);
    const auto right_degree = network.degree(right.user);
    return left_degree != right_degree ? left_degree < right_degree : left.user < right.user;
  };
  const auto end = contacts.begin() + static_cast<std::ptrdiff_t>(std::min(most, contacts.size()));
  std::partial_sort(contacts.begin(), end, contacts.end(), sooner);
  contacts.erase(end, contacts.end());
}

std::vector<std::pair<UserId, UserId>> edges_among(const std::vector<Contact>& contacts,
                                                   const Network& network) {
  std::vector<std::pair<UserId, UserId>> edges;
  for (std::size_t left = 0; left < contacts.size(); ++left)
    for (std::size_t right = left + 1; right < contacts.size(); ++right)
      if (are_neighbours(network, contacts[left].user, contacts[right].user))
        edges.emplace_back(contacts[left].user, contacts[right].user);
  return edges;
}

std::string in_words(const Evidence& evidence) {
  if (evidence.matched == 0) return "No contact of either user is matched yet.";
  if (evidence.matched == 1)
    return evidence.shared == 1 ? "Their only matched contact is the same person."
                                : "Their only matched contact is a contact of one of them only.";
  if (evidence.shared == 0)
    return fmt::format("None of their {} matched contacts are the same people.", evidence.matched);
  if (evidence.shared == evidence.matched)
    return fmt::format("All of their {} matched contacts are the same people.", evidence.matched);
  if (evidence.shared == 1)
    return fmt::format("1 of their {} matched contacts is the same person.", evidence.matched);
  return fmt::format("{} of their {} matched contacts are the same people.", evidence.shared,
                     evidence.matched);
}

}  // namespace

std::string_view name_of(Contact::Kind kind) {
  constexpr std::array<std::string_view, 4> kNames{"shared", "elsewhere", "likely", "open"};
  return kNames[static_cast<std::size_t>(kind)];
}

Evidence evidence_for(UserPair pair, const NetworkPair& networks, const LabelSet& labels,
                      std::span<const UserPair> likely_same, std::size_t most_contacts) {
  Evidence evidence;
  evidence.pair = pair;
  evidence.degree_a = networks.a.degree(pair.a);
  evidence.degree_b = networks.b.degree(pair.b);
  std::unordered_map<UserId, int> likely_a;
  std::unordered_map<UserId, int> likely_b;
  constexpr int kFirstLikely = 1000;  // apart from the numbers of known people
  for (const UserPair same : likely_same) {
    if (labels.is_anchored(Side::kA, same.a) || labels.is_anchored(Side::kB, same.b)) continue;
    const int person = kFirstLikely + static_cast<int>(likely_a.size());
    if (likely_a.contains(same.a) || likely_b.contains(same.b)) continue;
    likely_a[same.a] = person;
    likely_b[same.b] = person;
  }
  evidence.contacts_a = contacts_of(Side::kA, pair, networks, labels, likely_a);
  evidence.contacts_b = contacts_of(Side::kB, pair, networks, labels, likely_b);
  for (const Contact& contact : evidence.contacts_a) {
    evidence.shared += contact.kind == Contact::Kind::kShared ? 1 : 0;
    evidence.matched_a += contact.kind <= Contact::Kind::kElsewhere ? 1 : 0;
  }
  for (const Contact& contact : evidence.contacts_b)
    evidence.matched_b += contact.kind <= Contact::Kind::kElsewhere ? 1 : 0;
  evidence.matched = evidence.matched_a + evidence.matched_b - evidence.shared;
  keep_most_telling(evidence.contacts_a, networks.a, most_contacts);

  std::unordered_map<UserId, int> person_of_b;
  int people = 0;
  for (Contact& contact : evidence.contacts_a)
    if (contact.kind == Contact::Kind::kShared) {
      contact.person = people++;
      person_of_b[labels.partner(Side::kA, contact.user)] = contact.person;
    }
  for (Contact& contact : evidence.contacts_b)
    if (const auto found = person_of_b.find(contact.user); found != person_of_b.end())
      contact.person = found->second;
  // Those whose other half is listed come first, in the same order on both sides.
  std::ranges::stable_sort(evidence.contacts_b, {}, [](const Contact& contact) {
    return contact.person >= 0 && contact.kind == Contact::Kind::kShared ? contact.person : 1 << 20;
  });
  const auto listed = std::ranges::find_if(evidence.contacts_b, [](const Contact& contact) {
    return contact.kind != Contact::Kind::kShared || contact.person < 0;
  });
  std::vector<Contact> rest(listed, evidence.contacts_b.end());
  evidence.contacts_b.erase(listed, evidence.contacts_b.end());
  const std::size_t room = most_contacts - std::min(most_contacts, evidence.contacts_b.size());
  keep_most_telling(rest, networks.b, room);
  evidence.contacts_b.insert(evidence.contacts_b.end(), rest.begin(), rest.end());

  evidence.edges_a = edges_among(evidence.contacts_a, networks.a);
  evidence.edges_b = edges_among(evidence.contacts_b, networks.b);
  evidence.words = in_words(evidence);
  return evidence;
}

}  // namespace dalaup
