#include "networks/foreign_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "networks/table.h"

namespace dalaup {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kLook = 4096;  // bytes looked at
constexpr const char* kUnpack = "unpack it first, then give the file inside";

struct Foreign {
  std::string_view magic;
  std::size_t place;  // where it stands
  const char* words;
  const char* hint;
};
constexpr Foreign kForeign[] = {
    {"PK\x03\x04", 0, "a zip archive or an Excel file", "save the table as CSV first"},
    {"\xd0\xcf\x11\xe0", 0, "an Excel file", "save the table as CSV first"},
    {"PAR1\x15", 0, "a Parquet file", "write it as CSV first, for example with pandas"},
    {"ARROW1\0"sv, 0, "an Arrow file", "write it as CSV first, for example with pandas"},
    {"\x89HDF", 0, "an HDF5 file", "write it as CSV first, for example with pandas"},
    {"\x93NUMPY", 0, "a NumPy array", "write it as text first, for example with numpy.savetxt"},
    {"\x1f\x8b", 0, "gzip data", "let its name end in .gz"},
    {"\x28\xb5\x2f\xfd", 0, "zstd data", "let its name end in .zst"},
    {"1AY&SY", 4, "bzip2 data", "unpack it first with bzip2 -d"},
    {"\xfd"
     "7zXZ",
     0, "xz data", "unpack it first with xz -d"},
    {"7z\xbc\xaf", 0, "a 7z archive", kUnpack},
    {"Rar!\x1a", 0, "a RAR archive", kUnpack},
    {"ustar", 257, "a tar archive", "unpack it first with tar -xf, then give the file inside"},
    {"SQLite format 3", 0, "an SQLite database", "a study is opened with dalaup label or export"},
    {"\x80\x02", 0, "a Python pickle", "write the edges as text first, from Python"},
    {"\x80\x03", 0, "a Python pickle", "write the edges as text first, from Python"},
    {"\x80\x04", 0, "a Python pickle", "write the edges as text first, from Python"},
    {"\x80\x05", 0, "a Python pickle", "write the edges as text first, from Python"},
    {"\x89PNG", 0, "a picture", ""},
    {"%PDF-", 0, "a PDF", ""},
    {"{\\rtf1", 0, "a document (RTF)", "save it as plain text"},
};

std::vector<std::string_view> lines_of(std::string_view text, std::size_t most) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < most) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    lines.push_back(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// "/* made by somebody */ digraph name { a -> b }", perhaps strict.
bool is_graphviz(std::string_view text) {
  text = trimmed(text);
  while (text.starts_with("/*") || text.starts_with("//") || text.starts_with('\n')) {
    const std::size_t end = text.starts_with("/*") ? text.find("*/") : text.find('\n');
    if (end == std::string_view::npos) return false;
    text = trimmed(text.substr(end + (text.starts_with("/*") ? 2 : 1)));
  }
  const std::size_t before = text.size();
  for (const std::string_view word : {"strict", "digraph", "graph"})
    if (text.starts_with(word)) text = trimmed(text.substr(word.size()));
  return text.size() < before &&
         text.substr(0, text.find('\n')).find('{') != std::string_view::npos &&
         (text.find("--") != std::string_view::npos || text.find("->") != std::string_view::npos);
}

// "c comment", "p edge 4 3", then "e 1 2" or "a 1 2 5".
bool is_dimacs(const std::vector<std::string_view>& lines) {
  bool has_problem = false;
  for (const std::string_view line : lines) {
    if (line.starts_with("c ") || line == "c" || line.empty()) continue;
    if (has_problem)
      return line.starts_with("e ") || line.starts_with("a ") || line.starts_with("n ");
    const std::size_t last = line.rfind(' ');  // "p", the kind, two numbers
    if (!line.starts_with("p ") || !parse_whole_number(line.substr(last + 1)) ||
        std::ranges::count(line, ' ') < 3)
      return false;
    has_problem = true;
  }
  return false;
}

// "ann 2", then as many lines "bob {}": a user, how many neighbours follow, and these.
bool is_multiline_adjacency(const std::vector<std::string_view>& lines) {
  std::vector<std::string_view> rows;
  for (const std::string_view line : lines)
    if (!line.empty() && !line.starts_with('#')) rows.push_back(line);
  for (std::size_t row = 0; row + 1 < rows.size(); ++row) {
    const std::size_t blank = rows[row].rfind(' ');
    if (rows[row].ends_with('}') || blank == std::string_view::npos) return false;
    const auto count = parse_whole_number(rows[row].substr(blank + 1));
    if (!count) return false;
    if (*count == 0) continue;
    // The last line looked at may be cut, and a user may have more neighbours than are looked at.
    const std::size_t last = std::min<std::size_t>(
        rows.size() - 1, *count > rows.size() ? rows.size() - 1 : row + *count);
    const auto below = std::span(rows).subspan(row + 1, last - row);
    return rows[row + 1].ends_with('}') &&
           std::ranges::all_of(below.first(below.size() - 1),
                               [](std::string_view line) { return line.ends_with('}'); });
  }
  return false;
}

bool is_markdown_table(const std::vector<std::string_view>& lines) {
  return lines.size() > 1 && lines[0].starts_with('|') && lines[1].starts_with('|') &&
         lines[1].find_first_not_of("|-: ") == std::string_view::npos;
}

[[noreturn]] void refuse(const std::string& name, const char* form, std::string hint) {
  throw InputError(name, 0, fmt::format("found what looks like {}, which is not read", form),
                   std::move(hint));
}

}  // namespace

