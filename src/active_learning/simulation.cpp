#include <fmt/format.h>

#include <algorithm>

#include "active_learning/active_learning.h"
#include "active_learning/curve_files.h"

namespace dalaup {
namespace {

void check_budget(const SimulationParams& params, const LoopState& state) {
  if (params.batch_size > params.label_budget)
    throw ParameterError(
        fmt::format("batch: found {} questions between refits, expected at most "
                    "the budget of {}",
                    params.batch_size, params.label_budget));
  const std::uint64_t pairs = state.pool.pair_count(state.labels);
  if (static_cast<std::uint64_t>(params.label_budget) > pairs)
    throw ParameterError(
        fmt::format("budget: found {} questions, expected at most {}: no more pairs are left "
                    "without the users of initial, validation and test anchors",
                    params.label_budget, pairs),
        "lower --budget");
}

}  // namespace

std::vector<std::string> split_names(const std::string& option, const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    if (name.empty())
      throw ParameterError(
          fmt::format("{}: found \"{}\", expected names separated by commas", option, text));
    if (std::ranges::find(names, name) != names.end())
      throw ParameterError(fmt::format("{}: found \"{}\" twice, expected each once", option, name));
    names.push_back(name);
    begin = end + 1;
  }
  return names;
}

SplitSizes scale_to_truth(const SplitSizes& sizes, std::size_t truth, double largest_share) {
  const std::size_t wanted = sizes.initial + sizes.validation + sizes.test;
  if (static_cast<double>(wanted) <= largest_share * static_cast<double>(truth)) return sizes;
  const double share = 2.0 * static_cast<double>(truth) / (3.0 * static_cast<double>(wanted));
  const auto scaled = [&](std::size_t size) {
    return static_cast<std::size_t>(share * static_cast<double>(size));
  };
  const SplitSizes smaller{scaled(sizes.initial), scaled(sizes.validation), scaled(sizes.test)};
  if (smaller.initial == 0 || smaller.validation == 0 || smaller.test == 0)
    throw ParameterError(
        fmt::format("found {} anchor pairs in the truth, too few to split into "
                    "initial, validation and test anchors",
                    truth));
  return smaller;
}

Split repeat_split(std::span<const UserPair> truth, const SplitSizes& sizes, std::uint64_t seed,
                   std::int64_t repeat) {
  return split_truth(truth, sizes, Random(seed, "split", static_cast<std::uint64_t>(repeat)));
}

void scale_to_truth(SimulationParams& params, std::size_t truth, const Run& run) {
  const SplitSizes sizes =
      scale_to_truth({.initial = static_cast<std::size_t>(params.initial),
                      .validation = static_cast<std::size_t>(params.validation),
                      .test = static_cast<std::size_t>(params.test)},
                     truth);
  if (sizes.initial != static_cast<std::size_t>(params.initial))
    run.warn(
        fmt::format("{} too few for the usual split; using {} "
                    "initial, {} validation and {} test anchors",
                    counted(truth, "anchor pair is", "anchor pairs are"), sizes.initial,
                    sizes.validation, sizes.test));
  params.initial = static_cast<int>(sizes.initial);
  params.validation = static_cast<int>(sizes.validation);
  params.test = static_cast<int>(sizes.test);
}

Split simulated_split(std::span<const UserPair> truth, const SimulationParams& params,
                      std::int64_t repeat, const Run& run) {
  return repeat_split(truth,
                      {.initial = static_cast<std::size_t>(params.initial),
                       .validation = static_cast<std::size_t>(params.validation),
                       .test = static_cast<std::size_t>(params.test)},
                      run.seed(), repeat);
}

