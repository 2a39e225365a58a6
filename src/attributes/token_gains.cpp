// Names, texts and sets: TF-IDF vectors of tokens, similar users through inverted lists.
//
// Never all pairs: a user's tokens are followed from the rarest on, until so many users have been
// added up that a bound is reached; lists of tokens that many users share are not even kept. The
// best by these rare tokens are then compared on all of their tokens.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "attributes/gains.h"
#include "attributes/tokens.h"

namespace dalaup {
namespace {

constexpr std::size_t kUsersPerPiece = 256;
constexpr std::size_t kLongestList = 2000;  // users of one token, at most

struct Limits {
  std::size_t additions;  // users met in the lists of one user's tokens
  std::size_t compared;   // on all tokens
  std::size_t kept;
};
Limits limits_for(std::size_t users) {
  return users <= kFewUsers ? Limits{8000, 400, 100} : Limits{2500, 120, 30};
}

// Token hash -> number, open addressing.
class Vocabulary {
 public:
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
  std::uint32_t find_or_add(std::uint64_t token) {
    if (2 * (std::size_t{size_} + 1) > slots_.size()) grow();
    const std::size_t place = slot_of(token);
    if (slots_[place].number == kUnknown) slots_[place] = {token, size_++};
    return slots_[place].number;
  }
  std::uint32_t find(std::uint64_t token) const { return slots_[slot_of(token)].number; }
  std::uint32_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t token = 0;
    std::uint32_t number = kUnknown;
  };
  std::size_t slot_of(std::uint64_t token) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = (token * 0x9E3779B97F4A7C15ULL >> 20U) & mask;
    while (slots_[place].number != kUnknown && slots_[place].token != token)
      place = (place + 1) & mask;
    return place;
  }
  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(1024, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.number != kUnknown) slots_[slot_of(slot.token)] = slot;
  }
  std::vector<Slot> slots_;
  std::uint32_t size_ = 0;
};

struct Weighted {
  std::uint32_t token;
  float weight;
};

// Distinct tokens of a value with their counts, sorted by number; unknown ones are left out.
class Reader {
 public:
  Reader(FieldKind kind, const Vocabulary& vocabulary) : kind_(kind), vocabulary_(vocabulary) {}
  const std::vector<Weighted>& read(std::string_view value) {
    hashes_.clear();
    numbers_.clear();
    tokens_.clear();
    append_tokens(value, kind_, hashes_);
    for (const std::uint64_t hash : hashes_)
      if (const std::uint32_t number = vocabulary_.find(hash); number != Vocabulary::kUnknown)
        numbers_.push_back(number);
    std::ranges::sort(numbers_);
    for (const std::uint32_t number : numbers_) {
      if (tokens_.empty() || tokens_.back().token != number) tokens_.push_back({number, 0.0F});
      tokens_.back().weight += 1.0F;
    }
    return tokens_;
  }

 private:
  FieldKind kind_;
  const Vocabulary& vocabulary_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> numbers_;
  std::vector<Weighted> tokens_;
};

// Tokens of both columns and how rare they are.
struct Tokens {
  Vocabulary vocabulary;
  std::vector<std::uint32_t> frequency[2];  // users of a side by token
  std::vector<float> idf;

  // Counts times idf, of length 1.
  void weigh(std::vector<Weighted>& tokens) const {
    double square = 0.0;
    for (Weighted& token : tokens) {
      token.weight *= idf[token.token];
      square += double{token.weight} * token.weight;
    }
    const auto scale = static_cast<float>(square > 0.0 ? 1.0 / std::sqrt(square) : 0.0);
    for (Weighted& token : tokens) token.weight *= scale;
  }
};

