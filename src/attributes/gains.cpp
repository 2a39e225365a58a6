#include "attributes/gains.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dalaup {
namespace {

constexpr std::size_t kGainsPerPiece = 1024;
constexpr float kAlike = 1e-5F;  // similarities that differ less are equal

// (n / k) / Z for each similarity of a row, `order` being its places by falling similarity.
void rank_gains(std::span<const float> similarity, double users, std::vector<std::uint32_t>& order,
                std::vector<float>& gains) {
  const std::size_t count = similarity.size();
  order.resize(count);
  gains.resize(count);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t left, std::uint32_t right) {
    return similarity[left] != similarity[right] ? similarity[left] > similarity[right]
                                                 : left < right;
  });
  double total = 0.0;
  for (std::size_t first = 0; first < count;) {
    std::size_t end = first + 1;
    while (end < count && similarity[order[end]] >= similarity[order[first]] - kAlike) ++end;
    for (std::size_t i = first; i < end; ++i)
      gains[order[i]] = static_cast<float>(users / static_cast<double>(end));
    total += static_cast<double>(end - first) / static_cast<double>(end);
    first = end;
  }
  for (float& gain : gains) gain = static_cast<float>(gain / total);
}

double known_count(const std::vector<std::uint8_t>& known) {
  return std::max(1.0, static_cast<double>(std::ranges::count(known, 1)));
}

// The best candidates of each user of A by all fields, each trusted by half.
void choose_candidates(AttributeGains& gains, const NetworkPair& networks, Run& run) {
  const UserId users_a = networks.a.user_count();
  const std::size_t most = users_a > kFewUsers ? 40 : candidates_of(users_a);
  std::vector<std::vector<UserId>> chosen((users_a + kGainsPerPiece - 1) / kGainsPerPiece);
  std::vector<std::uint32_t> counts(users_a);
  run.for_pieces(users_a, kGainsPerPiece, [&](const Piece& piece) {
    struct Rated {
      double rating;
      UserId user;
    };
    std::vector<UserId> found;
    std::vector<Rated> rated;
    std::vector<UserId>& result = chosen[piece.begin / kGainsPerPiece];
    for (std::size_t place = piece.begin; place < piece.end; ++place) {
      const auto a = static_cast<UserId>(place);
      found.clear();
      rated.clear();
      for (const auto& field : gains.fields) field->add_candidates(a, found);
      std::ranges::sort(found);
      found.erase(std::unique(found.begin(), found.end()), found.end());
      for (const UserId b : found) {
        double rating = 0.0;
        for (const auto& field : gains.fields)
          if (field->is_known({a, b})) rating += std::log(0.5 + 0.5 * field->gain({a, b}));
        rated.push_back({rating, b});
      }
      if (rated.size() > most) {
        std::ranges::nth_element(rated, rated.begin() + static_cast<std::ptrdiff_t>(most),
                                 [](const Rated& left, const Rated& right) {
                                   return left.rating != right.rating ? left.rating > right.rating
                                                                      : left.user < right.user;
                                 });
        rated.resize(most);
        std::ranges::sort(rated, {}, &Rated::user);
      }
      for (const Rated& candidate : rated) result.push_back(candidate.user);
      counts[a] = static_cast<std::uint32_t>(rated.size());
    }
  });
  gains.begins.assign(users_a + std::size_t{1}, 0);
  for (UserId a = 0; a < users_a; ++a)
    gains.begins[a + std::size_t{1}] = gains.begins[a] + counts[a];
  gains.users.reserve(gains.begins.back());
  for (auto& part : chosen) {
    gains.users.insert(gains.users.end(), part.begin(), part.end());
    std::vector<UserId>().swap(part);
  }
}

}  // namespace

double FieldGains::coverage(Side side) const {
  const auto& known = known_[index_of(side)];
  return known.empty() ? 0.0
                       : static_cast<double>(std::ranges::count(known, 1)) /
                             static_cast<double>(known.size());
}

void FieldGains::gain_row(UserId a, std::span<float> gains) const {
  for (UserId b = 0; b < gains.size(); ++b) gains[b] = is_known({a, b}) ? gain({a, b}) : -1.0F;
}

