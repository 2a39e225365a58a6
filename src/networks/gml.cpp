#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "networks/readers.h"

// GML: "key value" pairs, where a value is a number, a quoted text or a [ list of pairs ].
namespace dalaup {
namespace {

constexpr int kDeepest = 64;  // nesting of lists

enum class TokenKind { kWord, kText, kOpen, kClose, kEnd };
struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;
  std::size_t line = 0;
};

class Tokens {
 public:
  explicit Tokens(LineReader& lines) : lines_(lines) {}

  Token next() {
    while (true) {
      const std::size_t begin = line_.find_first_not_of(" \t\r\f\v", at_);
      if (begin != std::string_view::npos && line_[begin] != '#') {
        at_ = begin;
        break;
      }
      if (!next_line()) return {TokenKind::kEnd, {}, lines_.line_number()};
    }
    const char first = line_[at_];
    if (first == '[') return single(TokenKind::kOpen);
    if (first == ']') return single(TokenKind::kClose);
    if (first == '"') return text();
    const std::size_t end = std::min(line_.find_first_of(" \t\r\f\v[]\"#", at_), line_.size());
    Token token{TokenKind::kWord, std::string(line_.substr(at_, end - at_)), lines_.line_number()};
    at_ = end;
    return token;
  }

  [[noreturn]] void fail(std::size_t line, const std::string& message, std::string hint = {}) {
    throw InputError(lines_.name(), line, message, std::move(hint));
  }
  const std::string& file() const { return lines_.name(); }

 private:
  bool next_line() {
    at_ = 0;
    line_ = {};
    return lines_.next(line_);
  }

  Token single(TokenKind kind) {
    ++at_;
    return {kind, {}, lines_.line_number()};
  }

  // A quoted text may run over several lines; &quot; and its kin stand for letters.
  Token text() {
    Token token{TokenKind::kText, {}, lines_.line_number()};
    ++at_;
    while (true) {
      const std::size_t end = line_.find('"', at_);
      token.text += line_.substr(at_, end - at_);
      if (end != std::string_view::npos) {
        at_ = end + 1;
        token.text = without_entities(token.text);
        return token;
      }
      if (token.text.size() > LineReader::kLongestLine || !next_line())
        fail(token.line, "found a quoted text without its end, expected \" somewhere");
      token.text += '\n';
    }
  }

  static std::string without_entities(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size();) {
      bool replaced = false;
      for (const auto& [entity, letter] : {std::pair<std::string_view, char>{"&quot;", '"'},
                                           {"&amp;", '&'},
                                           {"&lt;", '<'},
                                           {"&gt;", '>'},
                                           {"&apos;", '\''}}) {
        if (!text.substr(at).starts_with(entity)) continue;
        plain += letter;
        at += entity.size();
        replaced = true;
        break;
      }
      if (!replaced) replaced = take_numbered(text, at, plain);
      if (!replaced) plain += text[at++];
    }
    return plain;
  }

  // "&#252;" or "&#xfc;", as NetworkX writes every letter beyond ASCII.
  static bool take_numbered(std::string_view text, std::size_t& at, std::string& plain) {
    if (!text.substr(at).starts_with("&#")) return false;
    const bool is_hex = at + 2 < text.size() && (text[at + 2] == 'x' || text[at + 2] == 'X');
    const char* const begin = text.data() + at + (is_hex ? 3 : 2);
    const char* const end = text.data() + text.size();
    std::uint32_t code = 0;
    const auto [stop, error] = std::from_chars(begin, end, code, is_hex ? 16 : 10);
    if (error != std::errc() || stop == begin || stop == end || *stop != ';') return false;
    const std::string letter = utf8_of(code);
    if (letter.empty()) return false;
    plain += letter;
    at = static_cast<std::size_t>(stop + 1 - text.data());
    return true;
  }

  LineReader& lines_;
  std::string_view line_;
  std::size_t at_ = 0;
};

class GmlReader {
 public:
  GmlReader(LineReader& lines, const ReadOptions& options) : tokens_(lines), network_(options) {}

