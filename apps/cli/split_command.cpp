#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/label_input.h"
#include "labels/labels.h"

// Cuts a truth file into labels to learn from and a rest to judge by, without its networks.
namespace dalaup {
namespace {

struct SplitParams {
  double share = 0.1;
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, SplitParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("share", params.share, 0.0, 1.0, "share of the pairs that become labels");
}

struct Options {
  std::string truth;
  LabelInput label_input;
  std::string labels;
  std::string rest;
  SplitParams params;
};

// The places of int(share * count) of `count` lines, in order: the first of a seeded permutation,
// the same as NumPy's RandomState(seed).permutation(count), so that splits can be made elsewhere
// too.
std::vector<std::size_t> seeded_share(std::size_t count, double share, std::uint32_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 engine(seed);
  for (std::size_t last = count; last-- > 1;) {  // Fisher and Yates from the back, by rejection
    const auto mask = static_cast<std::uint32_t>(std::bit_ceil(last + 1) - 1);
    std::size_t chosen = engine() & mask;
    while (chosen > last) chosen = engine() & mask;
    std::swap(order[last], order[chosen]);
  }
  order.resize(static_cast<std::size_t>(share * static_cast<double>(count)));
  std::ranges::sort(order);
  return order;
}

std::vector<std::string> pair_lines(const Options& options, const Run& run) {
  std::vector<std::string> lines;
  LabelReader rows(options.truth, options.label_input.table_options());
  for (LabelRow row; rows.next(row);)
    lines.push_back(fmt::format("{}\t{}{}", written_name(row.a), written_name(row.b),
                                row.label == Label::kAnchor ? "" : "\t0"));
  put_quoted_first(lines);
  if (lines.empty())
    throw InputError(options.truth, 0, "found no pairs, expected at least one line",
                     "such as \"alice<TAB>bob\": a user of A and its partner in B");
  tell(run, fmt::format("{}: {}; {}", options.truth, rows.form().words(),
                        counted(lines.size(), "pair")));
  return lines;
}

void split(const Options& options, Session& session) {
  const std::vector<std::string> rows = pair_lines(options, session.run());
  const auto chosen = seeded_share(rows.size(), options.params.share,
                                   static_cast<std::uint32_t>(session.run().seed()));
  if (chosen.empty())
    throw ParameterError(fmt::format("--share: found {}, which is no pair of {}",
                                     options.params.share, grouped(rows.size())),
                         "give a larger share");
  std::string labels;
  std::string rest;
  std::size_t next = 0;
  for (std::size_t place = 0; place < rows.size(); ++place) {
    const bool is_label = next < chosen.size() && chosen[next] == place;
    next += is_label ? 1 : 0;
    (is_label ? labels : rest) += rows[place] + "\n";
  }
  write_file(options.labels, labels);
  if (!options.rest.empty()) write_file(options.rest, rest);
  session.print("{}: {} of {}\n", options.labels, grouped(chosen.size()),
                counted(rows.size(), "pair"));
  if (!options.rest.empty())
    session.print("{}: the other {}\n", options.rest, grouped(rows.size() - chosen.size()));
  auto& summary = session.summary();
  summary["pairs"] = rows.size();
  summary["labels"] = chosen.size();
}

}  // namespace

void add_split_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add("split", "cuts a truth file into labels and a rest, by a seed");
  command.group("Input");
  command.required("truth", options->truth, "FILE", "true anchor pairs");
  add_label_options(command, options->label_input, LabelUse::kNames);
  command.fields(options->params);
  command.output("labels", options->labels, "labels to write", Command::Need::kRequired);
  command.output("rest", options->rest, "all other pairs");
  command.action([options](Session& session) { split(*options, session); });
}

}  // namespace dalaup
