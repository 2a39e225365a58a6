#pragma once
// Paired networks with a known truth: two noisy views of one hidden society.
//
// A society of people with skewed sociability, communities and closed triangles is drawn first.
// Each network sees some of the people and some of the ties between them; the people it shares with
// the other network are the anchors. Users are named anew on either side and, unless asked
// otherwise, shuffled, so that nothing but structure tells who is who.
#include <cstdint>
#include <string>
#include <vector>

#include "base/base.h"
#include "labels/labels.h"
#include "networks/networks.h"

namespace dalaup {

struct GeneratorParams {
  int users_a = 5313;
  int users_b = 5120;
  int anchors = 3141;
  std::int64_t edges_a = 54233;
  std::int64_t edges_b = 130575;
  double overlap = 0.53;          // of the sparser network's edges between anchored users
  double degree_exponent = 2.3;   // of the power law that sociability follows
  int community_size = 40;        // mean; sizes are skewed too
  double community_share = 0.65;  // of the ties that do not close a triangle
  double closure_share = 0.4;     // of all ties
  double activity_spread = 1.0;   // how unequal a person's activity is in either network
  double removed_share = 0.0;     // of the edges of both networks, taken away at the end
  bool directed = false;
  double reciprocity = 0.33;        // share of directed edges that go both ways
  std::string order = "shuffled";   // aligned: partners stand at the same place of both files
  double labels_share = 0.0;        // of the truth, given as labels
  double wrong_labels_share = 0.0;  // of these labels, pointing at somebody else's partner
  bool attributes = false;          // users get a name, a place and a date of birth
  double typo_share = 0.3;          // of the names, on either side
  double missing_share = 0.1;       // of the values, on either side
  double wrong_values_share = 0.0;  // of the values, taken from somebody else
};

template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, GeneratorParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("users_a", params.users_a, 2, 1'000'000'000, "users of network A");
  visit("users_b", params.users_b, 2, 1'000'000'000, "users of network B");
  visit("anchors", params.anchors, 1, 1'000'000'000, "people with an account in both");
  visit("edges_a", params.edges_a, 0, 100'000'000'000, "undirected edges of network A");
  visit("edges_b", params.edges_b, 0, 100'000'000'000, "undirected edges of network B");
  visit("overlap", params.overlap, 0.05, 1.0,
        "share of the sparser network's edges between anchored users that the other has too");
  visit("degree_exponent", params.degree_exponent, 2.05, 10.0,
        "exponent of the power law of sociability; smaller is more skewed");
  visit("community_size", params.community_size, 3, 1'000'000'000, "mean size of a community");
  visit("community_share", params.community_share, 0.0, 1.0, "share of ties inside communities");
  visit("closure_share", params.closure_share, 0.0, 0.95, "share of ties that close a triangle");
  visit("activity_spread", params.activity_spread, 0.0, 3.0,
        "how unequal a person's activity is in either network; 0: all ties alike");
  visit("removed_share", params.removed_share, 0.0, 0.95,
        "share of the edges of both networks removed at the end");
  visit("directed", params.directed, "give edges a direction");
  visit("reciprocity", params.reciprocity, 0.0, 1.0, "share of directed edges that go both ways");
  visit("order", params.order, Choices{"shuffled", "aligned"},
        "order of users in the two files; aligned: partners stand at the same place, as in the "
        "paper's files, then everybody else");
  visit("labels_share", params.labels_share, 0.0, 1.0, "share of the truth given as labels");
  visit("wrong_labels_share", params.wrong_labels_share, 0.0, 1.0, "share of wrong labels");
  visit("attributes", params.attributes, "give users a name, a place and a date of birth");
  visit("typo_share", params.typo_share, 0.0, 1.0, "share of names with a typing error");
  visit("missing_share", params.missing_share, 0.0, 1.0, "share of attribute values left out");
  visit("wrong_values_share", params.wrong_values_share, 0.0, 1.0,
        "share of attribute values taken from somebody else");
}

struct GeneratedPair {
  NetworkPair networks;
  std::vector<UserPair> truth;         // by user of A
  std::vector<UserPair> labels;        // by user of A; wrong ones included
  std::uint64_t anchored_edges_a = 0;  // edges between anchored users
  std::uint64_t anchored_edges_b = 0;
  std::uint64_t common_edges = 0;  // of these, in both networks
  bool keeps_order = false;        // files declare users in order
};

// The same for the same parameters and seed, at any thread count. Sizes are met exactly. Every user
// has an edge unless the society gives it nobody in that network. Throws ParameterError for sizes
// that contradict each other.
GeneratedPair generate_pair(const GeneratorParams& params, Run& run);

// Attributes of the users of a pair: people in both networks have the same, up to typing errors,
// values left out and values taken from somebody else.
std::shared_ptr<const PairAttributes> draw_attributes(const NetworkPair& networks,
                                                      std::span<const UserPair> truth,
                                                      const GeneratorParams& params, Run& run);

// a.edges, b.edges, truth.tsv, with labels labels.tsv and with attributes a.attributes.csv and
// b.attributes.csv in a folder that is made.
void write_pair(const std::string& folder, const GeneratedPair& pair);

}  // namespace dalaup