  Network read(ReadNotes& notes) {
    bool found_graph = false;
    while (true) {
      const Token key = tokens_.next();
      if (key.kind == TokenKind::kEnd) break;
      expect_key(key);
      const Token value = tokens_.next();
      if (key.text == "graph" && value.kind == TokenKind::kOpen) {
        if (found_graph) tokens_.fail(key.line, "found a second graph, expected one");
        found_graph = true;
        read_graph(key.line);
      } else {
        skip(value);
      }
    }
    if (!found_graph)
      tokens_.fail(0, "found no graph, expected \"graph [ ... ]\"", "is this a GML file?");
    if (user_count_ == 0) throw_no_users(tokens_.file(), "a GML graph lists \"node [ id 1 ]\"");
    return network_.build(tokens_.file(), notes);
  }

 private:
  void expect_key(const Token& token) {
    if (token.kind == TokenKind::kWord) return;
    tokens_.fail(token.line, fmt::format("found {}, expected a key", shown(token)));
  }

  static std::string shown(const Token& token) {
    switch (token.kind) {
      case TokenKind::kOpen:
        return "\"[\"";
      case TokenKind::kClose:
        return "\"]\"";
      case TokenKind::kEnd:
        return "the end of the file";
      default:
        return quoted(token.text);
    }
  }

  // Calls visit(key, value) up to the closing bracket; visit takes lists itself.
  template <class Visit>
  void read_list(std::size_t begin_line, Visit&& visit) {
    while (true) {
      const Token key = tokens_.next();
      if (key.kind == TokenKind::kClose) return;
      if (key.kind == TokenKind::kEnd)
        tokens_.fail(begin_line, "found a list without its end, expected \"]\" somewhere",
                     "is the file whole?");
      expect_key(key);
      visit(key, tokens_.next());
    }
  }

  void skip(const Token& value, int depth = 0) {
    if (value.kind == TokenKind::kClose || value.kind == TokenKind::kEnd)
      tokens_.fail(value.line, fmt::format("found {}, expected a value", shown(value)));
    if (depth > kDeepest)
      tokens_.fail(value.line, fmt::format("found lists nested deeper than {}", kDeepest));
    if (value.kind == TokenKind::kOpen)
      read_list(value.line, [&](const Token&, const Token& inner) { skip(inner, depth + 1); });
  }

  void read_graph(std::size_t begin_line) {
    read_list(begin_line, [&](const Token& key, const Token& value) {
      if (value.kind == TokenKind::kOpen && key.text == "node")
        read_node(key.line);
      else if (value.kind == TokenKind::kOpen && key.text == "edge")
        read_edge(key.line);
      else if (value.kind == TokenKind::kWord && key.text == "directed")
        network_.declare(value.text == "1");
      else
        skip(value);
    });
  }

  const std::string& plain(const Token& key, const Token& value) {
    if (value.kind != TokenKind::kWord && value.kind != TokenKind::kText)
      tokens_.fail(value.line,
                   fmt::format("found {}, expected a value of \"{}\"", shown(value), key.text));
    return value.text;
  }

  void read_node(std::size_t line) {
    DeclaredNetwork::User user;
    user.line = line;
    read_list(line, [&](const Token& key, const Token& value) {
      if (key.text == "id")
        user.id = clean_name(plain(key, value), {tokens_.file(), value.line});
      else if (key.text == "name")
        user.name = clean_name(plain(key, value), {tokens_.file(), value.line});
      else if (key.text == "label")
        user.label = clean_name(plain(key, value), {tokens_.file(), value.line});
      else
        skip(value);
    });
    if (user.id.empty()) tokens_.fail(line, "found a node without an id, expected \"id NUMBER\"");
    network_.add_user(std::move(user), tokens_.file());
    ++user_count_;
  }

  void read_edge(std::size_t line) {
    DeclaredNetwork::Edge edge;
    edge.line = line;
    read_list(line, [&](const Token& key, const Token& value) {
      if (key.text == "source")
        edge.from = clean_name(plain(key, value), {tokens_.file(), value.line});
      else if (key.text == "target")
        edge.to = clean_name(plain(key, value), {tokens_.file(), value.line});
      else if (key.text == "weight")
        edge.weight = parse_weight(plain(key, value), {tokens_.file(), value.line},
                                   "remove the weights if they mean something else");
      else
        skip(value);
    });
    if (edge.from.empty() || edge.to.empty())
      tokens_.fail(line, "found an edge without both ends, expected \"source ID target ID\"");
    network_.add_edge(std::move(edge));
  }

  Tokens tokens_;
  DeclaredNetwork network_;
  std::size_t user_count_ = 0;
};

}  // namespace

Network read_gml(LineReader& lines, const ReadOptions& options, ReadNotes& notes) {
  return GmlReader(lines, options).read(notes);
}

}  // namespace dalaup
