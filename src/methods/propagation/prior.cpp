#include "methods/propagation/prior.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "communicator/communicator.h"
#include "methods/propagation/accumulator.h"

namespace dalaup {
namespace {

constexpr std::size_t kPriorsPerPiece = 32;
constexpr std::size_t kMostUsers = 2048;  // of B looked at for one anchor in a user's context
constexpr std::size_t kLine = Accumulator::kLine;
constexpr std::uint32_t kNoColumn = ~std::uint32_t{0};
constexpr float kRounding = 1e-5F;  // a smaller share of a sum is what rounding left of nothing

bool is_stronger(const WeightedUser& left, const WeightedUser& right) {
  return left.weight != right.weight ? left.weight > right.weight : left.user < right.user;
}

// Shortens the rows of popular anchors to the users for whom the anchor weighs most.
void shorten_rows(Rows<WeightedUser>& users_of) {
  std::uint64_t end = 0;  // of what is kept so far
  for (std::size_t anchor = 0; anchor + 1 < users_of.begins.size(); ++anchor) {
    const auto first = users_of.items.begin();
    auto begin = first + static_cast<std::ptrdiff_t>(users_of.begins[anchor]);
    auto last = first + static_cast<std::ptrdiff_t>(users_of.begins[anchor + 1]);
    users_of.begins[anchor] = end;
    if (static_cast<std::size_t>(last - begin) > kMostUsers) {
      const auto middle = begin + static_cast<std::ptrdiff_t>(kMostUsers);
      std::nth_element(begin, middle, last, is_stronger);
      last = middle;
      std::sort(begin, last, [](const WeightedUser& left, const WeightedUser& right) {
        return left.user < right.user;
      });
    }
    std::move(begin, last, first + static_cast<std::ptrdiff_t>(end));
    end += static_cast<std::uint64_t>(last - begin);
  }
  users_of.begins.back() = end;
  users_of.items.resize(end);
}

// For each anchor the users of B that meet it, those for whom it weighs most if there are many.
Rows<WeightedUser> inverted(const Rows<ContextEntry>& contexts, std::size_t vocabulary) {
  Rows<WeightedUser> users_of;
  users_of.begins.assign(vocabulary + 1, 0);
  for (const ContextEntry& entry : contexts.items) ++users_of.begins[entry.anchor + 1];
  std::partial_sum(users_of.begins.begin(), users_of.begins.end(), users_of.begins.begin());
  users_of.items.resize(users_of.begins.back());
  std::vector<std::uint64_t> next(users_of.begins.begin(), users_of.begins.end() - 1);
  for (std::size_t user = 0; user < contexts.size(); ++user)
    for (const ContextEntry& entry : contexts.of(user))
      users_of.items[next[entry.anchor]++] = {static_cast<UserId>(user), entry.weight};
  shorten_rows(users_of);
  return users_of;
}

std::vector<float> scales(const Rows<ContextEntry>& contexts,
                          const std::vector<std::uint8_t>& is_hidden) {
  std::vector<float> result(contexts.size(), 0.0F);
  for (std::size_t user = 0; user < contexts.size(); ++user) {
    double whole = 0.0;
    double seen = 0.0;
    for (const ContextEntry& entry : contexts.of(user)) {
      const double square = double{entry.weight} * entry.weight;
      whole += square;
      if (!is_hidden[entry.anchor]) seen += square;
    }
    if (seen > 0.0) result[user] = static_cast<float>(std::sqrt(whole / seen));
  }
  return result;
}

// One way to look at the contexts: all anchors known, or those of one group hidden.
struct Variant {
  std::uint8_t hidden_group = 0;  // 0: none
  std::vector<std::uint8_t> open_a;
  std::vector<std::uint8_t> open_b;
  std::vector<float> scale_b;  // as in the view, but 0 for users who are not open
  double open_count = 0.0;     // users of B
};

// Sums of one row over anchors, apart for each group of anchors that are hidden together; group 0
// is never hidden.
class GroupedSums {
 public:
  GroupedSums(std::size_t groups, std::size_t users)
      : is_met_(users, 0), parts_(groups, std::vector<float>(users, 0.0F)) {}

