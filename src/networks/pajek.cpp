#include <fmt/format.h>

#include <algorithm>

#include "networks/readers.h"

// Pajek .net: "*Vertices n", vertex lines "1 "label" ...", then *Edges, *Arcs (pairs with an
// optional weight), *Edgeslist, *Arcslist (a user and its neighbours) or nothing else.
namespace dalaup {
namespace {

struct Word {
  std::string_view text;
  bool is_quoted = false;
};

class PajekReader {
 public:
  PajekReader(LineReader& lines, const ReadOptions& options)
      : lines_(lines), options_(options), network_(options) {}

  Network read(ReadNotes& notes) {
    std::string_view line;
    while (lines_.next(line)) {
      split(line);
      if (words_.empty() || words_[0].text.starts_with('%')) continue;
      if (words_[0].text.starts_with('*') && !words_[0].is_quoted)
        start_section();
      else
        read_row();
    }
    if (section_ == Section::kNone) fail("found no *Vertices line, expected one");
    finish_vertices();
    return network_.build(lines_.name(), notes);
  }

 private:
  enum class Section { kNone, kIgnored, kVertices, kEdges, kArcs, kEdgesList, kArcsList };

  [[noreturn]] void fail(const std::string& message, std::string hint = {}) {
    throw InputError(lines_.name(), lines_.line_number(), message, std::move(hint));
  }

  void split(std::string_view line) {
    words_.clear();
    for (std::size_t at = 0;;) {
      at = line.find_first_not_of(" \t", at);
      if (at == std::string_view::npos) return;
      if (line[at] == '"') {
        const std::size_t end = line.find('"', at + 1);
        if (end == std::string_view::npos)
          fail("found a quoted label without its end, expected a second \" in the line");
        words_.push_back({line.substr(at + 1, end - at - 1), true});
        at = end + 1;
      } else {
        const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
        words_.push_back({line.substr(at, end - at)});
        at = end;
      }
    }
  }

  void start_section() {
    const std::string word = lower_case(words_[0].text);
    if (word == "*network") {
      section_ = Section::kIgnored;
    } else if (word == "*vertices") {
      if (vertex_count_ > 0) fail("found a second *Vertices line, expected one network in a file");
      read_vertex_count();
      section_ = Section::kVertices;
    } else {
      if (vertex_count_ == 0) fail(fmt::format("found {} before *Vertices", quoted(word)));
      if (word == "*edges")
        section_ = Section::kEdges;
      else if (word == "*arcs")
        section_ = Section::kArcs;
      else if (word == "*edgeslist")
        section_ = Section::kEdgesList;
      else if (word == "*arcslist")
        section_ = Section::kArcsList;
      else
        fail(fmt::format("found the section {}, expected *Vertices, *Edges, *Arcs, *Edgeslist or "
                         "*Arcslist",
                         quoted(word)),
             word == "*matrix" ? "write the edges as a list" : "");
    }
  }

  void read_vertex_count() {
    if (words_.size() > 2) fail("found a two-mode network, expected one kind of users");
    const auto count = words_.size() < 2 ? std::nullopt : parse_whole_number(words_[1].text);
    if (!count) fail("found no number of vertices, expected \"*Vertices 12\"");
    if (*count == 0) throw_no_users(lines_.name(), "the file says \"*Vertices 0\"");
    check_user_count(*count, options_, {lines_.name(), lines_.line_number()});
    require_memory(*count * (sizeof(Vertex) + 200),
                   fmt::format("{}: {} vertices", lines_.name(), grouped(*count)),
                   "is the *Vertices line right?");
    vertex_count_ = *count;
  }

  std::uint64_t vertex(const Word& word) {
    const auto number = parse_whole_number(word.text);
    if (!number || *number < 1 || *number > vertex_count_)
      fail(fmt::format("found vertex {}, expected a number from 1 to {}", quoted(word.text),
                       grouped(vertex_count_)));
    return *number;
  }

  void read_row() {
    switch (section_) {
      case Section::kNone:
        fail(fmt::format("found {}, expected \"*Vertices\" and their number",
                         quoted(words_[0].text)),
             "is this a Pajek .net file?");
      case Section::kIgnored:
        return;
      case Section::kVertices:
        return read_vertex();
      case Section::kEdges:
      case Section::kArcs:
        return read_pair();
      case Section::kEdgesList:
      case Section::kArcsList:
        for (std::size_t place = 1; place < words_.size(); ++place)
          add_edge(vertex(words_[0]), vertex(words_[place]), 1.0F);
    }
  }

  void read_vertex() {
    const std::uint64_t number = vertex(words_[0]);
    if (vertices_.empty()) vertices_.resize(vertex_count_);
    Vertex& known = vertices_[number - 1];
    if (known.line > 0)
      fail(fmt::format("found vertex {} again, first declared in line {}", number, known.line));
    known.line = lines_.line_number();
    if (words_.size() > 1) known.label = clean_name(words_[1].text, {lines_.name(), known.line});
  }

  void read_pair() {
    if (words_.size() < 2) fail("found 1 vertex, expected two and an optional weight");
    const float weight =
        words_.size() > 2 ? parse_weight(words_[2].text, {lines_.name(), lines_.line_number()},
                                         "leave the third column out if the edges have no weights")
                          : 1.0F;
    add_edge(vertex(words_[0]), vertex(words_[1]), weight);
  }

  void add_edge(std::uint64_t from, std::uint64_t to, float weight) {
    const bool is_arc = section_ == Section::kArcs || section_ == Section::kArcsList;
    network_.add_edge({std::to_string(from), std::to_string(to), weight, lines_.line_number()});
    if (options_.directed && !is_arc && from != to)
      network_.add_edge({std::to_string(to), std::to_string(from), weight, lines_.line_number()});
  }

  void finish_vertices() {
    if (vertex_count_ == 0) fail("found no *Vertices line, expected one");
    vertices_.resize(vertex_count_);
    for (std::uint64_t number = 1; number <= vertex_count_; ++number) {
      Vertex& known = vertices_[number - 1];
      network_.add_user({.id = std::to_string(number),
                         .name = {},
                         .label = std::move(known.label),
                         .line = known.line},
                        lines_.name());
    }
  }

  struct Vertex {
    std::string label;
    std::size_t line = 0;  // 0: not listed
  };
  LineReader& lines_;
  const ReadOptions& options_;
  DeclaredNetwork network_;
  std::vector<Word> words_;
  std::vector<Vertex> vertices_;
  std::uint64_t vertex_count_ = 0;
  Section section_ = Section::kNone;
};

}  // namespace

Network read_pajek(LineReader& lines, const ReadOptions& options, ReadNotes& notes) {
  return PajekReader(lines, options).read(notes);
}

}  // namespace dalaup
