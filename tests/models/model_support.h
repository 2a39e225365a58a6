#pragma once
// A small model of every method, and everything that one can be asked. Shared with the fuzz target.
#include <cmath>
#include <numeric>

#include "generate/generate.h"
#include "methods/methods.h"

namespace dalaup {

struct MethodAndSettings {
  const char* method;
  const char* settings;  // JSON
};

// Small and quick; what they learn does not matter here.
inline constexpr MethodAndSettings kSmallMethods[] = {
    {"propagation", R"({"iterations": 5, "listed_candidates": 10})"},
    {"anchor_context", R"({"epochs": 3})"},
    {"aup", R"({"epochs": 2, "embedding_dim": 4, "channels": 2, "convolution_layers": 1})"},
    {"aup", R"({"epochs": 2, "embedding_dim": 4, "score": "classifier", "convolution_layers": 0})"},
    {"deepwalk", R"({"embedding_dim": 4, "walks_per_user": 2})"},
    {"pale", R"({"embedding_dim": 4, "epochs": 1})"},
    {"ione", R"({"embedding_dim": 4, "epochs": 1})"},
};

inline GeneratedPair small_pair(Run& run) {
  return generate_pair({.users_a = 30,
                        .users_b = 28,
                        .anchors = 24,
                        .edges_a = 80,
                        .edges_b = 90,
                        .overlap = 0.8,
                        .community_size = 10,
                        .attributes = true},
                       run);
}

// Writes the model to `path`.
inline void save_small_model(const MethodAndSettings& which, const std::string& path, Run& run) {
  const GeneratedPair pair = small_pair(run);
  LabelSet labels(pair.networks.a.user_count(), pair.networks.b.user_count());
  for (std::size_t place = 0; place < pair.truth.size() / 2; ++place)
    labels.add(pair.truth[place], Label::kAnchor);
  const auto aligner = all_methods().make(which.method, Settings::from_json(which.settings));
  aligner->fit(pair.networks, labels, run);
  save_model(path, *aligner);
}

// All that commands ask of a model.
inline void use_model(const Aligner& aligner, Run& run) {
  for (const Side side : {Side::kA, Side::kB}) {
    std::vector<UserId> users(aligner.networks().on(side).user_count());
    std::iota(users.begin(), users.end(), UserId{0});
    aligner.best_candidates(side, users, 3, run);
    aligner.negative_information(side, run);
    if (!users.empty()) aligner.no_partner_probability(side, users.back());
  }
  aligner.attribute_fields();
  aligner.embeddings();
  if (aligner.networks().a.user_count() == 0 || aligner.networks().b.user_count() == 0) return;
  for (const UserPair pair : {UserPair{0, 0}, UserPair{aligner.networks().a.user_count() - 1,
                                                       aligner.networks().b.user_count() - 1}}) {
    aligner.score(pair);
    aligner.probability(pair);
    aligner.pair_features(pair);
    aligner.explain(pair, 5);
    aligner.ranks(std::span(&pair, 1), run);
  }
}

}  // namespace dalaup
