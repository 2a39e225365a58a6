#pragma once
// The seam between methods and everything that uses them. Query strategies, prediction, evaluation,
// the study and all experiments see only an Aligner, so each of them works with each method.
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aligner/stored_model.h"
#include "base/base.h"
#include "labels/labels.h"
#include "networks/networks.h"
#include "ranking/ranking.h"

namespace dalaup {

// Why a pair scores as it does: parts that add up to (or visibly dominate) its score.
struct Explanation {
  struct Part {
    UserPair neighbours;        // a neighbour of a and a neighbour of b taken for one person
    double contribution = 0.0;  // share of the score
    bool is_label = false;      // known, not inferred
  };
  double score = 0.0;
  double probability = 0.0;
  std::vector<Part> parts;  // largest first
  struct FieldPart {
    std::string name;     // of the attribute
    std::string value_a;  // what is known of the two users; empty for a similarity
    std::string value_b;
    double ratio = 0.0;  // what the field adds to the logarithm of the odds; below 0: against it
  };
  std::vector<FieldPart> fields = {};  // attributes that speak, the strongest first
  std::string words;                   // the same in one or two sentences
};

// How far a method trusts an attribute.
struct AttributeField {
  std::string name;
  std::string kind;
  double coverage_a = 0.0;  // share of users whose value is known
  double coverage_b = 0.0;
  double reliability = 0.0;  // chance that it agrees for one person as far as it can
  double share = 1.0;        // of what it says that other fields do not say already
  bool is_used = false;
};

class Aligner {
 public:
  virtual ~Aligner() = default;

  // Name in the registry, such as "propagation".
  virtual std::string method() const = 0;
  virtual Settings settings() const = 0;

  // Learns from scratch. `networks` must outlive the aligner. Throws InputError when the labels or
  // networks cannot be learned from, Cancelled when interrupted (the aligner is then unfitted).
  virtual void fit(const NetworkPair& networks, const LabelSet& labels, Run& run) = 0;
  // Learns again after labels were added or taken back; methods may start from what they have.
  virtual void refit(const LabelSet& labels, Run& run) { fit(networks(), labels, run); }
  // Whether refit gives exactly what fit would, and keeps costly work that does not depend on
  // labels: one aligner then serves many label sets.
  virtual bool serves_many_label_sets() const { return false; }
  // Whether the ranks of a run share the work of a fit. Each then has the rows of its own users of
  // A only: save_model, called on every rank, writes all of them, and a model that is loaded
  // answers; other questions throw StateError.
  virtual bool fits_on_many_ranks() const { return false; }

  // What it was fitted on.
  virtual const NetworkPair& networks() const = 0;
  virtual const LabelSet& labels() const = 0;

  // Scores of `user` with every user of the other side, higher is likelier; always finite.
  // Thread-safe after fit.
  virtual void score_row(Side side, UserId user, std::span<float> scores) const = 0;
  virtual float score(UserPair pair) const;  // default: one entry of score_row
  // Whether scores depend on the places of users in the files, which may give partners away.
  virtual bool reads_file_order() const { return false; }
  // Whether scores are cosines, whose size means something without its sign (eq. 12).
  virtual bool scores_are_cosines() const { return false; }
  // Whether a user's likeliest candidates are also those that score highest.
  virtual bool probabilities_follow_scores() const { return true; }

  // The best candidates of each user of `side`: never a user anchored elsewhere, never a pair
  // answered "no". Default: score_row per user.
  virtual RankedLists best_candidates(Side side, std::span<const UserId> users, std::size_t top,
                                      Run& run) const;
  // Rank of each pair's b among all users of B that are not known partners (docs/use/metrics.md):
  // 1 + those scoring higher + half of the others scoring the same. Default: score_row per user.
  virtual std::vector<double> ranks(std::span<const UserPair> pairs, Run& run) const;

  // Probability that the pair is one person, in (0, 1), calibrated where the method can.
  virtual double probability(UserPair pair) const = 0;
  // The same for `user` with every user of the other side. Thread-safe after fit.
  // Default: probability() of each pair.
  virtual void probability_row(Side side, UserId user, std::span<float> probabilities) const;
  // What a small classifier may use to tell anchors from other pairs, the same length for every
  // pair (expected error reduction refits a logistic head on these). Default: log-odds and log
  // degrees.
  virtual std::vector<float> pair_features(UserPair pair) const;
  // Probability that the user has no partner at all; nothing when the method cannot tell.
  virtual std::optional<double> no_partner_probability(Side, UserId) const { return std::nullopt; }

