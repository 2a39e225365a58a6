#include <algorithm>
#include <nlohmann/json.hpp>

#include "active_learning/active_learning.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "experiments/experiments.h"
#include "generate/generate.h"
#include "methods/methods.h"
#include "predictions/predictions.h"
#include "ranking/ranking.h"
#include "report/report.h"

// The main job from end to end on networks it makes itself: too few known pairs to find anybody,
// questions that are worth asking beside random ones, answers from the known truth, ranked lists
// and a matching in files.
namespace dalaup {
namespace {

constexpr SplitSizes kSizes{.initial = 30, .validation = 100, .test = 600};
constexpr std::size_t kBudget = 300;
constexpr std::size_t kBatch = 50;
constexpr std::size_t kTop = 30;
constexpr const char* kChosen = "study";
constexpr const char* kRandom = "random";

// One way of asking, and what it brought round by round.
struct Course {
  std::string strategy;
  std::unique_ptr<Aligner> aligner;
  LoopState state;
  std::vector<PredictedPair> pairs = {};  // the matching after the last answer
  std::vector<std::size_t> answers = {};
  std::vector<std::size_t> right = {};  // known pairs and right pairs of the matching
};

std::vector<FoundPair> judged(std::span<const PredictedPair> pairs, const LabelSet& truth) {
  std::vector<FoundPair> found;
  for (const PredictedPair& one : pairs)
    found.push_back({.probability = one.probability,
                     .is_right = truth.partner(Side::kA, one.pair.a) == one.pair.b});
  return found;
}

std::size_t right_pairs(const Course& course, const LabelSet& truth) {
  const auto right = std::ranges::count_if(course.pairs, [&](const PredictedPair& one) {
    return truth.partner(Side::kA, one.pair.a) == one.pair.b;
  });
  return course.state.labels.anchors().size() + static_cast<std::size_t>(right);
}

Course ask(const std::string& strategy, const GeneratedPair& pair, const Split& split,
           const LabelSet& truth, Run& run, const std::function<void(const Course&)>& after_round) {
  const LoopParams params{.strategy = strategy,
                          .label_budget = kBudget,
                          .batch_size = kBatch,
                          .query = {.questions = "pick"}};
  Course course{.strategy = strategy,
                .aligner = all_methods().make(kDefaultMethod),
                .state = begin_loop(pair.networks, split, params)};
  TruthOracle oracle(pair.networks, pair.truth);
  run_loop(*course.aligner, pair.networks, split, params, oracle, course.state, run,
           [&](const LoopState& now) {
             course.pairs = match_networks(*course.aligner, kTop, {}, run);
             course.answers.push_back(now.rounds.back().answers);
             course.right.push_back(right_pairs(course, truth));
             after_round(course);
           });
  return course;
}

LineSeries series_of(const Course& course, const std::string& name) {
  LineSeries series{.name = name};
  for (std::size_t i = 0; i < course.right.size(); ++i) {
    series.x.push_back(static_cast<double>(course.answers[i]));
    series.y.push_back(static_cast<double>(course.right[i]));
  }
  return series;
}

std::string headline_of(const Course& chosen, const Course& random, std::size_t people) {
  const std::size_t known = chosen.state.labels.anchors().size();
  const std::size_t before = chosen.right.front() - kSizes.initial;
  return fmt::format(
      "{} known pairs were too few: they led to {} of the other {} people. After {} answers to "
      "chosen questions {} right pairs are there: {} are known by then, {} more were found. After "
      "as many answers to random questions it is {}.",
      kSizes.initial, before == 0 ? "none" : grouped(before), grouped(people - kSizes.initial),
      chosen.answers.back(), grouped(chosen.right.back()), grouped(known),
      grouped(chosen.right.back() - known), grouped(random.right.back()));
}

std::string found_words(std::span<const FoundPair> found) {
  return result_words(found) + " The known pairs are not counted here.";
}

Report report_of(const Course& chosen, const Course& random, const Split& split,
                 const LabelSet& truth, const Session& session, Run& run) {
  Report report =
      loop_report({.aligner = *chosen.aligner,
                   .split = split,
                   .state = chosen.state,
                   .title = "dalaup demo: the same people in two networks",
                   .facts = {{"files", "a.edges, b.edges and truth.tsv, generated in this folder"},
                             {"command", session.command_line()},
                             {"version", DALAUP_VERSION}}},
                  run);
  report.headline = headline_of(chosen, random, truth.anchors().size());
  const std::vector<FoundPair> found = judged(chosen.pairs, truth);
  ReportSection result = result_section(
      found, found_words(found),
      {"take the pairs of matching.tsv from the probability you need on;",
       "on your own files, begin with dalaup info, then dalaup train and dalaup predict;",
       "where few pairs are known, dalaup new and dalaup label ask the questions that help most."});
  result.items.emplace_back(LineChart{
      .title = "Right pairs against answers",
      .x_label = "answers given",
      .y_label = "right pairs, known ones included",
      .series = {series_of(chosen, "chosen questions"), series_of(random, "random questions")},
      .y_lowest = 0.0,
      .note = "A right pair is known, or in the matching and true. Both ways begin with the same "
              "known pairs. Random questions ask which of five candidates a user is, or none; the "
              "chosen ones are those of dalaup label: the same of users with many contacts, then "
              "whatever is open, and one in five is about a random match, as an audit."});
  report.sections.insert(report.sections.begin(), std::move(result));
  return report;
}

void write_results(const std::string& folder, const Course& chosen, const Report& report,
                   Run& run) {
  const Aligner& aligner = *chosen.aligner;
  write_labels(folder + "/labels.tsv", chosen.state.labels, aligner.networks());
  save_model(folder + "/model.dalaup", aligner);
  write_ranked_lists(folder + "/ranked.tsv", aligner, Side::kA,
                     unanchored_users(aligner.labels(), Side::kA), kTop, run);
  write_matched_pairs(folder + "/matching.tsv", chosen.pairs, aligner.networks());
  write_report(folder + "/report.html", report);
  write_figures(folder + "/figures", report);
}

void demo(const std::string& folder, Session& session) {
  Run& run = session.run();
  session.print("Generating two networks that share people...\n");
  const GeneratedPair pair = generate_pair({}, run);
  write_pair(folder, pair);
  const NetworkPair& networks = pair.networks;
  session.print("  A: {} users, {} edges\n  B: {} users, {} edges\n  {} people are in both\n\n",
                grouped(networks.a.user_count()), grouped(networks.a.edge_count()),
                grouped(networks.b.user_count()), grouped(networks.b.edge_count()),
                grouped(pair.truth.size()));
  const Split split = split_truth(pair.truth, kSizes, run.random("demo split"));
  LabelSet truth(networks.a.user_count(), networks.b.user_count());
  for (const UserPair anchor : pair.truth) truth.add(anchor, Label::kAnchor);

  session.print(
      "{} pairs are known. Asking {} questions, of the form \"which of these five is this user, or "
      "none?\";\nthe truth answers.\n\n",
      split.initial.size(), kBudget);
  const auto print_round = [&](const Course& course) {
    session.print("{:>7} {:>5} {:>13}\n", course.answers.back(),
                  course.state.rounds.back().positives, grouped(course.right.back()));
  };
  session.print("chosen questions\nanswers   yes   right pairs\n");
  const Course chosen = ask(kChosen, pair, split, truth, run, print_round);
  session.print("\nrandom questions, to compare\nanswers   yes   right pairs\n");
  const Course random = ask(kRandom, pair, split, truth, run, print_round);

  const Report report = report_of(chosen, random, split, truth, session, run);
  write_results(folder, chosen, report, run);
  session.print("\n{}\n", report.headline);
  session.print("{}\n", found_words(judged(chosen.pairs, truth)));
  session.print(
      "\nLook at {0}/report.html; beside it: figures/, labels.tsv, ranked.tsv, matching.tsv, "
      "model.dalaup\n\n",
      folder);
  session.print(
      "On your own files:\n"
      "  dalaup info  --a a.edges --b b.edges --labels known.tsv      what to expect\n"
      "  dalaup train --a a.edges --b b.edges --labels known.tsv --model my.dalaup\n"
      "  dalaup predict --model my.dalaup --out ranked.tsv --matching matching.tsv\n"
      "With few known pairs, let people answer questions:\n"
      "  dalaup new my.study --a a.edges --b b.edges --labels known.tsv && dalaup label "
      "my.study\n");
  auto& summary = session.summary();
  const RoundResult& last = chosen.state.rounds.back();
  summary["answers"] = last.answers;
  summary["yes"] = last.positives;
  summary["right_pairs_before"] = chosen.right.front();
  summary["right_pairs"] = chosen.right.back();
  summary["right_pairs_random_questions"] = random.right.back();
  summary["precision@30_before"] = chosen.state.rounds.front().test.precision;
  summary["precision@30"] = last.test.precision;
  summary["map@30"] = last.test.map;
  summary["hits@1"] = last.test.hits_1;
  summary["matched"] = chosen.pairs.size();
  summary["folder"] = folder;
}

}  // namespace

void add_demo_command(Program& program) {
  auto folder = std::make_shared<std::string>("demo-out");
  Command& command =
      program.add("demo", "runs the main job on generated networks; under two minutes");
  command.group("Output");
  command.optional("out", *folder, "DIR", "folder for the results");
  command.action([folder](Session& session) { demo(*folder, session); });
}

}  // namespace dalaup