void refuse_foreign(std::string_view beginning, const std::string& name, const char* expected) {
  for (const Foreign& foreign : kForeign)
    if (beginning.size() >= foreign.place + foreign.magic.size() &&
        beginning.substr(foreign.place).starts_with(foreign.magic)) {
      const bool is_packed_graphml = name.ends_with(".graphmlz");
      throw InputError(name, 0, fmt::format("found {}, expected {}", foreign.words, expected),
                       is_packed_graphml ? "let its name end in .graphml.gz" : foreign.hint);
    }
  const std::string text = lower_case(trimmed(beginning.substr(0, kLook)));
  if (text.starts_with("<!doctype html") || text.starts_with("<html>") ||
      text.starts_with("<html "))
    throw InputError(name, 0, fmt::format("found a web page, expected {}", expected),
                     "was a page saved instead of the file it links to?");
  if (text.starts_with("insert into ") || text.starts_with("create table "))
    throw InputError(name, 0, fmt::format("found SQL, expected {}", expected),
                     "let the database write the table as CSV");
  if (is_markdown_table(lines_of(text, 2)))
    throw InputError(name, 0, fmt::format("found a table in Markdown, expected {}", expected),
                     "write one row a line, with tabs between its cells");
}

void refuse_other_forms(std::string_view beginning, const std::string& name) {
  const std::string_view text = beginning.substr(0, kLook);
  const auto lines = lines_of(text, 200);
  const std::string lower = lower_case(trimmed(text));
  const std::string hint_by_igraph =
      "write one edge a line, for example with igraph: write_graph(g, \"a.edges\", \"ncol\")";
  if (is_graphviz(text))
    refuse(name, "Graphviz",
           "write its edges as text first, for example with networkx: "
           "write_edgelist(read_dot(FILE), \"a.edgelist\")");
  if (is_dimacs(lines)) refuse(name, "DIMACS", hint_by_igraph);
  if (lower.starts_with("leda.graph")) refuse(name, "LEDA", hint_by_igraph);
  if (lower.starts_with(">>graph6<<") || lower.starts_with(">>sparse6<<"))
    refuse(name, "graph6 or sparse6", "write it with networkx.write_edgelist");
  if (lower.starts_with("dl ") && lower.find("n=") != std::string::npos)
    refuse(name, "UCINET DL", "write one edge a line");
  if (is_multiline_adjacency(lines))
    refuse(name, "NetworkX's multi-line adjacency lists",
           "write them with networkx.write_adjlist, in a file whose name ends in .adjlist");
  if (lower.starts_with("<?xml"))
    refuse(name, "XML other than GraphML and GEXF", "write one of these, or one edge a line");
}

}  // namespace dalaup
