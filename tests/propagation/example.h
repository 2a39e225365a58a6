#pragma once
// Pairs of networks for the tests of the propagation.
#include <fmt/format.h>

#include <numeric>
#include <string>

#include "generate/generate.h"
#include "methods/propagation/propagation.h"
#include "support/support.h"

// Statistics over many fits: ten times as slow with sanitizers, which other tests give enough to
// do.
#ifdef __SANITIZE_ADDRESS__
#define SKIP_WITH_SANITIZERS() GTEST_SKIP() << "statistics of many fits are left out here"
#else
#define SKIP_WITH_SANITIZERS() static_cast<void>(0)
#endif

namespace dalaup {

struct Example {
  NetworkPair networks;
  std::vector<UserPair> truth;
  LabelSet labels;
  std::vector<UserPair> tests;  // truth outside the labels
};

// A small society seen twice; every `spacing`-th anchor is labelled.
inline Example generated_example(GeneratorParams params, std::size_t spacing) {
  Run run;
  GeneratedPair pair = generate_pair(params, run);
  Example example{std::move(pair.networks), pair.truth, {}, {}};
  example.labels = LabelSet(example.networks.a.user_count(), example.networks.b.user_count());
  for (std::size_t i = 0; i < example.truth.size(); ++i) {
    if (i % spacing == 0)
      example.labels.add(example.truth[i], Label::kAnchor);
    else
      example.tests.push_back(example.truth[i]);
  }
  return example;
}

inline Example small_society() {
  return generated_example({.users_a = 300,
                            .users_b = 280,
                            .anchors = 220,
                            .edges_a = 1800,
                            .edges_b = 2000,
                            .overlap = 0.8,
                            .community_size = 30},
                           4);
}

// A dense network and a sparse one inside it, without communities: many pairs are nearly equal.
inline Example dense_open_pair() {
  return generated_example({.users_a = 300,
                            .users_b = 300,
                            .anchors = 300,
                            .edges_a = 9000,
                            .edges_b = 800,
                            .overlap = 0.97,
                            .community_size = 300},
                           6);
}

inline double precision_at(const Aligner& aligner, std::span<const UserPair> tests, double cutoff) {
  Run run;
  const auto ranks = aligner.ranks(tests, run);
  return static_cast<double>(
             std::ranges::count_if(ranks, [&](double rank) { return rank <= cutoff; })) /
         static_cast<double>(ranks.size());
}

}  // namespace dalaup