std::vector<SimulatedRun> simulate(const SimulationInput& input, Run& run) {
  const SimulationParams& params = input.params;
  check_fields(params);
  check_fields(input.query);
  check_fields(input.plan);
  std::vector<std::string> strategies = split_names("strategy", params.strategy);
  const std::vector<std::string> arms = split_names("arms", params.arms);
  const std::vector<std::string> own = input.query.own_names();
  std::vector<std::string> further = further_strategies();
  further.insert(further.end(), own.begin(), own.end());
  for (const std::string& name : strategies) require_strategy(name, further);
  for (const std::string& name : arms) require_strategy(name, own);
  if (!params.no_control && std::ranges::find(strategies, kControl) == strategies.end())
    strategies.push_back(kControl);

  const bool is_kept = !input.folder.empty();
  if (is_kept) create_folders(input.folder + "/state");
  const std::uint64_t contents = contents_of(input.networks, input.truth);
  bool has_settings = false;  // not before the folder is known to hold no other run
  std::size_t number = 0;     // of runs, made here or elsewhere
  std::vector<SimulatedRun> runs;
  const auto write_results = [&] {
    if (!is_kept) return;
    write_curves(input.folder + "/curves.csv", runs);
    write_questions(input.folder + "/questions.csv", runs, input.networks);
  };
  const auto rounds_each =
      static_cast<std::uint64_t>((params.label_budget + params.batch_size - 1) / params.batch_size);
  Task task(run, "rounds",
            rounds_each * strategies.size() * static_cast<std::uint64_t>(params.repeats));
  for (std::int64_t repeat = 1; repeat <= params.repeats; ++repeat) {
    const auto index = static_cast<std::uint64_t>(repeat);
    const Split split = simulated_split(input.truth, params, repeat, run);
    RunOptions options = run.options();
    options.seed = run.random("repeat", index).next();
    options.progress = nullptr;  // fits inside the rounds would take the display over
    Run own_run(options);
    TruthOracle oracle(input.networks, input.truth, params.oracle_error, options.seed,
                       params.complete_truth);
    for (const std::string& strategy : strategies) {
      const std::string name = fmt::format("{}-{}", strategy, repeat);
      if (input.is_own && !input.is_own(number++, name)) continue;
      const LoopParams loop{.strategy = strategy,
                            .arms = arms,
                            .try_each_arm = params.try_each_arm,
                            .label_budget = static_cast<std::size_t>(params.label_budget),
                            .batch_size = static_cast<std::size_t>(params.batch_size),
                            .trust_no = input.trust_no,
                            .warm = params.warm,
                            .query = input.query,
                            .plan = input.plan,
                            .truth_is_complete = params.complete_truth};
      Settings settings = input.settings;
      settings.set("seed", static_cast<std::int64_t>(run.seed()));
      const auto aligner = input.make_aligner();
      runs.push_back({strategy, repeat, begin_loop(input.networks, split, loop)});
      check_budget(params, runs.back().state);
      const KeptRun kept{
          .path = is_kept ? fmt::format("{}/state/{}.state", input.folder, name) : std::string(),
          .settings = settings,
          .contents = contents};
      std::size_t rounds_shown = 0;
      const auto show = [&](const LoopState& now) {
        if (is_kept && !has_settings) {
          Settings all = settings;
          all.set("out", input.folder);
          write_file(input.folder + "/settings.toml",
                     "# dalaup simulate --config settings.toml repeats this run\n[simulate]\n" +
                         settings_toml(all));
        }
        has_settings = true;
        runs.back().state = now;
        if (is_kept) write_curves(input.folder + "/curves.csv", runs);
        const RoundResult& last = now.rounds.back();
        task.advance(now.rounds.size() - 1 - rounds_shown,
                     fmt::format("{} {}: {}, precision@30 {:.3f}", strategy, repeat,
                                 counted(last.answers, "answer"), last.test.precision));
        rounds_shown = now.rounds.size() - 1;
      };
      runs.back().state =
          run_kept_loop(*aligner, input.networks, split, loop, oracle, kept, own_run, show);
      const LoopState& state = runs.back().state;
      write_results();
      if (state.pool_is_empty)
        run.warn(fmt::format("{}, repeat {}: nothing was left to ask after {}", strategy, repeat,
                             counted(state.rounds.back().answers, "answer")));
    }
  }
  return runs;
}

}  // namespace dalaup