  // For every user of a side: the sum of -log p(pair is not an anchor) over its unsettled pairs
  // (eq. 11 of the paper). Default streams every row through probability_row().
  virtual std::vector<double> negative_information(Side side, Run& run) const;

  // Attributes it was fitted with; empty when there were none or the method ignores them.
  virtual std::vector<AttributeField> attribute_fields() const { return {}; }
  // What they say of a pair, as in its explanation but without the values; much cheaper than
  // explain().
  virtual std::vector<Explanation::FieldPart> field_parts(UserPair) const { return {}; }

  virtual std::optional<Embeddings> embeddings() const { return std::nullopt; }
  virtual Explanation explain(UserPair pair, std::size_t most_parts) const;

  // Everything a loaded aligner needs besides networks and labels, which the model file holds.
  virtual void save(ArchiveWriter& archive) const = 0;
  virtual void load(const ArchiveReader& archive, const NetworkPair& networks,
                    const LabelSet& labels) = 0;
};

// Methods by name. Front ends make one registry (see methods/methods.h) and pass it on.
class MethodRegistry {
 public:
  // Makes an aligner from settings by field name; fields the method does not have are ignored.
  using Factory = std::function<std::unique_ptr<Aligner>(const Settings& settings)>;
  struct Method {
    std::string name;
    std::string summary;            // one line for help
    std::vector<FieldInfo> fields;  // what the front ends offer, with defaults
    Factory make;
    // The same with the defaults of a preset, by its name, where the method has presets.
    std::map<std::string, std::vector<FieldInfo>> fields_of_preset = {};
    // What best_candidates and probability would tell of these users of A, from a model's file
    // that is not loaded; nothing where the file has to be. Null: always.
    std::function<std::optional<StoredLists>(StoredModel& model, std::span<const UserId> users,
                                             std::size_t top)>
        lists_in_file = nullptr;
    const std::vector<FieldInfo>& fields_with(const std::string& preset) const;
  };
  // A method that is a class with a params struct: add<IoneAligner, IoneParams>("ione", "...").
  template <class Implementation, class Params>
  void add(std::string_view name, std::string_view summary) {
    add({.name = std::string(name),
         .summary = std::string(summary),
         .fields = describe_fields(Params{}),
         .make = [](const Settings& settings) -> std::unique_ptr<Aligner> {
           Params params;
           apply_settings(params, settings);
           return std::make_unique<Implementation>(params);
         }});
  }
  void add(Method method);
  // What was a preset of a method and is now a method of its own; its earlier spelling is
  // understood wherever methods are named.
  void add_former_preset(const std::string& method, const std::string& preset,
                         const std::string& name);
  // Throws ParameterError with the closest known name. `preset` as the user gave it, if at all.
  const Method& find(const std::string& name, const std::string& preset = "") const;
  std::unique_ptr<Aligner> make(const std::string& name, const Settings& settings = {}) const;
  // A method with some of its settings, "deepwalk:align=procrustes:dim=64"; its name is that text.
  Method variant(const std::string& text) const;
  std::vector<std::string> names() const;
  const std::vector<Method>& all() const { return methods_; }

 private:
  std::vector<Method> methods_;
  std::map<std::pair<std::string, std::string>, std::string> former_presets_;
};

// A fitted aligner with the networks and labels it stands on, as one file.
struct Model {
  std::unique_ptr<NetworkPair> networks;  // stable address: the aligner points to it
  std::unique_ptr<Aligner> aligner;
};
void save_model(const std::string& path, const Aligner& aligner);
// The same of an aligner that the ranks of the run fitted together; all of them call it.
void save_model(const std::string& path, const Aligner& aligner, const Run& run);
// The content of that file.
std::string model_bytes(const Aligner& aligner);
// Throws InputError for truncated, foreign, damaged or newer files.
Model load_model(const std::string& path, const MethodRegistry& registry);
Model model_from_bytes(std::string bytes, const MethodRegistry& registry);

}  // namespace dalaup
