#pragma once
// The Aligner around the propagation. Private to the module; made by make_propagation.
#include <mutex>

#include "methods/propagation/consensus_choice.h"
#include "methods/propagation/ensemble.h"

namespace dalaup {

class PropagationAligner final : public Aligner {
 public:
  PropagationAligner(const PropagationParams& params, EmbedderMaker make_embedder);

  std::string method() const override { return "propagation"; }
  bool fits_on_many_ranks() const override { return true; }
  // Without the checkpoint: a model must not choose files that are written.
  Settings settings() const override;

  void fit(const NetworkPair& networks, const LabelSet& labels, Run& run) override;
  // Keeps the probability model, the costly part, while anchors are only added and are few beside
  // those it was learned from; all else is what a fit does.
  void refit(const LabelSet& labels, Run& run) override;

  const NetworkPair& networks() const override;
  const LabelSet& labels() const override { return labels_; }

  void score_row(Side side, UserId user, std::span<float> scores) const override;
  float score(UserPair pair) const override;
  RankedLists best_candidates(Side side, std::span<const UserId> users, std::size_t top,
                              Run& run) const override;
  std::vector<double> ranks(std::span<const UserPair> pairs, Run& run) const override;
  double probability(UserPair pair) const override;
  std::optional<double> no_partner_probability(Side side, UserId user) const override;
  std::vector<double> negative_information(Side side, Run& run) const override;
  std::vector<AttributeField> attribute_fields() const override;
  // Makes the gains of a loaded model first.
  std::vector<Explanation::FieldPart> field_parts(UserPair pair) const override;
  Explanation explain(UserPair pair, std::size_t most_parts) const override;

  void save(ArchiveWriter& archive) const override;
  void load(const ArchiveReader& archive, const NetworkPair& networks,
            const LabelSet& labels) override;

 private:
  // Where a listed pair stands, seen from the user of B.
  struct ColumnEntry {
    UserId user = kNoUser;
    std::uint64_t position = 0;
  };
  const LabelSet* barred() const { return params_.trust_no ? &labels_ : nullptr; }
  enum class Probabilities : std::uint8_t { kLearned, kKept };
  void fit_propagation(const NetworkPair& networks, const LabelSet& labels,
                       Probabilities probabilities, Run& run);
  std::vector<Explanation::FieldPart> fields_with_values(UserPair pair) const;
  void save_columns(ArchiveWriter& archive) const;
  void save_trust(ArchiveWriter& archive) const;
  void load_trust(const ArchiveReader& archive);
  void compare_attributes(const NetworkPair& networks, Run& run);
  // Fits state_, with chosen_ settings, and runs the folds; chooses the settings on them where that
  // is worth it. `priors` and `attributes`: the first with all labels known, then one per fold.
  FoldRuns propagate_all(const NetworkPair& networks, std::span<const UserPair> anchors,
                         std::vector<std::vector<UserPair>> folds, std::vector<Prior> priors,
                         std::span<const std::shared_ptr<const AttributeEvidence>> attributes,
                         const SideInformation& everything, Checkpoint* checkpoint, Run& run);
  bool may_train_itself(const NetworkPair& networks) const;
  // Fits state_ and the folds again, with pseudo-anchors; those of the folds are `sure`. False:
  // state_ is sure of nothing, and all is as it was.
  bool propagate_again(const NetworkPair& networks, std::span<const UserPair> anchors,
                       FoldRuns& runs, std::span<const std::vector<UserPair>> sure,
                       std::span<const Embeddings> learned, const SideInformation& everything,
                       Checkpoint* checkpoint, Run& run);
  // Of all labels, or of the folds.
  PropagationParams run_params(bool of_folds) const;
  std::vector<Embeddings> learned_vectors(const NetworkPair& networks,
                                          std::span<const std::vector<UserPair>> folds,
                                          Run& run) const;
  std::vector<float> raw_log_odds(const NetworkPair& networks, const PairModel& model,
                                  Run& run) const;
  // Throws StateError while other ranks have some of the rows.
  void require_all_rows() const;
  void finish();  // everything derived from log_odds_, after a fit or a load
  // Listed candidates with their log odds, without pairs answered "no".
  std::vector<Candidate> listed(Side side, UserId user) const;
  std::optional<std::uint64_t> position_of(UserPair pair) const;
  // Added to the floor of a user of `side` who does not list the candidate: users nobody else wants
  // first, then those of high degree.
  float unlisted_score(Side side, UserId candidate) const;
  float floor_of(Side side, UserId user) const;
  std::string known_words(UserPair pair) const;  // of a pair the labels answer

  PropagationParams params_;
  EmbedderMaker make_embedder_;
  const NetworkPair* networks_ = nullptr;
  LabelSet labels_;
  NetworkWeights weights_;
  const PairAttributes* compared_ = nullptr;     // what gains_ were made of
  std::shared_ptr<const AttributeGains> gains_;  // null: no attributes
  std::vector<FieldTrust> trust_;                // of the last fit
  struct LoadedEvidence {
    std::once_flag once;
    std::shared_ptr<const AttributeEvidence> evidence;
  };
  mutable std::unique_ptr<LoadedEvidence> loaded_;  // of a model file
  Propagated state_;
  Communicator* ranks_ = nullptr;      // of the last fit, where several share the rows of state_
  bool is_consensus_ = false;          // the last fit
  std::size_t calibrated_labels_ = 0;  // when the probability model was learned
  FittedModel first_calibration_;      // of a run without pseudo-anchors
  std::optional<FittedModel> second_calibration_;  // of one with those the first is sure of
  FittedModel calibration_;                        // that of state_: one of the two
  bool has_opinions_ = false;
  std::vector<float> opinions_;         // of the folds, beside state_.lists.pairs
  std::vector<float> log_odds_;         // beside state_.lists.pairs
  std::vector<float> probability_;      // the same, calibrated
  Rows<ColumnEntry> columns_;           // listed pairs by user of B
  std::vector<float> taken_[2];         // per side: sum of the probabilities of a user's pairs
  std::vector<UserId> by_fallback_[2];  // open users of a side, by unlisted_score
};

}  // namespace dalaup
