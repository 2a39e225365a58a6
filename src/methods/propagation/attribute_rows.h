#pragma once
// The attributes' log-likelihood ratios where the propagation needs them: the candidates of each
// user with their ratios, the ratio of any other pair, and what the pairs that are not listed have.
#include <cmath>
#include <memory>

#include "attributes/attributes.h"
#include "communicator/communicator.h"
#include "methods/propagation/sparse.h"

namespace dalaup {

class AttributeRows {
 public:
  // Of some users of A. Candidates are open users of B that the attributes speak for.
  AttributeRows(std::shared_ptr<const AttributeEvidence> evidence, RowRange rows,
                const std::vector<std::uint8_t>& open_b, Run& run);

  std::span<const WeightedUser> candidates(UserId a) const { return candidates_.of(a); }
  float ratio(UserPair pair) const { return static_cast<float>(evidence_->ratio(pair)); }
  // Logarithm of the mean of exp(ratio) over the users of B that are not candidates.
  float log_rest(UserId a) const { return log_rest_[a]; }
  const AttributeEvidence& evidence() const { return *evidence_; }

 private:
  std::shared_ptr<const AttributeEvidence> evidence_;
  Rows<WeightedUser> candidates_;  // the weight is the ratio
  std::vector<float> log_rest_;
};

// One for all anchors, then one without each fold; null where no field is open. Without anchors the
// start of LabelFreeStart; `trust` receives what was learned from all anchors. Throws InputError
// when the networks do not support it.
std::vector<std::shared_ptr<const AttributeEvidence>> learn_attributes(
    const NetworkPair& networks, const std::shared_ptr<const AttributeGains>& gains,
    std::span<const UserPair> anchors, std::span<const std::vector<UserPair>> folds,
    std::vector<FieldTrust>& trust, Run& run);

}  // namespace dalaup
