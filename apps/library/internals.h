#pragma once
// What the handles of the interface hold, and how its types become those of the modules.
#include <dalaup/dalaup.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "active_learning/active_learning.h"
#include "aligner/aligner.h"
#include "labels/labels.h"
#include "library/operation.h"
#include "networks/networks.h"

namespace dalaup::v1 {

struct Network::Content {
  std::shared_ptr<const void> owner;
  const core::Network* network = nullptr;
};

// What a method of the caller's own needs while it learns.
struct OwnContext {
  Operation* operation = nullptr;
  std::shared_ptr<const NetworkPair> networks;
};

struct Model::Content {
  std::shared_ptr<const NetworkPair> networks;
  std::unique_ptr<Aligner> aligner;
  std::shared_ptr<OwnContext> own;
};

struct Internals {
  static Network network(std::shared_ptr<const core::Network> network);
  static const core::Network& of(const Network& network) { return *network.content_->network; }
  static Model model(std::shared_ptr<const NetworkPair> networks, std::unique_ptr<Aligner> aligner,
                     std::shared_ptr<OwnContext> own);
  static auto& of(const Model& model) { return *model.content_; }
};

constexpr core::Side core_of(Side side) {
  return side == Side::kA ? core::Side::kA : core::Side::kB;
}
constexpr Side side_of(core::Side side) { return side == core::Side::kA ? Side::kA : Side::kB; }

std::shared_ptr<const NetworkPair> pair_of(const Networks& networks);
Networks networks_of(const std::shared_ptr<const NetworkPair>& pair);

// Throw InputError that names the place for users the networks do not have and for contradictions.
void add_labels(LabelSet& labels, std::span<const Label> more, const NetworkPair& networks);
std::vector<UserPair> anchors_in(std::span<const Label> truth, const NetworkPair& networks);
std::vector<Label> labels_of(const LabelSet& labels);

core::Settings core_of(const Settings& settings);
Settings settings_of(const core::Settings& settings);
std::vector<SettingInfo> infos_of(std::span<const FieldInfo> fields);
// Throws ParameterError with the closest name for a setting that is not among the fields.
void require_known(const Settings& settings, std::span<const FieldInfo> fields,
                   const std::string& of_whom);

// Every method that ships, and the caller's.
MethodRegistry registry_with(const std::vector<OwnMethod>& own,
                             const std::shared_ptr<OwnContext>& context);
// The method's aligner; refuses settings it does not have.
std::unique_ptr<Aligner> make_aligner(const Method& method, const MethodRegistry& registry);

// The caller's strategies, called by the caller's thread.
std::vector<core::OwnStrategy> strategies_with(const std::vector<OwnStrategy>& own,
                                               const std::shared_ptr<OwnContext>& context);

}  // namespace dalaup::v1
