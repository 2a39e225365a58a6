#include <array>

#include "study/database.h"

namespace dalaup {
namespace {

constexpr const char* kFirstSchema = R"sql(
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- side 0 is network A, side 1 network B; ids count from 0 in order of first appearance
CREATE TABLE users (
  side INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL,
  PRIMARY KEY (side, id)) WITHOUT ROWID;
CREATE TABLE edges (
  side INTEGER NOT NULL, source INTEGER NOT NULL, target INTEGER NOT NULL, weight REAL NOT NULL);
CREATE TABLE profiles (
  side INTEGER NOT NULL, id INTEGER NOT NULL, cells TEXT NOT NULL,  -- a JSON array of texts
  PRIMARY KEY (side, id)) WITHOUT ROWID;

CREATE TABLE rounds (
  id INTEGER PRIMARY KEY, at TEXT NOT NULL, strategy TEXT NOT NULL,
  exploration_probability REAL NOT NULL, explored INTEGER NOT NULL,
  answers INTEGER NOT NULL, anchors INTEGER NOT NULL, validation_size INTEGER NOT NULL,
  precision_at_30 REAL, map_at_30 REAL, agreement REAL, yes_chance REAL, reward REAL,
  seconds REAL NOT NULL, bandit TEXT NOT NULL);

CREATE TABLE questions (
  id INTEGER PRIMARY KEY, round INTEGER NOT NULL REFERENCES rounds (id),
  kind TEXT NOT NULL, side INTEGER NOT NULL, user INTEGER NOT NULL,
  strategy TEXT NOT NULL, score REAL NOT NULL, is_overlap INTEGER NOT NULL,
  details TEXT NOT NULL);  -- JSON: candidates, probabilities, ranks, rivals
CREATE INDEX questions_of_round ON questions (round);

CREATE TABLE journal (
  id INTEGER PRIMARY KEY, at TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('answer', 'undo', 'import', 'resolve')),
  annotator TEXT NOT NULL, question INTEGER REFERENCES questions (id),
  reply TEXT NOT NULL CHECK (reply IN ('yes', 'no', 'unsure', 'skip')),
  a INTEGER, b INTEGER,  -- the pair of a yes or an import
  refused TEXT NOT NULL,  -- candidates a no refuses: ids with blanks between
  seconds REAL NOT NULL,
  undoes INTEGER REFERENCES journal (id), source TEXT NOT NULL);
CREATE INDEX journal_of_question ON journal (question);
CREATE TRIGGER journal_keeps_lines BEFORE UPDATE ON journal
BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_loses_nothing BEFORE DELETE ON journal
BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END;
)sql";

// The last fit, so that a restart goes on from it. It is written in parts, each its own short
// transaction, and counts once its line in models is there.
constexpr const char* kKeepModel = R"sql(
CREATE TABLE models (
  round INTEGER PRIMARY KEY, entries INTEGER NOT NULL,  -- of the journal when it was fitted
  parts INTEGER NOT NULL);
CREATE TABLE model_parts (
  round INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL,
  PRIMARY KEY (round, part));
)sql";

// Who edited somebody's answer, which request brought an entry, and a hash over all entries so far;
// entries from before have none.
constexpr const char* kProvenance = R"sql(
ALTER TABLE journal ADD COLUMN editor TEXT NOT NULL DEFAULT '';
ALTER TABLE journal ADD COLUMN request TEXT NOT NULL DEFAULT '';
ALTER TABLE journal ADD COLUMN hash TEXT NOT NULL DEFAULT '';
)sql";

constexpr const char* kNotes = R"sql(
ALTER TABLE journal ADD COLUMN note TEXT NOT NULL DEFAULT '';
)sql";

// Who may answer. Without anybody in it, whoever reaches the study may.
constexpr const char* kPeople = R"sql(
CREATE TABLE people (
  name TEXT PRIMARY KEY,
  role TEXT NOT NULL CHECK (role IN ('annotator', 'reviewer', 'owner')),
  token_hash TEXT NOT NULL, since TEXT NOT NULL,
  is_revoked INTEGER NOT NULL CHECK (is_revoked IN (0, 1))) WITHOUT ROWID;
)sql";

constexpr std::array kScripts{kFirstSchema, kKeepModel, kProvenance, kNotes, kPeople};

}  // namespace

std::span<const char* const> schema_scripts() { return kScripts; }

}  // namespace dalaup
