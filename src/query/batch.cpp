// From scored pairs to a batch of questions: a lazy greedy choice. The best question is taken from
// a heap; when the batch has lowered its value since, it goes back with the new value. Values only
// fall, so a question whose value still holds is the best there is.
#include <algorithm>
#include <limits>
#include <queue>

#include "query/strategy.h"

namespace dalaup {
namespace {

// The pairs of one question: positions in the proposal, likeliest first.
using Parts = std::vector<std::size_t>;

struct Entry {
  double value;
  std::size_t question;
  bool operator<(const Entry& other) const {  // the heap's top is the largest
    return value != other.value ? value < other.value : question > other.question;
  }
};

bool likelier(const CandidatePair& left, const CandidatePair& right) {
  if (left.probability != right.probability) return left.probability > right.probability;
  if (left.score != right.score) return left.score > right.score;
  return left.pair < right.pair;
}

std::vector<Parts> questions_of(const std::vector<ScoredPair>& pairs, const QuestionForm& form,
                                const QueryParams& params) {
  std::vector<Parts> questions;
  if (form.asks_single_pairs()) {
    for (std::size_t i = 0; i < pairs.size(); ++i) questions.push_back({i});
    return questions;
  }
  for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
    Parts parts;
    while (end < pairs.size() && pairs[end].candidate.pair.a == pairs[begin].candidate.pair.a)
      parts.push_back(end++);
    std::ranges::sort(parts, [&](std::size_t left, std::size_t right) {
      return likelier(pairs[left].candidate, pairs[right].candidate);
    });
    parts.resize(std::min(parts.size(), static_cast<std::size_t>(params.candidates_per_question)));
    questions.push_back(std::move(parts));
  }
  return questions;
}

}  // namespace

std::vector<Question> make_batch(const Strategy& strategy, const Scene& scene, Proposal& proposal) {
  std::vector<ScoredPair>& pairs = proposal.pairs;
  std::ranges::sort(pairs, {}, [](const ScoredPair& scored) { return scored.candidate.pair; });
  const std::vector<Parts> questions = questions_of(pairs, form_of(scene.kind()), scene.params);
  const auto discount = proposal.discount ? proposal.discount() : nullptr;
  const auto value_now = [&](const Parts& parts) {
    double sum = 0.0;
    double highest = -std::numeric_limits<double>::infinity();
    for (const std::size_t part : parts) {
      const double value = discount ? discount->value(pairs[part]) : pairs[part].value;
      sum += value;
      highest = std::max(highest, value);
    }
    return proposal.pick == Proposal::Pick::kHighest ? highest : sum;
  };

  std::vector<Entry> entries;
  for (std::size_t i = 0; i < questions.size(); ++i)
    entries.push_back({value_now(questions[i]), i});
  std::priority_queue<Entry> heap({}, std::move(entries));

  std::vector<bool> is_used_a(scene.networks().a.user_count(), false);
  std::vector<bool> is_used_b(scene.networks().b.user_count(), false);
  std::vector<Question> batch;
  while (batch.size() < scene.batch_size && !heap.empty()) {
    Entry best = heap.top();
    heap.pop();
    const Parts& parts = questions[best.question];
    const UserPair likeliest = pairs[parts.front()].candidate.pair;
    if (is_used_a[likeliest.a] || is_used_b[likeliest.b]) continue;
    if (discount) {
      best.value = value_now(parts);
      if (!heap.empty() && best < heap.top()) {
        heap.push(best);
        continue;
      }
    }
    Question question{.kind = scene.kind(),
                      .side = Side::kA,
                      .user = likeliest.a,
                      .candidates = {},
                      .probabilities = {},
                      .score = best.value,
                      .strategy = strategy.name};
    for (const std::size_t part : parts) {
      question.candidates.push_back(pairs[part].candidate.pair.b);
      question.probabilities.push_back(pairs[part].candidate.probability);
    }
    is_used_a[likeliest.a] = true;
    is_used_b[likeliest.b] = true;
    if (discount) discount->add(question);
    batch.push_back(std::move(question));
  }
  return batch;
}

}  // namespace dalaup