  void add(std::uint8_t group, std::span<const WeightedUser> users, float weight) {
    if (users_.size() <= count_ + users.size()) users_.resize(2 * (count_ + users.size()) + 1);
    float* const part = parts_[group].data();  // the store to a byte might change the members
    std::uint8_t* const is_met = is_met_.data();
    UserId* const met = users_.data();
    std::size_t count = count_;
    for (const WeightedUser& user : users) {
      met[count] = user.user;
      count += is_met[user.user] == 0 ? 1 : 0;
      is_met[user.user] = 1;
      part[user.user] += weight * user.weight;
    }
    count_ = count;
  }
  // Must be called after the last add and before mix.
  void collect() {
    totals_.assign(count_, 0.0F);
    for (const std::vector<float>& part : parts_)
      for (std::size_t i = 0; i < count_; ++i) totals_[i] += part[users_[i]];
  }
  // Who was added to.
  std::span<const UserId> users() const { return std::span(users_).first(count_); }
  // The values of a variant, beside the users; zeros fill up to a whole line.
  void mix(const Variant& variant, float scale, std::vector<float>& values) const {
    values.assign((count_ + kLine - 1) / kLine * kLine, 0.0F);
    const float* const hidden = parts_[variant.hidden_group].data();
    const bool hides = variant.hidden_group != 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const UserId user = users_[i];
      const float seen = hides ? totals_[i] - hidden[user] : totals_[i];
      const float value = seen * scale * variant.scale_b[user];
      values[i] = seen > kRounding * totals_[i] ? value : 0.0F;
    }
  }
  void clear() {
    for (const UserId user : users()) is_met_[user] = 0;
    for (std::vector<float>& part : parts_)
      for (const UserId user : users()) part[user] = 0.0F;
    count_ = 0;
  }

 private:
  std::vector<std::uint8_t> is_met_;
  std::vector<std::vector<float>> parts_;
  std::vector<UserId> users_;  // the first count_ of them
  std::vector<float> totals_;  // beside users_
  std::size_t count_ = 0;
};

struct Moments {
  double sum = 0.0;
  double square = 0.0;
  float highest = 0.0F;
};

Moments moments_of(std::span<const float> values) {
  LineSums sums{};  // one per position in a line, so that the compiler vectorises
  LineSums squares{};
  LineSums highest{};
  for (std::size_t first = 0; first < values.size(); first += kLine)
    for (std::size_t lane = 0; lane < kLine; ++lane) {
      const float value = values[first + lane];
      sums[lane] += value;
      squares[lane] += value * value;
      highest[lane] = value > highest[lane] ? value : highest[lane];
    }
  return {std::accumulate(sums.begin(), sums.end(), 0.0),
          std::accumulate(squares.begin(), squares.end(), 0.0), *std::ranges::max_element(highest)};
}

float value_near_rank(std::span<const float> values, std::size_t rank, float highest) {
  if (highest <= 0.0F || values.size() <= rank) return 0.0F;
  RankHistogram histogram(highest);
  for (std::size_t i = 0; i < values.size(); i += 4)
    histogram.add(std::span<const float, 4>(values.subspan(i, 4)));
  return histogram.value_near(rank);
}

// The prior of one user of A with some users of B; those not named have none.
struct RowValues {
  std::span<const UserId> users;
  std::vector<float> values;  // beside users; zeros fill up to a whole line
};

void context_values(const Prior& prior, std::size_t user, const GroupedSums& sums,
                    const Variant& variant, RowValues& row) {
  row.users = sums.users();
  sums.mix(variant, prior.view.scale_a[user], row.values);
}

// Everybody gets a learned value. `products` are those of the user's vector with all of B's.
void add_learned_values(std::span<const float> products, std::span<const UserId> everybody,
                        const Variant& variant, RowValues& row) {
  std::vector<float> values((products.size() + kLine - 1) / kLine * kLine, 0.0F);
  for (std::size_t user = 0; user < products.size(); ++user)
    if (variant.open_b[user]) values[user] = std::max(0.0F, products[user]);
  for (std::size_t i = 0; i < row.users.size(); ++i) values[row.users[i]] += row.values[i];
  row.users = everybody;
  row.values = std::move(values);
}

// Lists the user's strongest candidates and describes the others.
void fill_row(Prior& prior, std::size_t user, const Variant& variant, const RowValues& row,
              std::vector<WeightedUser>& best) {
  const std::size_t kept = prior.best.capacity();
  const std::vector<float>& values = row.values;
  Moments moments = moments_of(values);
  const float threshold = value_near_rank(values, kept, moments.highest);
  best.clear();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] > threshold) best.push_back({row.users[i], values[i]});
  if (best.size() > kept) {
    std::ranges::nth_element(best, best.begin() + static_cast<std::ptrdiff_t>(kept), is_stronger);
    best.resize(kept);
  }
  std::ranges::sort(best, is_stronger);
  prior.best.assign(user, best);
  for (const WeightedUser& candidate : best) {
    moments.sum -= candidate.weight;
    moments.square -= double{candidate.weight} * candidate.weight;
  }
  const double others = std::max(1.0, variant.open_count - static_cast<double>(best.size()));
  prior.rows[user] = {static_cast<float>(std::max(0.0, moments.sum) / others),
                      static_cast<float>(std::max(0.0, moments.square) / others)};
}

