#pragma once
// Names and other attributes as evidence that two users are one person. Each field gives a pair a
// gain h: how many times likelier its similarity is for one person than for two. Labels teach how
// far a field can be trusted, and fields that say nothing are shut. Method:
// docs/method/attributes.md.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/base.h"
#include "labels/labels.h"
#include "networks/networks.h"

namespace dalaup {

// Model files hold these numbers: a new kind goes to the end, and becomes kLastFieldKind.
enum class FieldKind : std::uint8_t {
  kName,        // characters: 2- to 4-grams
  kText,        // words
  kCategory,    // equal or not
  kSet,         // items separated by ; or |
  kNumber,      // nearness
  kDate,        // nearness in days
  kSimilarity,  // of pairs, computed by somebody else
};
inline constexpr FieldKind kLastFieldKind = FieldKind::kSimilarity;
std::string_view name_of(FieldKind kind);

// A field of A beside the field of B it is compared with.
struct ComparedField {
  std::string name;  // "city", or "city=location" when the headers differ
  std::size_t column_a = 0;
  std::size_t column_b = 0;
  FieldKind kind = FieldKind::kName;
};
// By PairAttributes::compare, "name=full_name,city=location:category", or by equal headers; kinds
// that are not given are detected. Fields whose value is the same for everybody or known for nobody
// are left out with a warning. Throws ParameterError for unknown fields and kinds, InputError when
// no headers agree and when a field given as number or date holds something else.
std::vector<ComparedField> compared_fields(const NetworkPair& networks, Run& run);

// Gains of one field. They do not depend on labels. Thread-safe.
class FieldGains {
 public:
  FieldGains(std::string name, FieldKind kind) : name_(std::move(name)), kind_(kind) {}
  virtual ~FieldGains() = default;
  const std::string& name() const { return name_; }
  FieldKind kind() const { return kind_; }
  bool is_known(Side side, UserId user) const {
    return known_[side == Side::kA ? 0 : 1][user] != 0;
  }
  bool is_known(UserPair pair) const { return known_[0][pair.a] != 0 && known_[1][pair.b] != 0; }
  double coverage(Side side) const;  // share of users whose value is known
  // Pairs without a gain say nothing, instead of speaking against the pair.
  bool absent_is_silent() const { return kind_ == FieldKind::kSimilarity; }

  // 1: as likely for one person as for two. Both values must be known.
  virtual float gain(UserPair pair) const = 0;
  // Mean of the gain over users of B whose value is known.
  virtual double mean_gain(UserId a) const = 0;
  // Users of B with the highest gains, a bounded number; none when too many are alike.
  virtual void add_candidates(UserId a, std::vector<UserId>& users) const = 0;
  // The gain with every user of B; -1 where a value is not known.
  virtual void gain_row(UserId a, std::span<float> gains) const;

 protected:
  std::vector<std::uint8_t> known_[2];  // by side and user

 private:
  std::string name_;
  FieldKind kind_;
};

struct AttributeGains {
  std::vector<std::unique_ptr<const FieldGains>> fields;
  // The best candidates of each user of A by all fields together, sorted by user.
  std::vector<std::uint64_t> begins;
  std::vector<UserId> users;
  std::span<const UserId> candidates(UserId a) const {
    return std::span(users).subspan(begins[a], begins[a + 1] - begins[a]);
  }
};
// Null when the networks have no attributes, or none that say anything.
std::shared_ptr<const AttributeGains> attribute_gains(const NetworkPair& networks, Run& run);

// How far one field is trusted.
struct FieldTrust {
  std::string name;
  FieldKind kind = FieldKind::kName;
  double coverage_a = 0.0;
  double coverage_b = 0.0;
  std::size_t labels = 0;    // anchor pairs with both values known
  double information = 0.0;  // sum of ln(1 - reliability + reliability * gain) over them
  double reliability = 0.0;  // chance that the values of one person agree as the gain says
  double share = 1.0;        // of its log-likelihood ratio that other fields do not already tell
  bool is_open = false;      // used at all
  double structure_z = 0.0;  // without labels: see check_start
};

// Log-likelihood ratios of pairs under what some labels teach of the fields.
class AttributeEvidence {
 public:
  // With anchors: reliability by expectation maximisation, fields shut unless they help. Without
  // any, every field is trusted by half.
  AttributeEvidence(std::shared_ptr<const AttributeGains> gains, std::span<const UserPair> anchors,
                    Run& run);

  // As it was learned before. Throws InputError when the fields are others.
  AttributeEvidence(std::shared_ptr<const AttributeGains> gains, std::vector<FieldTrust> trust);

  const AttributeGains& gains() const { return *gains_; }
  std::span<const FieldTrust> fields() const { return trust_; }
  bool is_open() const;  // some field is
  // Shuts fields without labels that the networks do not support.
  void shut(std::size_t field);
  void note_structure(std::size_t field, double score) { trust_[field].structure_z = score; }
  // Again after fields were shut.
  void find_shares(Run& run);

  double ratio(UserPair pair) const;                     // logarithm, of all open fields
  double ratio(std::size_t field, UserPair pair) const;  // what one field adds to it
  std::span<const UserId> candidates(UserId a) const { return gains_->candidates(a); }
  // Mean of exp(ratio) over users of B that are not candidates of a.
  double rest_weight(UserId a, UserId users_b) const;

 private:
  double ratio_of_gain(std::size_t field, double gain) const;
  std::shared_ptr<const AttributeGains> gains_;
  std::vector<FieldTrust> trust_;
};

// Do the networks agree with the attributes? Matched edges under the attributes' soft matching
// against the same with B's users permuted, as a z-score: above kLeastStartScore a start without
// labels is possible.
inline constexpr double kLeastStartScore = 5.0;
// Of one field by itself, or of all open fields.
double check_start(const NetworkPair& networks, const AttributeEvidence& evidence,
                   const std::size_t* field, Run& run);
// Evidence without labels: fields that the networks do not support are shut. `score` is that of all
// open fields together.
struct LabelFreeStart {
  AttributeEvidence evidence;
  double score = 0.0;
};
LabelFreeStart start_without_labels(const NetworkPair& networks,
                                    std::shared_ptr<const AttributeGains> gains, Run& run);

}  // namespace dalaup
