#include "study/learner.h"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace dalaup {
namespace {

constexpr std::size_t kUsersCompared = 2000;  // whose best candidates are compared between rounds
constexpr std::size_t kRivals = 3;            // on either side
constexpr std::size_t kLikelyContacts = 8;
constexpr std::size_t kRankedDepth = 30;
constexpr std::string_view kModelKind = "studymodel";
constexpr std::uint32_t kModelVersion = 1;

bool is_same(const LabelSet& left, const LabelSet& right) {
  return std::ranges::equal(left.anchors(), right.anchors()) &&
         std::ranges::equal(left.negatives(), right.negatives());
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// People still look at the last model while the next one is made of it.
std::unique_ptr<Aligner> copy_of(const Aligner& aligner, const AlignerFactory& make_aligner) {
  ArchiveWriter writer;
  aligner.save(writer);
  const ArchiveReader reader(writer.to_bytes(kModelKind, kModelVersion), "the last model",
                             kModelKind, kModelVersion);
  std::unique_ptr<Aligner> copy = make_aligner();
  copy->load(reader, aligner.networks(), aligner.labels());
  return copy;
}

void measure(const Aligner& aligner, const std::vector<UserPair>& validation, Round& round,
             Run& run) {
  round.validation_size = static_cast<std::int64_t>(validation.size());
  if (validation.empty()) return;
  double precision = 0.0;
  double mean_precision = 0.0;
  for (const double rank : aligner.ranks(validation, run)) {
    if (rank > static_cast<double>(kRankedDepth)) continue;
    precision += 1.0;
    mean_precision += 1.0 / rank;
  }
  round.precision_at_30 = precision / static_cast<double>(validation.size());
  round.map_at_30 = mean_precision / static_cast<double>(validation.size());
}

std::vector<UserId> best_of_sample(const Aligner& aligner, Run& run) {
  const UserId users = aligner.networks().a.user_count();
  std::vector<UserId> sample(users);
  std::iota(sample.begin(), sample.end(), UserId{0});
  if (users > kUsersCompared) {
    const auto places = run.random("users compared").sample(users, kUsersCompared);
    sample.assign(places.begin(), places.end());
    std::ranges::sort(sample);
  }
  std::vector<UserId> best(sample.size(), kNoUser);
  const RankedLists lists = aligner.best_candidates(Side::kA, sample, 1, run);
  for (std::size_t place = 0; place < lists.size(); ++place)
    if (!lists[place].candidates.empty()) best[place] = lists[place].candidates.front().user;
  return best;
}

std::optional<double> agreement_of(const std::vector<UserId>& last,
                                   const std::vector<UserId>& now) {
  if (last.size() != now.size() || now.empty()) return std::nullopt;
  std::size_t same = 0;
  for (std::size_t place = 0; place < now.size(); ++place) same += last[place] == now[place];
  return static_cast<double>(same) / static_cast<double>(now.size());
}

struct Plan {
  std::string strategy;
  std::string form;  // pair or pick
};

// While few pairs are known, which users have a partner at all is the better question (measured:
// 136 answers on average to precision@30 of 0.6, where pair questions miss it on one split of
// five).
Plan plan_of(const LearningTask& task, const LabellingParams& params, Learned& learned, Run& run) {
  const bool picks = params.questions == "pick" ||
                     (params.questions == "auto" && task.round.anchors < params.pick_until);
  if (picks) return {"degree", "pick"};
  const auto choice = learned.bandit.choose(task.round.id + 1, run.random("bandit", task.round.id));
  learned.round.exploration_probability = choice.exploration_probability;
  learned.round.explored = choice.explored;
  return {learned.bandit.arms()[choice.arm].name, "pair"};
}

// Candidates come likeliest first; people are not to see that.
void shuffle_candidates(Question& question, Random& random) {
  for (std::size_t left = question.candidates.size(); left > 1; --left) {
    const auto place = static_cast<std::size_t>(random.below(left));
    std::swap(question.candidates[left - 1], question.candidates[place]);
    std::swap(question.probabilities[left - 1], question.probabilities[place]);
  }
}

// Where everybody stands, from one row of scores per user in the question.
void describe(const Aligner& aligner, const LabelSet& labels, StudyQuestion& question) {
  const Question& asked = question.question;
  const Side near = asked.side;
  const Side far = other(near);
  const std::vector<bool> open_far = open_users(labels, far);
  const std::vector<bool> open_near = open_users(labels, near);
  std::vector<float> row(aligner.networks().on(far).user_count());
  std::vector<float> column(aligner.networks().on(near).user_count());
  aligner.score_row(near, asked.user, row);
  const auto add_rivals = [&](Side side, std::span<const float> scores,
                              const std::vector<bool>& open, UserId apart_from, UserId opposite) {
    for (const Candidate& rival : best_of_row(scores, kRivals + 1, open)) {
      if (rival.user == apart_from || question.rivals.size() >= 2 * kRivals) continue;
      const UserPair pair = pair_of(side, rival.user, opposite);
      if (labels.answer(pair)) continue;
      question.rivals.push_back({side, rival.user, aligner.probability(pair)});
    }
  };
  for (const UserId candidate : asked.candidates) {
    aligner.score_row(far, candidate, column);
    question.standings.push_back(
        {rank_in_row(row, candidate, open_far), rank_in_row(column, asked.user, open_near)});
  }
  if (asked.kind == QuestionKind::kPick) return;
  add_rivals(far, row, open_far, asked.candidates[0], asked.user);
  add_rivals(near, column, open_near, asked.user, asked.candidates[0]);
  for (const auto& part : aligner.explain(asked.pair(), kLikelyContacts).parts)
    if (!part.is_label) question.likely_same.push_back(part.neighbours);
}

}  // namespace

Learned learn(const LearningTask& task, const AlignerFactory& make_aligner,
              const NetworkPair& networks, const LabellingParams& params, Round* last_round,
              double yes_share, Run& run) {
  const auto start = std::chrono::steady_clock::now();
  std::shared_ptr<const Aligner> aligner = task.fitted;
  if (!aligner || !is_same(aligner->labels(), task.training)) {
    const bool goes_on = aligner && LoopParams{}.warm;
    std::unique_ptr<Aligner> next = goes_on ? copy_of(*aligner, make_aligner) : make_aligner();
    if (goes_on)
      next->refit(task.training, run);
    else
      next->fit(networks, task.training, run);
    aligner = std::move(next);
  }

  Learned learned{.aligner = aligner,
                  .round = task.round,
                  .bandit = task.bandit,
                  .questions = {},
                  .best = best_of_sample(*aligner, run)};
  learned.round.agreement = agreement_of(task.last_best, learned.best);
  measure(*aligner, task.validation, learned.round, run);
  if (last_round != nullptr) {
    const bool measured = learned.round.map_at_30 && last_round->map_at_30;
    last_round->reward = measured ? *learned.round.map_at_30 - *last_round->map_at_30 : yes_share;
    const auto& arms = learned.bandit.arms();
    const auto arm = std::ranges::find(arms, last_round->strategy, &Arm::name);
    if (arm != arms.end())
      learned.bandit.reward(static_cast<std::size_t>(arm - arms.begin()), *last_round->reward);
  }

  const Plan plan = plan_of(task, params, learned, run);
  QueryParams query;
  query.questions = plan.form;
  query.candidates_per_question = params.candidates_per_question;
  const auto chosen = choose_questions(plan.strategy,
                                       {.aligner = *aligner,
                                        .labels = task.training,
                                        .pool = task.pool,
                                        .round = static_cast<std::uint64_t>(task.round.id) + 1},
                                       query, task.question_count, run);
  double yes_chance = 0.0;
  Random overlap = run.random("overlap", static_cast<std::uint64_t>(task.round.id));
  Random order = run.random("order", static_cast<std::uint64_t>(task.round.id));
  for (const Question& question : chosen) {
    run.throw_if_cancelled();
    StudyQuestion kept{.question = question, .is_overlap = overlap.chance(params.overlap)};
    shuffle_candidates(kept.question, order);
    describe(*aligner, task.training, kept);
    yes_chance += std::clamp(question.yes_probability(), 0.0, 1.0);
    learned.questions.push_back(std::move(kept));
  }
  learned.round.strategy = plan.strategy;
  if (!chosen.empty()) learned.round.yes_chance = yes_chance / static_cast<double>(chosen.size());
  learned.round.bandit = learned.bandit.to_json();
  learned.round.at = utc_now();
  learned.round.seconds = seconds_since(start);
  return learned;
}

std::string kept_form(const Learned& learned) {
  ArchiveWriter archive;
  archive.put("method", learned.aligner->method());
  save_labels(archive, learned.aligner->labels());
  archive.put("best", learned.best);
  learned.aligner->save(archive);
  return archive.to_bytes(kModelKind, kModelVersion);
}

std::shared_ptr<Learned> restore_model(const std::string& bytes, const AlignerFactory& make_aligner,
                                       const NetworkPair& networks) {
  const ArchiveReader archive(bytes, "the kept model", kModelKind, kModelVersion);
  std::unique_ptr<Aligner> aligner = make_aligner();
  if (archive.text("method") != aligner->method())
    throw InputError("the kept model", 0, "found another method");
  aligner->load(archive, networks, load_labels(archive, networks));
  auto learned = std::make_shared<Learned>();
  learned->best = archive.values<UserId>("best");
  learned->aligner = std::move(aligner);
  return learned;
}

}  // namespace dalaup
