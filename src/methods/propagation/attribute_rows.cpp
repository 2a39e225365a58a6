#include "methods/propagation/attribute_rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace dalaup {
namespace {

constexpr std::size_t kRatiosPerPiece = 256;
constexpr double kLeastRest = 1e-9;

std::string found_by_field(const AttributeEvidence& evidence) {
  std::vector<std::string> parts;
  for (const FieldTrust& field : evidence.fields())
    parts.push_back(
        fmt::format("{} ({}) {:.1f}", field.name, name_of(field.kind), field.structure_z));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

AttributeRows::AttributeRows(std::shared_ptr<const AttributeEvidence> evidence, RowRange rows,
                             const std::vector<std::uint8_t>& open_b, Run& run)
    : evidence_(std::move(evidence)) {
  const std::size_t users_a = evidence_->gains().begins.size() - 1;
  const auto users_b = static_cast<UserId>(open_b.size());
  log_rest_.assign(users_a, 0.0F);
  std::vector<std::vector<WeightedUser>> parts((rows.size() + kRatiosPerPiece - 1) /
                                               kRatiosPerPiece);
  std::vector<std::uint32_t> counts(users_a, 0);
  for_rows(run, rows, kRatiosPerPiece, [&](const Piece& piece) {
    std::vector<WeightedUser>& part = parts[(piece.begin - rows.begin) / kRatiosPerPiece];
    for (std::size_t place = piece.begin; place < piece.end; ++place) {
      const auto a = static_cast<UserId>(place);
      const std::size_t before = part.size();
      for (const UserId b : evidence_->candidates(a)) {
        const float value = ratio({a, b});
        if (value > 0.0F && open_b[b]) part.push_back({b, value});
      }
      counts[a] = static_cast<std::uint32_t>(part.size() - before);
      log_rest_[a] =
          static_cast<float>(std::log(std::max(kLeastRest, evidence_->rest_weight(a, users_b))));
    }
  });
  for (const std::uint32_t count : counts)
    candidates_.begins.push_back(candidates_.begins.back() + count);
  candidates_.items.reserve(candidates_.begins.back());
  for (const auto& part : parts)
    candidates_.items.insert(candidates_.items.end(), part.begin(), part.end());
}

std::vector<std::shared_ptr<const AttributeEvidence>> learn_attributes(
    const NetworkPair& networks, const std::shared_ptr<const AttributeGains>& gains,
    std::span<const UserPair> anchors, std::span<const std::vector<UserPair>> folds,
    std::vector<FieldTrust>& trust, Run& run) {
  std::vector<std::shared_ptr<const AttributeEvidence>> learned(folds.size() + 1);
  if (gains == nullptr && anchors.empty())
    throw InputError("found no labels and no attribute that tells users apart",
                     "give some known pairs with --labels, or fields that identify people");
  if (gains == nullptr) return learned;
  if (anchors.empty()) {
    LabelFreeStart start = start_without_labels(networks, gains, run);
    if (start.score < kLeastStartScore)
      throw InputError(
          fmt::format("found no labels, and attributes that the networks do not support: edges "
                      "agree with a score of {:.1f} ({}), expected at least {:.0f}",
                      start.score, found_by_field(start.evidence), kLeastStartScore),
          "give some known pairs with --labels, or fields that identify people, such as names");
    trust.assign(start.evidence.fields().begin(), start.evidence.fields().end());
    learned[0] = std::make_shared<const AttributeEvidence>(std::move(start.evidence));
    return learned;
  }
  for (std::size_t run_of = 0; run_of < learned.size(); ++run_of) {
    std::vector<UserPair> known(anchors.begin(), anchors.end());
    if (run_of > 0) {
      std::vector<UserPair> hidden = folds[run_of - 1];
      std::ranges::sort(hidden);
      std::erase_if(known, [&](const UserPair& anchor) {
        return std::ranges::binary_search(hidden, anchor);
      });
    }
    auto evidence = std::make_shared<const AttributeEvidence>(gains, known, run);
    if (run_of == 0) trust.assign(evidence->fields().begin(), evidence->fields().end());
    if (evidence->is_open()) learned[run_of] = std::move(evidence);
  }
  return learned;
}

}  // namespace dalaup
