#include "embedding/pair_batches.h"

#include <algorithm>
#include <unordered_map>

namespace dalaup {
namespace {

std::vector<UserPair> answers_of_epoch(const EpochOptions& options, std::size_t anchors,
                                       const LabelSet& labels, int epoch, const Run& run) {
  const std::span<const UserPair> all = labels.negatives();
  const auto per_anchor = static_cast<std::size_t>(std::max(1, options.negatives_per_anchor));
  Random random = run.random("aup answers no", static_cast<std::uint64_t>(epoch));
  std::vector<UserPair> answers;
  for (const std::uint64_t i :
       random.sample(all.size(), std::min(all.size(), per_anchor * anchors)))
    answers.push_back(all[i]);
  random.shuffle(std::span(answers));
  return answers;
}

}  // namespace

std::vector<LabelledPair> epoch_pairs(const EpochOptions& options,
                                      std::span<const UserPair> anchors, const LabelSet& labels,
                                      int epoch, const Run& run) {
  const auto round = static_cast<std::uint64_t>(epoch);
  std::vector<UserPair> order(anchors.begin(), anchors.end());
  if (options.shuffle) run.random("aup order", round).shuffle(std::span(order));
  const std::uint64_t draw = options.resample_negatives ? round : 0;
  const std::vector<UserPair> answers =
      answers_of_epoch(options, anchors.size(), labels, epoch, run);
  std::size_t given = 0;
  std::vector<LabelledPair> pairs;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const UserPair& anchor = order[i];
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
    while (given < answers.size() && given * order.size() < (i + 1) * answers.size())
      pairs.push_back({answers[given++], false});
  }
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
