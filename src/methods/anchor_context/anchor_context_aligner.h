#pragma once
// The aligner of the method `anchor_context`.
#include <string>

#include "embedding/embedding.h"
#include "methods/anchor_context/anchor_context.h"

namespace dalaup {

class AnchorContextAligner final : public VectorAligner {
 public:
  explicit AnchorContextAligner(AnchorContextParams params);

  std::string method() const override { return "anchor_context"; }
  Settings settings() const override { return to_settings(params_); }
  void fit(const NetworkPair& networks, const LabelSet& labels, Run& run) override;
  // New labels are new coordinates, so it learns from scratch; but probabilities and the number of
  // epochs are kept while at most a quarter of the anchors is new.
  void refit(const LabelSet& labels, Run& run) override;
  // Not with CSLS, whose size without its sign says nothing.
  bool scores_are_cosines() const override { return params_.score == "cosine"; }
  std::vector<float> pair_features(UserPair pair) const override { return product_features(pair); }
  Explanation explain(UserPair pair, std::size_t most_parts) const override;
  void save(ArchiveWriter& archive) const override;
  // Also of models saved as `aup --preset tuned`, as this method was called once.
  void load(const ArchiveReader& archive, const NetworkPair& networks,
            const LabelSet& labels) override;

 private:
  void train(const NetworkPair& networks, const LabelSet& labels, Run& run);
  void rehearse(const NetworkPair& networks, const LabelSet& labels, const HeldOut& parts,
                Run& run);
  int learn(const NetworkPair& networks, const LabelSet& labels, const HeldOut& parts, int epochs,
            Run& run);
  void set_index(Embeddings vectors);

  AnchorContextParams params_;
  Embeddings vectors_;                 // weighed coordinates
  NearestMeans nearest_means_;         // for CSLS
  std::size_t rehearsed_anchors_ = 0;  // known when probabilities were learned; 0: never
  int rehearsed_epochs_ = 0;
};

}  // namespace dalaup
