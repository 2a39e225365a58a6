#include "embedding/pair_batches.h"

#include <unordered_map>

namespace dalaup {

std::vector<LabelledPair> epoch_pairs(const EpochOptions& options,
                                      std::span<const UserPair> anchors, const LabelSet& labels,
                                      int epoch, const Run& run) {
  const auto round = static_cast<std::uint64_t>(epoch);
  std::vector<UserPair> order(anchors.begin(), anchors.end());
  if (options.shuffle) run.random("aup order", round).shuffle(std::span(order));
  const std::uint64_t draw = options.resample_negatives ? round : 0;
  std::vector<LabelledPair> pairs;
  for (const UserPair& anchor : order) {
    pairs.push_back({anchor, true});
    // A stream per anchor: what is drawn for it does not depend on the order of the epoch.
    Random random =
        Random(run.seed(), "aup negatives", draw * 0x9e3779b97f4a7c15ULL ^ key_of(anchor));
    for (int negative = 0; negative < options.negatives_per_anchor; ++negative) {
      const Side drawn = negative % 2 == 0 ? Side::kB : Side::kA;
      const UserId users = labels.user_count(drawn);
      if (users < 2) continue;
      auto user = static_cast<UserId>(random.below(users - 1));
      if (user >= anchor.on(drawn)) ++user;
      pairs.push_back({pair_of(drawn, user, anchor.on(other(drawn))), false});
    }
  }
  for (const UserPair& pair : labels.negatives()) pairs.push_back({pair, false});
  return pairs;
}

std::vector<Batch> make_batches(std::span<const LabelledPair> pairs, std::size_t pairs_per_batch) {
  std::vector<Batch> batches;
  for (std::size_t begin = 0; begin < pairs.size(); begin += pairs_per_batch) {
    Batch batch;
    std::array<std::unordered_map<UserId, std::uint32_t>, 2> rows;
    const auto row_of = [&](std::size_t side, UserId user) {
      const auto [place, is_new] =
          rows[side].try_emplace(user, static_cast<std::uint32_t>(batch.users[side].size()));
      if (is_new) {
        batch.users[side].push_back(user);
        batch.copies[side].push_back(0.0);
      }
      batch.copies[side][place->second] += 1.0;
      return place->second;
    };
    for (const LabelledPair& pair :
         pairs.subspan(begin, std::min(pairs_per_batch, pairs.size() - begin)))
      batch.pairs.push_back({row_of(0, pair.pair.a), row_of(1, pair.pair.b), pair.is_anchor});
    batches.push_back(std::move(batch));
  }
  return batches;
}

}  // namespace dalaup
