#include <fmt/format.h>

#include "networks/readers.h"

namespace dalaup {

Network read_adjacency_lists(LineReader& lines, const ReadOptions& options, ReadNotes& notes) {
  TableForm form;
  form.delimiter = ' ';
  NetworkBuilder builder;
  std::vector<std::string> cells;
  std::string_view line;
  while (lines.next(line)) {
    if (line.starts_with('#')) continue;
    split_cells(line, form, cells);
    if (cells.empty()) continue;
    const UserId user = builder.add_user(cells[0]);
    for (std::size_t i = 1; i < cells.size(); ++i)
      builder.add_edge(user, builder.add_user(cells[i]));
    check_user_count(builder.user_count(), options, {lines.name(), lines.line_number()});
  }
  if (builder.user_count() == 0)
    throw_no_users(lines.name(), "a user and its neighbours a line, separated by spaces");
  // An undirected list may name an edge from both ends.
  Network network = builder.build(options.directed, &notes.dropped);
  if (!options.directed) notes.dropped.duplicate_edges = 0;
  return network;
}

}  // namespace dalaup