Tokens count_tokens(const TextColumn& a, const TextColumn& b, FieldKind kind, Run& run) {
  Tokens tokens;
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint32_t> numbers;
  double users = 0.0;
  for (const int side : {0, 1}) {
    const TextColumn& column = side == 0 ? a : b;
    std::vector<std::uint32_t>& frequency = tokens.frequency[side];
    for (UserId user = 0; user < column.size(); ++user) {
      if (column[user].empty()) continue;
      if ((user & 0xFFFFU) == 0) run.throw_if_cancelled();
      hashes.clear();
      append_tokens(column[user], kind, hashes);
      std::ranges::sort(hashes);
      hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
      numbers.clear();
      for (const std::uint64_t hash : hashes)
        numbers.push_back(tokens.vocabulary.find_or_add(hash));
      frequency.resize(tokens.vocabulary.size(), 0);
      for (const std::uint32_t number : numbers) ++frequency[number];
      users += 1.0;
    }
  }
  tokens.frequency[0].resize(tokens.vocabulary.size(), 0);
  tokens.frequency[1].resize(tokens.vocabulary.size(), 0);
  tokens.idf.resize(tokens.vocabulary.size());
  for (std::size_t token = 0; token < tokens.idf.size(); ++token)
    tokens.idf[token] = static_cast<float>(
        1.0 +
        std::log((1.0 + users) / (1.0 + tokens.frequency[0][token] + tokens.frequency[1][token])));
  return tokens;
}

// Vectors of one side, and whom each token is found at.
struct Index {
  std::vector<std::uint64_t> row_begins;
  std::vector<Weighted> rows;
  std::vector<std::uint64_t> list_begins;
  struct Posting {
    UserId user;
    float weight;
  };
  std::vector<Posting> lists;  // of tokens with at most kLongestList users; others are empty

  std::span<const Weighted> row(UserId user) const {
    return std::span(rows).subspan(row_begins[user], row_begins[user + 1] - row_begins[user]);
  }
  std::span<const Posting> list(std::uint32_t token) const {
    return std::span(lists).subspan(list_begins[token],
                                    list_begins[token + 1] - list_begins[token]);
  }
};

Index make_index(const TextColumn& column, const Tokens& tokens, int side, FieldKind kind) {
  Index index;
  const std::vector<std::uint32_t>& frequency = tokens.frequency[side];
  index.list_begins.assign(frequency.size() + 1, 0);
  for (std::size_t token = 0; token < frequency.size(); ++token)
    index.list_begins[token + 1] =
        index.list_begins[token] + (frequency[token] <= kLongestList ? frequency[token] : 0);
  index.lists.resize(index.list_begins.back());
  std::uint64_t total = 0;
  for (const std::uint32_t count : frequency) total += count;
  index.rows.reserve(total);
  index.row_begins.push_back(0);
  std::vector<std::uint64_t> next(index.list_begins.begin(), index.list_begins.end() - 1);
  Reader reader(kind, tokens.vocabulary);
  std::vector<Weighted> row;
  for (UserId user = 0; user < column.size(); ++user) {
    row.clear();
    if (!column[user].empty()) row = reader.read(column[user]);
    tokens.weigh(row);
    index.rows.insert(index.rows.end(), row.begin(), row.end());
    for (const Weighted& token : row)
      if (frequency[token.token] <= kLongestList)
        index.lists[next[token.token]++] = {user, token.weight};
    index.row_begins.push_back(index.rows.size());
  }
  return index;
}

// Scratch of one worker.
struct Search {
  std::vector<float> sums;     // by user of the index
  std::vector<float> weights;  // by token
  std::vector<UserId> met;
  std::vector<std::pair<float, UserId>> best;
  std::vector<Weighted> by_rarity;
};

void keep_best(std::vector<std::pair<float, UserId>>& best, std::size_t count) {
  if (best.size() <= count) return;
  std::ranges::nth_element(best, best.begin() + static_cast<std::ptrdiff_t>(count),
                           [](const auto& left, const auto& right) {
                             return left.first != right.first ? left.first > right.first
                                                              : left.second < right.second;
                           });
  best.resize(count);
}

// Leaves the most similar users of the index in search.best.
void find_similar(std::span<const Weighted> row, const Index& index,
                  const std::vector<std::uint32_t>& frequency, const Limits& limits,
                  Search& search) {
  search.by_rarity.assign(row.begin(), row.end());
  std::ranges::sort(search.by_rarity, [&](const Weighted& left, const Weighted& right) {
    return frequency[left.token] != frequency[right.token]
               ? frequency[left.token] < frequency[right.token]
               : left.token < right.token;
  });
  std::size_t additions = 0;
  for (const Weighted& token : search.by_rarity) {
    const auto list = index.list(token.token);
    if (additions > 0 && additions + list.size() > limits.additions) break;
    additions += list.size();
    for (const Index::Posting& posting : list) {
      float& sum = search.sums[posting.user];
      if (sum == 0.0F) search.met.push_back(posting.user);
      sum += token.weight * posting.weight;
    }
  }
  search.best.clear();
  for (const UserId user : search.met) {
    search.best.emplace_back(search.sums[user], user);
    search.sums[user] = 0.0F;
  }
  search.met.clear();
  keep_best(search.best, limits.compared);
  for (const Weighted& token : row) search.weights[token.token] = token.weight;
  for (auto& [similarity, user] : search.best) {
    similarity = 0.0F;
    for (const Weighted& token : index.row(user))
      similarity += search.weights[token.token] * token.weight;
  }
  for (const Weighted& token : row) search.weights[token.token] = 0.0F;
  keep_best(search.best, limits.kept);
}

