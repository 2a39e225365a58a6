#pragma once
// The propagation aligner, dalaup's default method: users are one person when their neighbours are.
// Known anchors give every pair a first similarity; a soft one-to-one matching is read off it;
// pairs whose neighbours are matched gain evidence; matching and evidence take turns while the
// matching hardens. A small model fitted on hidden labels turns the outcome into probabilities.
// Method, formulas and limits: docs/method/propagation.md.
#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>

#include "aligner/aligner.h"

namespace dalaup {

struct PropagationParams {
  std::string prior = "context";       // first similarity: of contexts, of learned vectors, or both
  double restart_probability = 0.6;    // of the walk that describes users by known anchors
  int walk_steps = 3;                  // steps added up
  int context_size = 32;               // strongest anchors kept per user and direction of edges
  int prior_candidates = 50;           // candidates per user by context alone
  int listed_candidates = 100;         // candidates per user in the end
  double prior_weight = 0.1;           // of the context beside evidence of matched neighbours
  int iterations = 16;                 // of matching and evidence, at most
  double first_temperature = 0.03;     // of the soft matching; falls geometrically ...
  double last_temperature = 0.015;     // ... to this
  int balancing_sweeps = 8;            // of each soft matching
  double least_match = -1.0;           // weaker matches give no evidence; -1: 0.1
  double evidence_damping = -1.0;      // pseudo-count of matched neighbours; -1: 0.7
  std::string consensus = "auto";      // of four matchings with other values of these two
  double density_balance = -1.0;       // share of A in the evidence's norm; -1: from the labels
  double ranking_temperature = 0.035;  // of the plan behind the final ranking
  int calibration_folds = -1;          // each hides its share of the labels; 0: no calibration;
                                       // -1: 5 or 3, by the labels
  int calibration_labels = 400;        // enough hidden labels: further folds are left out
  std::string self_training = "auto";  // repeat with what the first run is sure of as anchors
  double calibration_shrinkage = 1.0;  // pull of the probability model towards the plan
  bool trust_no = false;               // negative labels also keep pairs out of the propagation
  std::string checkpoint = "";         // file that keeps how far a fit has come; empty: none
};

template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, PropagationParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("prior", params.prior, Choices{"context", "aup", "both"},
        "the first similarity of pairs: of contexts, of aup's vectors, or the mean of both");
  visit("restart_probability|restart", params.restart_probability, 0.01, 0.99,
        "chance of jumping home in the walk that describes users by known anchors");
  visit("walk_steps|steps", params.walk_steps, 1, 10, "steps of that walk, added up");
  visit("context_size", params.context_size, 1, 10000, "strongest anchors kept per user");
  visit("prior_candidates", params.prior_candidates, 1, 10000,
        "candidates per user found by context alone");
  visit("listed_candidates", params.listed_candidates, 2, 10000,
        "candidates per user that are kept and ranked");
  visit("prior_weight", params.prior_weight, 0.0, 1.0,
        "weight of the context beside the evidence of matched neighbours");
  visit("iterations", params.iterations, 1, 1000,
        "most rounds of matching and evidence; fewer when the matching stands still");
  visit("first_temperature", params.first_temperature, 0.001, 1.0,
        "softness of the matching in the first round");
  visit("last_temperature", params.last_temperature, 0.001, 1.0,
        "softness of the matching in the last round");
  visit("balancing_sweeps", params.balancing_sweeps, 1, 1000,
        "how often rows and columns of the matching are balanced");
  visit("least_match", params.least_match, -1.0, 0.9,
        "weaker matches give no evidence; -1: 0.1, and a consensus may try others");
  visit("evidence_damping", params.evidence_damping, -1.0, 10.0,
        "damps the evidence of users with few matched neighbours; -1: 0.7, and a consensus may try "
        "others");
  visit("consensus", params.consensus, Choices{"auto", "yes", "no"},
        "evidence from the mean of four matchings, with other least matches and dampings; auto: "
        "where that is cheap, unless hidden labels say otherwise");
  visit("density_balance", params.density_balance, -1.0, 1.0,
        "share of network A in the norm of the evidence; -1 counts labelled edges");
  visit("ranking_temperature", params.ranking_temperature, 0.001, 1.0,
        "softness of the plan behind the final ranking");
  visit("calibration_folds", params.calibration_folds, -1, 20,
        "parts the labels are hidden in to learn probabilities; -1: five from 40 to 149 "
        "anchors, and from 40 on where pairs were answered \"no\", else three; 0 and 1 switch it "
        "off");
  visit("calibration_labels", params.calibration_labels, 1, 1000000,
        "hidden labels that suffice; further parts are skipped");
  visit("calibration_shrinkage", params.calibration_shrinkage, 0.001, 1000.0,
        "how strongly the probability model is held to the plain plan");
  visit("self_training", params.self_training, Choices{"auto", "yes", "no"},
        "repeat the rounds with the pairs that a first run is sure of as further anchors; auto: in "
        "networks of up to 100,000 users. Needs hidden labels to know what is sure");
  visit("trust_no", params.trust_no,
        "pairs answered \"no\" are kept out of the propagation too, not only out of the lists");
  visit("checkpoint", params.checkpoint, Choices{},
        "file that keeps the state after each round; after a crash the same command goes on from "
        "it, on any number of ranks");
}

// A new, unfitted method that has embeddings(), for the priors "aup" and "both". It is fitted once
// for the labels and once for each part of them that is hidden to learn probabilities.
using EmbedderMaker = std::function<std::unique_ptr<Aligner>()>;

// Throws ParameterError when a parameter is out of range, or when the prior needs an embedder and
// there is none.
std::unique_ptr<Aligner> make_propagation(const PropagationParams& params = {},
                                          EmbedderMaker make_embedder = {});

// What a fitted propagation would tell of these users of A, from its file alone; nothing where the
// file has to be loaded.
std::optional<StoredLists> propagation_lists_in(StoredModel& model, std::span<const UserId> users,
                                                std::size_t top);

}  // namespace dalaup
