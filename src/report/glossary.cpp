#include "report/glossary.h"

#include <fmt/format.h>

#include "report/svg.h"

namespace dalaup {
namespace {

struct Term {
  std::string_view word;    // as it is looked for, case matters but for the first letter
  std::string_view plural;  // empty: none
  std::string_view meaning;
};

// Longer words before those they contain.
constexpr Term kTerms[] = {
    {"precision@30", "", "how often the right partner is among the first 30 candidates"},
    {"map-linear@30", "", "mean of (31 - rank) / 30, 0 from rank 31 on; the published code's MAP"},
    {"map@30", "", "mean of 1 / rank of the right partner, 0 when it is not among the first 30"},
    {"hits@10", "", "how often the right partner is among the first 10 candidates"},
    {"hits@1", "", "how often the right partner is the first candidate"},
    {"mrr", "", "mean reciprocal rank: the mean of 1 / rank of the right partner"},
    {"random anchors", "", "true pairs told without asking, drawn at random, to compare with"},
    {"anchor pair", "anchor pairs", "one person's two accounts, one in each network"},
    {"validation anchors", "", "known pairs that are kept back to reward good questions"},
    {"anchor", "anchors", "short for anchor pair: one person's two accounts"},
    {"test user", "test users",
     "a user whose partner is known to whoever measures, and never told or asked about"},
    {"one-to-one matching", "", "every user has at most one partner on either side"},
    {"calibration", "",
     "whether probabilities are what they say: of pairs given .8 eight in ten should be right"},
    {"95 % interval", "95 % intervals",
     "where the true value lies with 95 % confidence, given how few cases were seen"},
    {"bandit", "", "chooses among ways of asking by what each brought so far"},
    {"exploration", "", "the chance of trying any way of asking, not the best so far"},
    {"reward", "rewards", "what a round of answers improved on validation anchors"},
    {"candidate", "candidates", "a user of the other network who may be the partner"},
    {"margin", "", "probability of a pair less that of the best rival of either user"},
    {"take-off", "", "the number of known pairs from which evidence spreads through the networks"},
    {"degree", "degrees", "the number of neighbours of a user"},
    {"cut-off", "cut-offs", "the least probability of the pairs that are taken"},
};

bool is_word_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '@' || c == '-';
}

bool same_letter(char one, char other) {
  return one == other || (one >= 'A' && one <= 'Z' && one - 'A' + 'a' == other);
}

bool stands_at(std::string_view text, std::size_t at, std::string_view word) {
  if (word.empty() || text.size() - at < word.size() || !same_letter(text[at], word[0]))
    return false;
  if (text.substr(at + 1, word.size() - 1) != word.substr(1)) return false;
  const std::size_t end = at + word.size();
  return (at == 0 || !is_word_letter(text[at - 1])) &&
         (end == text.size() || !is_word_letter(text[end]));
}

}  // namespace

std::string Glossary::explain(std::string_view text) {
  std::string html;
  std::size_t plain = 0;  // begin of what is not written yet
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 0;
    for (std::size_t term = 0; term < std::size(kTerms) && length == 0; ++term) {
      for (const std::string_view word : {kTerms[term].plural, kTerms[term].word})
        if (length == 0 && stands_at(text, at, word)) length = word.size();
      if (length == 0) continue;
      used_.insert(term);
      if (!explained_.insert(term).second) break;
      html += escaped(text.substr(plain, at - plain));
      html += fmt::format("<abbr tabindex=\"0\" title=\"{}\">{}</abbr>",
                          escaped(kTerms[term].meaning), escaped(text.substr(at, length)));
      plain = at + length;
    }
    at += length == 0 ? 1 : length;
  }
  return html + escaped(text.substr(plain));
}

std::string Glossary::list() const {
  if (used_.empty()) return {};
  std::string html = "<dl class=\"facts\">\n";
  for (const std::size_t term : used_)
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(kTerms[term].word),
                        escaped(kTerms[term].meaning));
  return html + "</dl>\n";
}

}  // namespace dalaup
