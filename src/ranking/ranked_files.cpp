#include <fmt/format.h>

#include <iterator>

#include "ranking/ranking.h"

namespace dalaup {

void write_ranked(const std::string& path, const RankedLists& lists, const UserNames& from,
                  const UserNames& to) {
  AtomicFile file(path);
  file.write("a\trank\tb\tscore\n");
  fmt::memory_buffer text;
  for (const RankedList& list : lists) {
    text.clear();
    for (std::size_t i = 0; i < list.candidates.size(); ++i)
      fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\n", from[list.user], i + 1,
                     to[list.candidates[i].user], list.candidates[i].score);
    file.write({text.data(), text.size()});
  }
  file.commit();
}

}  // namespace dalaup
