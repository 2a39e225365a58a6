// Which fields are compared, and as what.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "attributes/tokens.h"

namespace dalaup {
namespace {

constexpr double kMostlyParsed = 0.95;    // of the values: the field is numbers or dates
constexpr std::size_t kFewNumbers = 20;   // distinct numbers up to here are codes
constexpr double kSetShare = 0.2;         // of the values hold a separator of sets
constexpr double kLongText = 6.0;         // words
constexpr double kMostlyDistinct = 0.5;   // of the values: names, not categories
constexpr std::size_t kLooked = 100'000;  // values a side that detection looks at

constexpr std::string_view kKindNames[] = {"name",   "text", "category",  "set",
                                           "number", "date", "similarity"};
static_assert(std::size(kKindNames) == static_cast<std::size_t>(kLastFieldKind) + 1);

struct Request {
  std::string a;
  std::string b;
  std::optional<FieldKind> kind;
};

FieldKind kind_named(const std::string& name) {
  std::vector<std::string> known(std::begin(kKindNames), std::end(kKindNames));
  std::erase(known, name_of(FieldKind::kSimilarity));  // not a kind of field
  if (std::ranges::find(known, name) == known.end())
    throw ParameterError(
        fmt::format("--compare: unknown kind {}; known: {}", quoted(name), fmt::join(known, ", ")),
        suggestion(name, known));
  return static_cast<FieldKind>(std::ranges::find(kKindNames, name) - std::begin(kKindNames));
}

std::vector<Request> parse_compare(const std::string& text) {
  std::vector<Request> requests;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string item = text.substr(begin, end - begin);
    begin = end + 1;
    Request request;
    if (const std::size_t colon = item.rfind(':'); colon != std::string::npos) {
      request.kind = kind_named(item.substr(colon + 1));
      item.resize(colon);
    }
    const std::size_t equals = item.find('=');
    request.a = item.substr(0, equals);
    request.b = equals == std::string::npos ? request.a : item.substr(equals + 1);
    if (request.a.empty() || request.b.empty())
      throw ParameterError(fmt::format("--compare: found {}, expected FIELD=FIELD or "
                                       "FIELD=FIELD:KIND, separated by commas",
                                       quoted(text)),
                           "such as name=full_name,city=location:category");
    requests.push_back(std::move(request));
  }
  return requests;
}

std::size_t require_field(const AttributeTable& table, const std::string& field, Side side) {
  const auto found = std::ranges::find(table.fields, field);
  if (found == table.fields.end())
    throw ParameterError(fmt::format("--compare: the attributes of {} have no field {}; found: {}",
                                     name_of(side), quoted(field), fmt::join(table.fields, ", ")),
                         suggestion(field, table.fields));
  return static_cast<std::size_t>(found - table.fields.begin());
}

// Visits known values of both columns, at most kLooked of each.
template <class Visit>
void for_values(const TextColumn& a, const TextColumn& b, Visit&& visit) {
  for (const TextColumn* column : {&a, &b}) {
    const std::size_t stride = column->size() / kLooked + 1;
    for (std::size_t user = 0; user < column->size(); user += stride)
      if (const std::string_view value = (*column)[static_cast<UserId>(user)]; !value.empty())
        visit(value);
  }
}

bool is_named_name(const std::string& field) {
  const std::string lower = lower_case(field);
  return lower.ends_with("name") || lower.ends_with("title");
}

FieldKind detected_kind(const std::string& field, const TextColumn& a, const TextColumn& b) {
  std::unordered_set<std::string_view> distinct;
  double known = 0.0;
  double dates = 0.0;
  double numbers = 0.0;
  double sets = 0.0;
  double words = 0.0;
  for_values(a, b, [&](std::string_view value) {
    known += 1.0;
    distinct.insert(value);
    dates += parse_date(value) ? 1.0 : 0.0;
    numbers += parse_value(value, FieldKind::kNumber) ? 1.0 : 0.0;
    sets += value.find_first_of(";|") != std::string_view::npos ? 1.0 : 0.0;
    words += 1.0 + static_cast<double>(std::ranges::count(value, ' '));
  });
  if (dates >= kMostlyParsed * known) return FieldKind::kDate;
  if (numbers >= kMostlyParsed * known)
    return distinct.size() > kFewNumbers ? FieldKind::kNumber : FieldKind::kCategory;
  if (sets >= kSetShare * known) return FieldKind::kSet;
  if (words > kLongText * known) return FieldKind::kText;
  // A partner's equal value halves the distinct ones, so each side's share is what counts.
  return is_named_name(field) ||
                 static_cast<double>(distinct.size()) > kMostlyDistinct * 0.5 * known
             ? FieldKind::kName
             : FieldKind::kCategory;
}

void check_values(const ComparedField& field, const NetworkPair& networks) {
  if (field.kind != FieldKind::kNumber && field.kind != FieldKind::kDate) return;
  for (const Side side : {Side::kA, Side::kB}) {
    const PairAttributes& attributes = *networks.attributes;
    const TextColumn& column = side == Side::kA ? attributes.a.columns[field.column_a]
                                                : attributes.b.columns[field.column_b];
    for (UserId user = 0; user < column.size(); ++user)
      if (!column[user].empty() && !parse_value(column[user], field.kind))
        throw InputError(
            fmt::format("attributes of {}: field {}: found {} at user {}, expected a {}",
                        name_of(side), field.name, quoted(column[user]),
                        quoted(networks.on(side).name(user)), name_of(field.kind)),
            field.kind == FieldKind::kDate
                ? "such as 2024-05-17; give the field another kind with --compare"
                : "such as 12 or 3.5; give the field another kind with --compare");
  }
}

// Empty when the field says something; else why not.
std::string why_useless(const TextColumn& a, const TextColumn& b) {
  std::unordered_set<std::string_view> distinct;
  bool is_known[2] = {false, false};
  for (const TextColumn* column : {&a, &b})
    for (std::size_t user = 0; user < column->size() && distinct.size() < 3; ++user)
      if (const std::string_view value = (*column)[static_cast<UserId>(user)]; !value.empty()) {
        is_known[column == &a ? 0 : 1] = true;
        distinct.insert(value);
      }
  for (const TextColumn* column : {&a, &b})
    for (std::size_t user = 0; user < column->size() && !is_known[column == &a ? 0 : 1]; ++user)
      is_known[column == &a ? 0 : 1] = !(*column)[static_cast<UserId>(user)].empty();
  if (!is_known[0] || !is_known[1])
    return fmt::format("has no value on side {}", is_known[0] ? "B" : "A");
  if (distinct.size() < 2) return "has the same value for everybody";
  return {};
}

}  // namespace

