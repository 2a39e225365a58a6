// What a fitted propagation says of attributes: which fields it trusts, what they say of a pair.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "methods/propagation/field_words.h"
#include "methods/propagation/propagation_aligner.h"

namespace dalaup {
namespace {

constexpr double kLeastShown = 0.05;  // of a ratio
constexpr double kRareRatio = 3.0;    // beyond, twenty times likelier for one person than for two

struct StoredTrust {
  double reliability;
  double share;
  double coverage_a;
  double coverage_b;
  double structure_z;
  double information;
  double labels;
  double is_open;
};

bool is_sound(const StoredTrust& trust) {
  return std::isfinite(trust.reliability) && std::isfinite(trust.share) &&
         std::isfinite(trust.coverage_a) && std::isfinite(trust.coverage_b) &&
         !std::isnan(trust.structure_z) && !std::isnan(trust.information) && trust.labels >= 0.0 &&
         trust.labels <= static_cast<double>(kNoUser);
}

}  // namespace

std::string field_words(std::span<const Explanation::FieldPart> fields) {
  if (fields.empty()) return {};
  double total = 0.0;
  for (const Explanation::FieldPart& field : fields) total += field.ratio;
  std::vector<std::string> parts;
  for (const Explanation::FieldPart& field : fields) {
    const bool is_equal = !field.value_a.empty() && field.value_a == field.value_b;
    const std::string_view rare = field.ratio >= kRareRatio ? "rare " : "";
    const std::string what =
        field.ratio < 0.0
            ? fmt::format("unlike {}", field.name)
            : fmt::format("{}{}{}", is_equal ? "same " : "similar ", rare, field.name);
    parts.push_back(fmt::format("{} ({:+.1f})", what, field.ratio));
  }
  return fmt::format(" Attributes say {:+.1f}: {}.", total, fmt::join(parts, ", "));
}

std::vector<AttributeField> PropagationAligner::attribute_fields() const {
  std::vector<AttributeField> fields;
  for (const FieldTrust& trust : trust_)
    fields.push_back({trust.name, std::string(name_of(trust.kind)), trust.coverage_a,
                      trust.coverage_b, trust.reliability, trust.share, trust.is_open});
  return fields;
}

std::vector<Explanation::FieldPart> PropagationAligner::field_parts(UserPair pair) const {
  std::vector<Explanation::FieldPart> parts;
  const AttributeEvidence* evidence =
      state_.attributes != nullptr ? &state_.attributes->evidence() : nullptr;
  if (evidence == nullptr && loaded_ != nullptr) {
    std::call_once(loaded_->once, [&] {
      Run run;
      if (auto gains = attribute_gains(*networks_, run))
        loaded_->evidence = std::make_shared<const AttributeEvidence>(std::move(gains), trust_);
    });
    evidence = loaded_->evidence.get();
  }
  if (evidence == nullptr) return parts;
  for (std::size_t field = 0; field < evidence->fields().size(); ++field) {
    const double ratio = evidence->ratio(field, pair);
    if (std::abs(ratio) >= kLeastShown)
      parts.push_back({evidence->fields()[field].name, {}, {}, ratio});
  }
  std::ranges::stable_sort(parts, [](const auto& left, const auto& right) {
    return std::abs(left.ratio) > std::abs(right.ratio);
  });
  return parts;
}

std::vector<Explanation::FieldPart> PropagationAligner::fields_with_values(UserPair pair) const {
  std::vector<Explanation::FieldPart> parts = field_parts(pair);
  if (parts.empty()) return parts;
  Run quiet;
  for (const ComparedField& field : compared_fields(*networks_, quiet)) {
    const auto part = std::ranges::find(parts, field.name, &Explanation::FieldPart::name);
    if (part == parts.end()) continue;
    const PairAttributes& attributes = *networks_->attributes;
    part->value_a = attributes.a.columns[field.column_a][pair.a];
    part->value_b = attributes.b.columns[field.column_b][pair.b];
  }
  return parts;
}

void PropagationAligner::save_trust(ArchiveWriter& archive) const {
  if (trust_.empty()) return;
  std::vector<std::string> names;
  std::vector<std::uint8_t> kinds;
  std::vector<StoredTrust> values;
  for (const FieldTrust& trust : trust_) {
    names.push_back(trust.name);
    kinds.push_back(static_cast<std::uint8_t>(trust.kind));
    values.push_back({trust.reliability, trust.share, trust.coverage_a, trust.coverage_b,
                      trust.structure_z, trust.information, static_cast<double>(trust.labels),
                      trust.is_open ? 1.0 : 0.0});
  }
  archive.put_strings("propagation.field_names", names);
  archive.put("propagation.field_kinds", kinds);
  archive.put("propagation.field_trust", values);
}

void PropagationAligner::load_trust(const ArchiveReader& archive) {
  trust_.clear();
  loaded_ = nullptr;
  if (!archive.has("propagation.field_trust")) return;
  const auto names = archive.strings("propagation.field_names");
  const auto kinds = archive.values<std::uint8_t>("propagation.field_kinds");
  const auto values = archive.values<StoredTrust>("propagation.field_trust");
  if (kinds.size() != names.size() || values.size() != names.size() ||
      std::ranges::any_of(kinds, [](std::uint8_t kind) {
        return kind > static_cast<std::uint8_t>(kLastFieldKind);
      }))
    throw InputError(archive.path(), 0, "found attribute fields that do not fit together");
  if (!std::ranges::all_of(values, is_sound))
    throw InputError(archive.path(), 0, "found infinity or no number in what attributes are worth");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const StoredTrust& value = values[i];
    trust_.push_back({.name = names[i],
                      .kind = static_cast<FieldKind>(kinds[i]),
                      .coverage_a = value.coverage_a,
                      .coverage_b = value.coverage_b,
                      .labels = static_cast<std::size_t>(value.labels),
                      .information = value.information,
                      .reliability = std::clamp(value.reliability, 0.0, 1.0),
                      .share = std::clamp(value.share, 0.0, 1.0),
                      .is_open = value.is_open != 0.0,
                      .structure_z = value.structure_z});
  }
  loaded_ = std::make_unique<LoadedEvidence>();
}

}  // namespace dalaup
