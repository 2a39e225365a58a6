#include "cli/attribute_info.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "attributes/attributes.h"

namespace dalaup {
namespace {

// Of one labelled pair, in factors: 1 says nothing.
double mean_factor(const FieldTrust& field) {
  return field.labels == 0 ? 1.0 : std::exp(field.information / static_cast<double>(field.labels));
}

std::string verdict(const FieldTrust& field, bool has_labels) {
  if (has_labels && field.labels == 0) return "no labelled pair has both values";
  if (!has_labels)
    return field.structure_z >= kLeastStartScore ? "agrees with the edges"
                                                 : "does not agree with the edges";
  if (!field.is_open) return "no help on the labels, not used";
  if (field.share < 0.1) return "repeats a stronger field";
  return fmt::format("a labelled pair is {:.1f} times likelier by it", mean_factor(field));
}

}  // namespace

void describe_attributes(const NetworkPair& networks, const LabelSet& labels, Session& session) {
  const auto gains = attribute_gains(networks, session.run());
  if (gains == nullptr) return;
  const bool has_labels = !labels.anchors().empty();
  const LabelFreeStart start = start_without_labels(networks, gains, session.run());
  const AttributeEvidence learned(gains, labels.anchors(), session.run());
  std::size_t width = 20;
  for (const FieldTrust& field : learned.fields())
    width = std::min<std::size_t>(std::max(width, field.name.size() + 1), 40);
  session.print("\n{:<{}}{:>11}{:>8}{:>8}{:>13}{:>8}{:>9}\n", "attributes", width, "kind", "in A",
                "in B", "reliability", "share", "edges z");
  auto rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < gains->fields.size(); ++i) {
    const FieldTrust& field = learned.fields()[i];
    FieldTrust shown = field;
    shown.structure_z = start.evidence.fields()[i].structure_z;
    session.print("{:<{}}{:>11}{:>7.0f}%{:>7.0f}%{:>13}{:>8.2f}{:>9.1f}  {}\n", field.name, width,
                  name_of(field.kind), 100.0 * field.coverage_a, 100.0 * field.coverage_b,
                  has_labels ? fmt::format("{:.2f}", field.reliability) : "-", field.share,
                  shown.structure_z, verdict(shown, has_labels));
    rows.push_back({{"name", field.name},
                    {"kind", name_of(field.kind)},
                    {"coverage_a", field.coverage_a},
                    {"coverage_b", field.coverage_b},
                    {"labels", field.labels},
                    {"reliability", field.reliability},
                    {"share", field.share},
                    {"used", has_labels ? field.is_open : start.evidence.fields()[i].is_open},
                    {"edges_z", shown.structure_z}});
  }
  const bool can_start = start.score >= kLeastStartScore;
  session.print(
      "start without labels: {} (edges agree with the attributes at z = {:.1f}, {:.0f} is "
      "needed)\n",
      can_start ? "possible" : "not possible", start.score, kLeastStartScore);
  session.summary()["attributes"] = {
      {"fields", rows}, {"edges_z", start.score}, {"start_without_labels", can_start}};
}

}  // namespace dalaup
