#pragma once
// One random network seen twice, for tests of methods.
#include <fmt/format.h>

#include <functional>

#include "aligner/aligner.h"
#include "support/support.h"

namespace dalaup {

// One random network twice, users of B renamed and some edges of each left out.
struct Planted {
  NetworkPair networks;
  std::vector<UserPair> truth;
  LabelSet labels;
};

inline Planted planted_pair(UserId users, std::size_t labelled) {
  Random random(5);
  std::vector<UserId> place(users);
  for (UserId user = 0; user < users; ++user) place[user] = user;
  random.shuffle(std::span(place));
  NetworkBuilder a;
  NetworkBuilder b;
  for (UserId user = 0; user < users; ++user) {
    a.add_user(fmt::format("a{}", user));
    b.add_user(fmt::format("b{}", user));
  }
  for (UserId user = 0; user < users; ++user)
    for (int edge = 0; edge < 5; ++edge) {
      const auto friend_of = static_cast<UserId>(random.below(users));
      if (random.chance(0.9)) a.add_edge(user, friend_of);
      if (random.chance(0.9)) b.add_edge(place[user], place[friend_of]);
    }
  Planted pair{
      .networks = {a.build(false), b.build(false)}, .truth = {}, .labels = LabelSet(users, users)};
  for (UserId user = 0; user < users; ++user) {
    pair.truth.push_back({user, place[user]});
    if (user < labelled) pair.labels.add(pair.truth.back(), Label::kAnchor);
  }
  return pair;
}

// Two networks that have nothing to do with each other, and labels that mean nothing.
inline Planted unrelated_pair(UserId users, std::size_t labelled) {
  Planted pair = planted_pair(users, labelled);
  pair.networks.b = planted_pair(users - 1, 0).networks.a;
  pair.labels = LabelSet(users, users - 1);
  for (std::size_t user = 0; user < labelled; ++user)
    if (pair.truth[user].b + 1 < users) pair.labels.add(pair.truth[user], Label::kAnchor);
  return pair;
}

inline std::vector<float> all_scores(const Aligner& aligner) {
  std::vector<float> all;
  std::vector<float> row(aligner.networks().b.user_count());
  for (UserId user = 0; user < aligner.networks().a.user_count(); ++user) {
    aligner.score_row(Side::kA, user, row);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

inline std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace dalaup