ListedGains::ListedGains(std::string name, FieldKind kind, std::vector<std::uint8_t> known_a,
                         std::vector<std::uint8_t> known_b, std::vector<SimilarPair> pairs,
                         Run& run)
    : FieldGains(std::move(name), kind) {
  const std::size_t users_a = known_a.size();
  const std::size_t users_b = known_b.size();
  const double count_a = known_count(known_a);
  const double count_b = known_count(known_b);
  known_[0] = std::move(known_a);
  known_[1] = std::move(known_b);
  begins_.assign(users_a + 1, 0);
  std::vector<std::uint64_t> column_begins(users_b + 1, 0);
  for (const SimilarPair& pair : pairs) {
    ++begins_[pair.a + std::size_t{1}];
    ++column_begins[pair.b + std::size_t{1}];
  }
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  std::partial_sum(column_begins.begin(), column_begins.end(), column_begins.begin());
  entries_.resize(pairs.size());
  means_.assign(users_a, 0.0F);
  const auto rank_all = [&](std::size_t rows, double users, const auto& place_of) {
    run.for_pieces(rows, kGainsPerPiece, [&](const Piece& piece) {
      std::vector<float> similarity;
      std::vector<float> gains;
      std::vector<std::uint32_t> order;
      for (std::size_t row = piece.begin; row < piece.end; ++row)
        place_of(row, similarity, order, gains, users);
    });
  };
  rank_all(users_a, count_b,
           [&](std::size_t row, auto& similarity, auto& order, auto& gains, double users) {
             similarity.clear();
             for (std::uint64_t i = begins_[row]; i < begins_[row + 1]; ++i)
               similarity.push_back(pairs[i].similarity);
             rank_gains(similarity, users, order, gains);
             for (std::size_t i = 0; i < gains.size(); ++i)
               entries_[begins_[row] + i] = {pairs[begins_[row] + i].b, gains[i]};
           });
  std::vector<std::uint64_t> places(pairs.size());
  std::vector<std::uint64_t> next(column_begins.begin(), column_begins.end() - 1);
  for (std::uint64_t i = 0; i < pairs.size(); ++i) places[next[pairs[i].b]++] = i;
  rank_all(users_b, count_a,
           [&](std::size_t row, auto& similarity, auto& order, auto& gains, double users) {
             similarity.clear();
             for (std::uint64_t i = column_begins[row]; i < column_begins[row + 1]; ++i)
               similarity.push_back(pairs[places[i]].similarity);
             rank_gains(similarity, users, order, gains);
             for (std::size_t i = 0; i < gains.size(); ++i) {
               float& gain = entries_[places[column_begins[row] + i]].gain;
               gain = std::sqrt(gain * gains[i]);
             }
           });
  for (std::size_t a = 0; a < users_a; ++a) {
    double sum = 0.0;
    for (const Entry& entry : row(static_cast<UserId>(a))) sum += entry.gain;
    means_[a] = static_cast<float>(sum / count_b);
  }
}

float ListedGains::gain(UserPair pair) const {
  const auto entries = row(pair.a);
  const auto found = std::ranges::lower_bound(entries, pair.b, {}, &Entry::b);
  return found != entries.end() && found->b == pair.b ? found->gain : 0.0F;
}

void ListedGains::add_candidates(UserId a, std::vector<UserId>& users) const {
  for (const Entry& entry : row(a)) users.push_back(entry.b);
}

void ListedGains::gain_row(UserId a, std::span<float> gains) const {
  for (UserId b = 0; b < gains.size(); ++b) gains[b] = is_known({a, b}) ? 0.0F : -1.0F;
  for (const Entry& entry : row(a)) gains[entry.b] = entry.gain;
}

std::shared_ptr<const AttributeGains> attribute_gains(const NetworkPair& networks, Run& run) {
  if (networks.attributes == nullptr) return nullptr;
  auto gains = std::make_shared<AttributeGains>();
  for (const ComparedField& field : compared_fields(networks, run)) {
    switch (field.kind) {
      case FieldKind::kName:
      case FieldKind::kText:
      case FieldKind::kSet:
        gains->fields.push_back(token_gains(field, networks, run));
        break;
      case FieldKind::kNumber:
      case FieldKind::kDate:
        gains->fields.push_back(number_gains(field, networks, run));
        break;
      default:
        gains->fields.push_back(class_gains(field, networks, run));
    }
  }
  if (!networks.attributes->similarity.begins.empty())
    gains->fields.push_back(similarity_gains(networks, run));
  if (gains->fields.empty()) return nullptr;
  choose_candidates(*gains, networks, run);
  return gains;
}

}  // namespace dalaup