std::string_view name_of(FieldKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::vector<ComparedField> compared_fields(const NetworkPair& networks, Run& run) {
  std::vector<ComparedField> fields;
  if (networks.attributes == nullptr) return fields;
  const AttributeTable& a = networks.attributes->a;
  const AttributeTable& b = networks.attributes->b;
  if (a.fields.empty() && b.fields.empty()) return fields;
  std::vector<Request> requests;
  if (!networks.attributes->compare.empty()) {
    requests = parse_compare(networks.attributes->compare);
  } else {
    for (const std::string& field : a.fields)
      if (std::ranges::find(b.fields, field) != b.fields.end())
        requests.push_back({field, field, std::nullopt});
    if (requests.empty())
      throw InputError(fmt::format("attributes: found the fields {} in A and {} in B, none with "
                                   "the same name",
                                   fmt::join(a.fields, ", "), fmt::join(b.fields, ", ")),
                       fmt::format("say which belong together: --compare {}={}",
                                   a.fields.empty() ? "FIELD" : a.fields[0],
                                   b.fields.empty() ? "FIELD" : b.fields[0]));
  }
  for (const Request& request : requests) {
    ComparedField field{request.a == request.b ? request.a : request.a + "=" + request.b,
                        require_field(a, request.a, Side::kA),
                        require_field(b, request.b, Side::kB),
                        {}};
    const TextColumn& column_a = a.columns[field.column_a];
    const TextColumn& column_b = b.columns[field.column_b];
    if (const std::string why = why_useless(column_a, column_b); !why.empty()) {
      run.warn(fmt::format("attributes: field {} {} and is left out", quoted(field.name), why));
      continue;
    }
    field.kind = request.kind.value_or(detected_kind(request.a, column_a, column_b));
    if (request.kind) check_values(field, networks);
    fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace dalaup