// Brings the vectors to length 1 and divides the weight between them and the context.
void use_learned(Prior& prior, Embeddings learned, const PropagationParams& params) {
  const float weight = params.prior == "both" ? 0.5F : 1.0F;
  learned.a.rowwise().normalize();
  learned.b.rowwise().normalize();
  learned.a *= weight;
  for (float& scale : prior.view.scale_a) scale *= 1.0F - weight;
  prior.learned = std::make_shared<const Embeddings>(std::move(learned));
}

// Of the vectors of a piece of A with all of B's.
Matrix products_of(const Embeddings& learned, const Piece& piece) {
  return learned.a.middleRows(static_cast<Eigen::Index>(piece.begin),
                              static_cast<Eigen::Index>(piece.end - piece.begin)) *
         learned.b.transpose();
}

// Takes the columns of pairs from `first` on out of the rows of their own users.
void cut_own_columns(std::span<const UserPair> columns, std::size_t first, Side side,
                     Rows<ContextEntry>& contexts) {
  std::vector<std::uint32_t> own(contexts.size(), kNoColumn);
  for (std::size_t column = first; column < columns.size(); ++column)
    own[columns[column].on(side)] = static_cast<std::uint32_t>(column);
  std::uint64_t end = 0;  // of what is kept so far
  for (std::size_t user = 0; user < contexts.size(); ++user) {
    const std::uint64_t begin = std::exchange(contexts.begins[user], end);
    const std::uint64_t last = contexts.begins[user + 1];
    double whole = 0.0;
    double kept = 0.0;
    const std::uint64_t first_kept = end;
    for (std::uint64_t i = begin; i < last; ++i) {
      const ContextEntry entry = contexts.items[i];
      const double square = double{entry.weight} * entry.weight;
      whole += square;
      if (entry.anchor % columns.size() == own[user]) continue;
      kept += square;
      contexts.items[end++] = entry;
    }
    if (kept < whole && kept > 0.0) {
      const auto scale = static_cast<float>(std::sqrt(whole / kept));
      for (std::uint64_t i = first_kept; i < end; ++i) contexts.items[i].weight *= scale;
    }
  }
  contexts.begins.back() = end;
  contexts.items.resize(end);
}

// Without anchors nothing is known before the first matching.
Prior empty_prior(UserId users_a, UserId users_b, RowRange own) {
  auto context = std::make_shared<AnchorContext>();
  context->a.begins.assign(users_a + std::size_t{1}, 0);
  context->b.begins.assign(users_b + std::size_t{1}, 0);
  return {{std::move(context),
           {},
           std::vector<float>(users_a, 0.0F),
           std::vector<float>(users_b, 0.0F)},
          nullptr,
          {own, 0},
          std::vector<PriorRow>(users_a)};
}

}  // namespace