// The best users of one side's index for each user of the other, as pairs in order of the user.
std::vector<SimilarPair> similar_pairs(const TextColumn& queries, int query_side,
                                       const Index& index, std::size_t indexed_users,
                                       const Tokens& tokens, FieldKind kind, const Limits& limits,
                                       Run& run) {
  std::vector<std::vector<SimilarPair>> found((queries.size() + kUsersPerPiece - 1) /
                                              kUsersPerPiece);
  std::vector<Search> searches(static_cast<std::size_t>(run.threads()));
  Task task(run, "comparing attributes", queries.size());
  run.for_pieces(queries.size(), kUsersPerPiece, [&](const Piece& piece) {
    Search& search = searches[static_cast<std::size_t>(piece.worker)];
    if (search.sums.empty()) {
      search.sums.assign(indexed_users, 0.0F);
      search.weights.assign(tokens.vocabulary.size(), 0.0F);
    }
    Reader reader(kind, tokens.vocabulary);
    std::vector<Weighted> row;
    auto& pairs = found[piece.begin / kUsersPerPiece];
    for (std::size_t place = piece.begin; place < piece.end; ++place) {
      const auto user = static_cast<UserId>(place);
      if (queries[user].empty()) continue;
      row = reader.read(queries[user]);
      tokens.weigh(row);
      find_similar(row, index, tokens.frequency[1 - query_side], limits, search);
      for (const auto& [similarity, other] : search.best)
        pairs.push_back(query_side == 0 ? SimilarPair{user, other, similarity}
                                        : SimilarPair{other, user, similarity});
    }
    task.advance(piece.end - piece.begin);
  });
  std::vector<SimilarPair> pairs;
  std::size_t total = 0;
  for (const auto& part : found) total += part.size();
  pairs.reserve(total);
  for (auto& part : found) {
    pairs.insert(pairs.end(), part.begin(), part.end());
    std::vector<SimilarPair>().swap(part);
  }
  return pairs;
}

std::vector<std::uint8_t> known_users(const TextColumn& column) {
  std::vector<std::uint8_t> known(column.size());
  for (UserId user = 0; user < column.size(); ++user) known[user] = column[user].empty() ? 0 : 1;
  return known;
}

}  // namespace

std::unique_ptr<const FieldGains> token_gains(const ComparedField& field,
                                              const NetworkPair& networks, Run& run) {
  const TextColumn& a = networks.attributes->a.columns[field.column_a];
  const TextColumn& b = networks.attributes->b.columns[field.column_b];
  const std::size_t users = std::max(a.size(), b.size());
  const Limits limits = limits_for(users);
  std::vector<SimilarPair> pairs;
  {
    const Tokens tokens = count_tokens(a, b, field.kind, run);
    {
      const Index index = make_index(b, tokens, 1, field.kind);
      pairs = similar_pairs(a, 0, index, b.size(), tokens, field.kind, limits, run);
    }
    if (users <= kFewUsers) {  // the best of each column too
      const Index index = make_index(a, tokens, 0, field.kind);
      const auto more = similar_pairs(b, 1, index, a.size(), tokens, field.kind, limits, run);
      pairs.insert(pairs.end(), more.begin(), more.end());
    }
  }
  const auto key = [](const SimilarPair& pair) { return key_of({pair.a, pair.b}); };
  std::ranges::sort(pairs, {}, key);
  const auto is_same = [&](const auto& left, const auto& right) { return key(left) == key(right); };
  pairs.erase(std::unique(pairs.begin(), pairs.end(), is_same), pairs.end());
  return std::make_unique<ListedGains>(field.name, field.kind, known_users(a), known_users(b),
                                       std::move(pairs), run);
}

}  // namespace dalaup
