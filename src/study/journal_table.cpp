#include "study/journal_table.h"

#include <fmt/format.h>

#include <charconv>

#include "study/digest.h"

namespace dalaup {
namespace {

void bind_id_or_null(SQLite::Statement& statement, int place, std::int64_t id) {
  if (id != 0)
    statement.bind(place, id);
  else
    statement.bind(place);
}

std::int64_t id_or_none_in(SQLite::Statement& row, int column, const char* what) {
  return row.getColumn(column).isNull() ? 0 : whole_in(row, column, what, 1, kMostRows);
}

UserId user_or_none_in(SQLite::Statement& row, int column, UserId users) {
  return row.getColumn(column).isNull() ? kNoUser
                                        : user_in(row, column, "user of an answer", users);
}

UserPair pair_in(SQLite::Statement& row, int column, UserId users_a, UserId users_b) {
  return {user_or_none_in(row, column, users_a), user_or_none_in(row, column + 1, users_b)};
}

void bind_user_or_null(SQLite::Statement& statement, int place, UserId user) {
  if (user != kNoUser)
    statement.bind(place, user);
  else
    statement.bind(place);
}

// The table knows four replies: that somebody has no partner is a no to one user with anybody.
std::string stored_reply(const JournalEntry& entry) {
  return std::string(name_of(entry.reply == Reply::kNoPartner ? Reply::kNo : entry.reply));
}

// "3 17 4"
std::vector<UserId> ids_in(const std::string& text, UserId users) {
  std::vector<UserId> ids;
  const char* begin = text.data();
  const char* const end = begin + text.size();
  while (begin != end) {
    UserId id = 0;
    const auto [after, error] = std::from_chars(begin, end, id);
    if (error != std::errc() || id >= users ||
        (after != end && (*after != ' ' || after + 1 == end)))
      throw StudyDamage("refused candidates: found \"" + text.substr(0, 40) +
                        "\", expected ids of users with blanks between");
    ids.push_back(id);
    begin = after == end ? end : after + 1;
  }
  return ids;
}

std::string joined(const std::vector<UserId>& ids) {
  return fmt::format("{}", fmt::join(ids, " "));
}

// Every field with its length in front, so that no two entries read the same.
std::string hash_after(const std::string& before, const JournalEntry& entry) {
  std::string all;
  const auto add = [&](std::string_view field) {
    all += fmt::format("{}:", field.size());
    all += field;
  };
  add(before);
  add(fmt::format("{} {} {} {}", entry.id, entry.question, entry.undoes, entry.seconds));
  add(entry.at);
  add(name_of(entry.kind));
  add(entry.annotator);
  add(name_of(entry.reply));
  add(fmt::format("{} {}", entry.pair.a, entry.pair.b));
  add(joined(entry.refused));
  add(entry.source);
  add(entry.editor);
  add(entry.request);
  if (!entry.note.empty()) add(entry.note);  // the hash of entries from before notes stays
  return sha256(all);
}

template <class Named>
auto named_in(SQLite::Statement& row, int column, const char* what, Named&& named) {
  const std::string name = text_in(row, column, what);
  const auto found = named(name);
  if (!found) throw StudyDamage(fmt::format("{}: found \"{}\"", what, name.substr(0, 40)));
  return *found;
}

JournalEntry entry_in(SQLite::Statement& row, std::int64_t expected_id, UserId users_a,
                      UserId users_b) {
  JournalEntry entry;
  entry.id = whole_in(row, 0, "id of a journal entry", expected_id, expected_id);
  entry.at = text_in(row, 1, "time of a journal entry");
  entry.kind = named_in(row, 2, "kind of a journal entry", entry_kind_named);
  entry.annotator = text_in(row, 3, "annotator of a journal entry");
  entry.question = id_or_none_in(row, 4, "question of a journal entry");
  entry.reply = named_in(row, 5, "reply of a journal entry", reply_named);
  entry.pair = pair_in(row, 6, users_a, users_b);
  if (is_no_partner(entry.pair)) {
    if (entry.reply != Reply::kNo)
      throw StudyDamage(
          fmt::format("entry {} of the journal: found one user, expected a pair", entry.id));
    entry.reply = Reply::kNoPartner;
  }
  entry.refused = ids_in(text_in(row, 8, "refused candidates"), std::max(users_a, users_b));
  entry.seconds = number_in(row, 9, "seconds of a journal entry");
  entry.undoes = id_or_none_in(row, 10, "entry that an undo takes back");
  entry.source = text_in(row, 11, "source of a journal entry");
  entry.editor = text_in(row, 12, "editor of a journal entry");
  entry.request = text_in(row, 13, "request of a journal entry");
  entry.note = text_in(row, 15, "note of a journal entry");
  return entry;
}

}  // namespace

StoredJournal get_journal(SQLite::Database& database, UserId users_a, UserId users_b) {
  StoredJournal journal;
  SQLite::Statement rows(database,
                         "SELECT id, at, kind, annotator, question, reply, a, b, refused, "
                         "seconds, undoes, source, editor, request, hash, note FROM journal "
                         "ORDER BY id");
  bool has_hashes = false;
  while (rows.executeStep()) {
    journal.entries.push_back(
        entry_in(rows, static_cast<std::int64_t>(journal.entries.size()) + 1, users_a, users_b));
    journal.hash = hash_after(journal.hash, journal.entries.back());
    const std::string stored = text_in(rows, 14, "hash of a journal entry");
    if ((has_hashes || !stored.empty()) && stored != journal.hash)
      throw StudyDamage(
          fmt::format("entry {} of the journal does not have the hash it had when it was written",
                      journal.entries.back().id));
    has_hashes = has_hashes || !stored.empty();
  }
  return journal;
}

std::string put_entries(SQLite::Database& database, std::span<const JournalEntry> entries,
                        std::string hash) {
  SQLite::Statement add(
      database, "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const JournalEntry& entry : entries) {
    hash = hash_after(hash, entry);
    add.bind(1, entry.id);
    add.bind(2, entry.at);
    add.bind(3, std::string(name_of(entry.kind)));
    add.bind(4, entry.annotator);
    bind_id_or_null(add, 5, entry.question);
    add.bind(6, stored_reply(entry));
    bind_user_or_null(add, 7, entry.pair.a);
    bind_user_or_null(add, 8, entry.pair.b);
    add.bind(9, joined(entry.refused));
    add.bind(10, entry.seconds);
    bind_id_or_null(add, 11, entry.undoes);
    add.bind(12, entry.source);
    add.bind(13, entry.editor);
    add.bind(14, entry.request);
    add.bind(15, hash);
    add.bind(16, entry.note);
    insert_row(add);
  }
  return hash;
}

}  // namespace dalaup