std::vector<Prior> make_priors(const NetworkPair& networks, std::span<const UserPair> anchors,
                               std::span<const std::vector<UserPair>> hidden_sets,
                               std::vector<Embeddings> learned, const PropagationParams& params,
                               Run& run, std::span<const UserPair> pseudo_anchors) {
  const UserId users_a = networks.a.user_count();
  const UserId users_b = networks.b.user_count();
  const RowRange own = RowBlocks(networks.a.both().begins, communicator_of(run)).own();
  if (anchors.empty()) return {empty_prior(users_a, users_b, own)};
  std::vector<UserPair> columns(anchors.begin(), anchors.end());
  columns.insert(columns.end(), pseudo_anchors.begin(), pseudo_anchors.end());
  const auto context = std::make_shared<AnchorContext>(
      sparse_relative_contexts(networks, columns,
                               {.restart_probability = params.restart_probability,
                                .walk_steps = params.walk_steps,
                                .most_entries = params.context_size},
                               run));
  if (!pseudo_anchors.empty()) {
    cut_own_columns(columns, anchors.size(), Side::kA, context->a);
    cut_own_columns(columns, anchors.size(), Side::kB, context->b);
  }

  // Groups: 1 + i the anchors of set i, 0 those that are never hidden and users who are no anchors.
  std::vector<std::uint8_t> is_always_known(users_a, 0);
  std::vector<std::uint8_t> group_of_user(users_a, 0);
  for (const UserPair& anchor : anchors) is_always_known[anchor.a] = 1;
  for (std::size_t set = 0; set < hidden_sets.size(); ++set)
    for (const UserPair& anchor : hidden_sets[set]) {
      group_of_user[anchor.a] = static_cast<std::uint8_t>(set + 1);
      is_always_known[anchor.a] = 0;
    }
  std::vector<std::uint8_t> group_of(context->vocabulary);
  for (std::size_t entry = 0; entry < group_of.size(); ++entry)
    group_of[entry] = group_of_user[columns[entry % columns.size()].a];

  std::vector<Prior> priors;
  std::vector<Variant> variants;
  for (std::size_t hidden = 0; hidden <= hidden_sets.size(); ++hidden) {
    Variant variant{static_cast<std::uint8_t>(hidden),
                    std::vector<std::uint8_t>(users_a, 1),
                    std::vector<std::uint8_t>(users_b, 1),
                    {},
                    static_cast<double>(users_b)};
    Prior prior{{context, std::vector<std::uint8_t>(context->vocabulary), {}, {}},
                nullptr,
                {own, static_cast<std::size_t>(params.prior_candidates)},
                std::vector<PriorRow>(users_a)};
    for (std::size_t entry = 0; entry < group_of.size(); ++entry)
      prior.view.is_hidden[entry] = hidden != 0 && group_of[entry] == hidden ? 1 : 0;
    prior.view.scale_a = scales(context->a, prior.view.is_hidden);
    prior.view.scale_b = scales(context->b, prior.view.is_hidden);
    variant.scale_b = prior.view.scale_b;
    for (const UserPair& anchor : anchors) {
      if (hidden != 0 && group_of_user[anchor.a] == hidden) continue;
      variant.open_a[anchor.a] = 0;
      variant.open_b[anchor.b] = 0;
      variant.scale_b[anchor.b] = 0.0F;
      variant.open_count -= 1.0;
    }
    if (!learned.empty()) use_learned(prior, std::move(learned[hidden]), params);
    priors.push_back(std::move(prior));
    variants.push_back(std::move(variant));
  }

  const Rows<WeightedUser> users_of = inverted(context->b, context->vocabulary);
  std::vector<GroupedSums> sums(static_cast<std::size_t>(run.threads()),
                                GroupedSums(hidden_sets.size() + 1, users_b));
  std::vector<UserId> everybody(learned.empty() ? 0 : users_b);
  std::iota(everybody.begin(), everybody.end(), UserId{0});
  Task task(run, "comparing contexts", own.size());
  for_rows(run, own, kPriorsPerPiece, [&](const Piece& piece) {
    GroupedSums& sum = sums[static_cast<std::size_t>(piece.worker)];
    RowValues row;
    std::vector<WeightedUser> best;
    std::vector<Matrix> products;  // of each variant
    for (const Prior& prior : priors)
      if (prior.learned != nullptr) products.push_back(products_of(*prior.learned, piece));
    for (std::size_t user = piece.begin; user < piece.end; ++user) {
      if (is_always_known[user]) continue;  // open in no variant
      for (const ContextEntry& entry : context->a.of(user))
        sum.add(group_of[entry.anchor], users_of.of(entry.anchor), entry.weight);
      sum.collect();
      for (std::size_t variant = 0; variant < variants.size(); ++variant)
        if (variants[variant].open_a[user]) {
          context_values(priors[variant], user, sum, variants[variant], row);
          if (!products.empty()) {
            const auto of_user =
                products[variant].row(static_cast<Eigen::Index>(user - piece.begin));
            add_learned_values({of_user.data(), everybody.size()}, everybody, variants[variant],
                               row);
          }
          fill_row(priors[variant], user, variants[variant], row, best);
        }
      sum.clear();
    }
    task.advance(piece.end - piece.begin);
  });
  return priors;
}

}  // namespace dalaup
