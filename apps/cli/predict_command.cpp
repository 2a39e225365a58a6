#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <unordered_map>

#include "aligner/aligner.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/same_files.h"
#include "methods/methods.h"
#include "predictions/predictions.h"
#include "ranking/ranking.h"

namespace dalaup {
namespace {

struct PredictParams {
  int top = 30;
  std::string direction = "ab";
  int best = 0;
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, PredictParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("top", params.top, 1, 1000000, "candidates listed for each user");
  visit("direction", params.direction, Choices{"ab", "ba"},
        "ab ranks users of B for those of A, ba the other way");
  visit("best", params.best, 0, 1000000000,
        "only the surest so many pairs of the matching; 0 writes all");
}

struct Options {
  std::string model;
  std::string out;
  std::string matching;
  std::string users;
  std::string unmatched;
  bool with_labels = false;
  PredictParams params;
  MatchingParams matching_params;
};

std::uint64_t rounded(double count) { return static_cast<std::uint64_t>(std::llround(count)); }

std::string shown(const std::string& path) { return path == "-" ? "standard output" : path; }

// The name of a line: without blanks around it, and without quotes unless they belong to it.
template <class IsKnown>
std::string listed_name(std::string_view line, IsKnown&& is_known) {
  std::string name(trimmed(line));
  if (name.size() < 3 || name.front() != '"' || name.back() != '"' || is_known(name)) return name;
  std::string bare;
  for (std::size_t i = 1; i + 1 < name.size(); ++i) {
    bare += name[i];
    if (name[i] == '"' && name[i + 1] == '"') ++i;
  }
  return bare;
}

bool is_column_name(const std::string& name) {
  static const std::set<std::string> kNames{"user", "users",    "name",   "names",
                                            "id",   "username", "account"};
  return kNames.contains(lower_case(name));
}

// The users named in a file, one a line, without those that already have a partner. find(name)
// gives kNoUser for unknown ones; user_of(name, line) then refuses them.
template <class Find, class UserOf>
std::vector<UserId> named_users(const std::string& path, const LabelSet& labels, Side side,
                                Run& run, Find&& find, UserOf&& user_of) {
  std::vector<UserId> users;
  std::vector<bool> seen(labels.user_count(side), false);
  std::size_t anchored = 0;
  LineReader lines(path);
  const auto is_known = [&](const std::string& name) { return find(name) != kNoUser; };
  for (std::string_view line; lines.next(line);) {
    const std::string name = listed_name(line, is_known);
    if (name.empty() || (name[0] == '#' && !is_known(name))) continue;
    if (lines.line_number() == 1 && !is_known(name) && is_column_name(name))
      throw InputError(path, 1,
                       fmt::format("found {}, expected the name of a user", dalaup::quoted(name)),
                       "one name a line, without a header");
    const UserId user = user_of(name, lines.line_number());
    if (seen[user]) continue;
    seen[user] = true;
    if (labels.is_anchored(side, user))
      ++anchored;
    else
      users.push_back(user);
  }
  if (anchored > 0)
    run.warn(fmt::format("{}: {} a known partner and {} not ranked", path,
                         counted(anchored, "user has", "users have"),
                         by_number(anchored, "is", "are")));
  if (users.empty())
    throw InputError(path, 0, "found no users to rank, expected one user name a line");
  return users;
}

std::vector<UserId> named_users(const std::string& path, const Aligner& aligner, Side side,
                                Run& run) {
  const Network& network = aligner.networks().on(side);
  return named_users(
      path, aligner.labels(), side, run,
      [&](const std::string& name) { return network.find(name); },
      [&](const std::string& name, std::size_t line) {
        return require_user(network, name, side, path, line);
      });
}

// The same from a model's file; nothing where these are not few, where names are not known or the
// list has another fault, which loading the model tells.
std::optional<std::vector<UserId>> named_users(const std::string& path, StoredModel& model,
                                               Run& run) {
  constexpr UserId kFew = 16;                 // times as many users are there
  constexpr std::size_t kReadInAnyCase = 64;  // names; some belong to users with a partner
  const std::size_t most = model.user_count(Side::kA) / kFew;
  std::unordered_map<std::string, UserId> ids;
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    ids[listed_name(line, [](const std::string&) { return true; })] = kNoUser;
    ids[listed_name(line, [](const std::string&) { return false; })] = kNoUser;
    if (ids.size() > kReadInAnyCase + 4 * most) return std::nullopt;
  }
  std::string known;
  model.for_names(Side::kA, [&](UserId user, std::string_view name) {
    known = name;
    if (const auto found = ids.find(known); found != ids.end()) found->second = user;
  });
  struct IsUnknown {};
  const auto find = [&](const std::string& name) {
    const auto found = ids.find(name);
    return found == ids.end() ? kNoUser : found->second;
  };
  try {
    auto users = named_users(path, model.labels(), Side::kA, run, find,
                             [&](const std::string& name, std::size_t) {
                               const UserId user = find(name);
                               if (user == kNoUser) throw IsUnknown();
                               return user;
                             });
    if (users.size() > most) return std::nullopt;
    return users;
  } catch (const IsUnknown&) {
    return std::nullopt;
  }
}

// All users compete for partners; what is asked for is then taken from the whole matching.
std::vector<PredictedPair> matching_of(const Options& options, const Aligner& aligner, Side side,
                                       std::span<const UserId> users, Run& run) {
  std::vector<PredictedPair> matches = match_networks(
      aligner, static_cast<std::size_t>(options.params.top), options.matching_params, run);
  if (!options.users.empty()) {
    std::vector<bool> is_asked(aligner.networks().on(side).user_count(), false);
    for (const UserId user : users) is_asked[user] = true;
    std::erase_if(matches,
                  [&](const PredictedPair& match) { return !is_asked[match.pair.on(side)]; });
  }
  if (options.params.best > 0 && matches.size() > static_cast<std::size_t>(options.params.best))
    matches.resize(static_cast<std::size_t>(options.params.best));
  return matches;
}

void tell_ranked(const Options& options, Side side, std::size_t ranked, Session& session) {
  session.print("{}: {} of {} ranked, at most {} each\n", shown(options.out),
                counted(ranked, "user"), name_of(side),
                counted(static_cast<std::uint64_t>(options.params.top), "candidate"));
  session.summary()["ranked"] = options.out;
  session.summary()["users"] = ranked;
}

struct FewRanked {
  std::string method;
  NamedLists lists;
  std::vector<std::string> warnings;
};

// A few users are ranked without loading the model: of a file of gigabytes only their part is
// read. Nothing: it has to be loaded; what is damaged is then told, too.
std::optional<FewRanked> ranked_from_file(const Options& options, const MethodRegistry& registry,
                                          Session& session) {
  std::error_code ignored;
  if (options.out.empty() || !std::filesystem::is_regular_file(options.users, ignored) ||
      !options.matching.empty() || !options.unmatched.empty() || options.params.direction != "ab" ||
      communicator_of(session.run()).size() > 1)
    return std::nullopt;
  FewRanked found;
  try {
    const auto model = StoredModel::open(options.model);
    if (model == nullptr) return std::nullopt;
    found.method = model->method();
    const auto& lists_in_file = registry.find(found.method).lists_in_file;
    if (lists_in_file == nullptr) return std::nullopt;
    Run quiet({.cancelled = session.run().options().cancelled,
               .on_warning = [&](const std::string& words) { found.warnings.push_back(words); }});
    const auto users = named_users(options.users, *model, quiet);
    quiet.throw_if_cancelled();
    if (!users) return std::nullopt;
    auto lists = lists_in_file(*model, *users, static_cast<std::size_t>(options.params.top));
    quiet.throw_if_cancelled();
    if (!lists) return std::nullopt;
    found.lists = with_names(std::move(*lists), *model);
    return found;
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const ParameterError&) {  // a method that is not known here
    return std::nullopt;
  }
}

void write_few(const Options& options, const FewRanked& few, Session& session) {
  write_ranked_lists(options.out, few.lists);
  for (const std::string& warning : few.warnings) session.run().warn(warning);
  session.summary()["method"] = few.method;
  tell_ranked(options, Side::kA, few.lists.lists.candidates.size(), session);
}

void predict(const Options& options, Session& session) {
  if (options.out.empty() && options.matching.empty() && options.unmatched.empty())
    throw ParameterError("found none of --out, --matching and --unmatched, expected one at least",
                         "such as --out ranked.tsv --matching matching.tsv");
  if (options.out == "-" && options.matching == "-")
    throw ParameterError("--out and --matching: found - twice, expected one result at most there",
                         "name a file for one of them");
  require_same_files({options.model, options.users}, session.run());
  const bool writes = communicator_of(session.run()).is_first();
  const MethodRegistry registry = all_methods();
  if (const auto few = ranked_from_file(options, registry, session))
    return write_few(options, *few, session);
  const Model model = load_model(options.model, registry);
  const Aligner& aligner = *model.aligner;
  const Side side = options.params.direction == "ab" ? Side::kA : Side::kB;
  const auto users = options.users.empty()
                         ? unanchored_users(aligner.labels(), side)
                         : named_users(options.users, aligner, side, session.run());
  auto& summary = session.summary();
  summary["method"] = aligner.method();
  if (!options.out.empty()) {
    const std::size_t ranked =
        write_ranked_lists(options.out, aligner, side, users,
                           static_cast<std::size_t>(options.params.top), session.run());
    tell_ranked(options, side, ranked, session);
  }
  if (!options.unmatched.empty() && writes) {
    const double alone = write_unmatched(options.unmatched, aligner);
    session.print("{}: {} of both sides {} expected to have no partner\n", options.unmatched,
                  counted(rounded(alone), "user"), by_number(rounded(alone), "is", "are"));
    summary["unmatched"] = options.unmatched;
    summary["expected_unmatched"] = alone;
  }
  if (options.matching.empty()) return;

  std::vector<PredictedPair> matches = matching_of(options, aligner, side, users, session.run());
  if (!writes) return;
  double expected = 0.0;
  for (const PredictedPair& found : matches) expected += found.probability;
  session.print("{}: {} matched one to one, {} of them expected to be right\n",
                shown(options.matching), counted(matches.size(), "pair"),
                grouped(rounded(expected)));
  summary["matching"] = options.matching;
  summary["matched"] = matches.size();
  summary["expected_right"] = expected;
  if (options.with_labels) {
    const std::vector<PredictedPair> known = known_pairs(aligner.labels());
    session.print("  and the {}\n", counted(known.size(), "known pair"));
    matches.insert(matches.end(), known.begin(), known.end());
  }
  write_matched_pairs(options.matching, matches, aligner.networks());
}

}  // namespace

void add_predict_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command =
      program.add("predict", "ranks candidates and matches the two networks one to one");
  command.group("Input");
  command.required("model", options->model, "FILE", "model written by train");
  command.optional("users", options->users, "FILE",
                   "rank and match only these users, one name a line");
  command.output("out", options->out, "ranked list to write; - is standard output");
  command.output("matching", options->matching, "one-to-one matching to write");
  command.output("unmatched", options->unmatched,
                 "probability of having no partner, for every user of both sides, to write");
  command.group("Settings");
  command.fields(options->params);
  command.fields(options->matching_params);
  command.flag("with-labels", options->with_labels, "put the known pairs into the matching too");
  command.run_on_all_ranks();
  command.action([options](Session& session) { predict(*options, session); });
}

}  // namespace dalaup
