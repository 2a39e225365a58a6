#pragma once
// Words of the field, explained where a report uses them. Private to report.
#include <set>
#include <string>
#include <string_view>

namespace dalaup {

class Glossary {
 public:
  // The text escaped for HTML, with the first use of every known word since the last begin_part()
  // carrying its meaning as a title.
  std::string explain(std::string_view text);
  void begin_part() { explained_.clear(); }
  // The words that were used, with their meanings, as a list; empty when there were none.
  std::string list() const;

 private:
  std::set<std::size_t> explained_;
  std::set<std::size_t> used_;
};

}  // namespace dalaup
