#pragma once
// What speaks for and against two accounts being one person, from known pairs alone.
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "labels/labels.h"
#include "networks/networks.h"

namespace dalaup {

struct Contact {
  enum class Kind : std::uint8_t {
    kShared,     // known to be the same person as a contact of the other user
    kElsewhere,  // has a known partner who is no contact of the other user
    kLikely,     // the model takes it for a contact of the other user
    kOpen,       // nothing is known
  };
  UserId user = kNoUser;
  Kind kind = Kind::kOpen;
  int person = -1;  // the same number on either side: the same person
};
std::string_view name_of(Contact::Kind kind);

struct Evidence {
  UserPair pair;
  std::uint32_t degree_a = 0;
  std::uint32_t degree_b = 0;
  std::uint32_t matched_a = 0;  // contacts of a with a known partner
  std::uint32_t matched_b = 0;
  std::uint32_t shared = 0;         // people known to be contacts of both
  std::uint32_t matched = 0;        // people with two known accounts who are contacts of either
  std::vector<Contact> contacts_a;  // the most telling ones, shared before others
  std::vector<Contact> contacts_b;
  std::vector<std::pair<UserId, UserId>> edges_a;  // among contacts_a
  std::vector<std::pair<UserId, UserId>> edges_b;
  std::string words;  // "4 of their 9 matched contacts are the same people."
};

// Of each user at most `most_contacts` contacts are listed; all are counted.
Evidence evidence_for(UserPair pair, const NetworkPair& networks, const LabelSet& labels,
                      std::span<const UserPair> likely_same, std::size_t most_contacts);

}  // namespace dalaup
