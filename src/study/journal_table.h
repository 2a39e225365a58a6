#pragma once
// The journal in a study's table. Each entry carries a hash of itself and of all before it, so that
// a change, a gap or an exchange shows. Private to study.
#include <span>
#include <string>
#include <vector>

#include "study/records.h"
#include "study/rows.h"

namespace dalaup {

struct StoredJournal {
  std::vector<JournalEntry> entries;
  std::string hash;  // of all of them; empty when there are none
};

// Throws StudyDamage for ids with gaps, unknown words, users out of range, and hashes that do not
// follow from the entries. Entries from before hashes were kept have none; the first one that has
// covers them.
StoredJournal get_journal(SQLite::Database& database, UserId users_a, UserId users_b);
// Ids must continue the journal, whose hash so far is given; gives the hash after.
std::string put_entries(SQLite::Database& database, std::span<const JournalEntry> entries,
                        std::string hash);

}  // namespace dalaup
