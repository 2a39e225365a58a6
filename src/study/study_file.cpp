#include "study/study_file.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "selection/selection.h"
#include "study/database.h"
#include "study/journal_table.h"
#include "study/network_tables.h"
#include "study/question_tables.h"

namespace dalaup {
namespace {

Settings settings_in(const std::string& text) {
  try {
    return Settings::from_json(text);
  } catch (const InputError& error) {
    throw StudyDamage(error.what());
  }
}

}  // namespace

Study::Study(std::unique_ptr<StudyDatabase> database) : database_(std::move(database)) {}
Study::~Study() = default;
Study::Study(Study&& other) noexcept = default;
Study& Study::operator=(Study&& other) noexcept = default;

const std::string& Study::path() const { return database_->path(); }
void Study::tidy() { database_->tidy(); }
void Study::copy_to(const std::string& path) const { database_->copy_to(path); }

Study Study::create(const std::string& path, const NetworkPair& networks,
                    const Profiles& profiles_a, const Profiles& profiles_b,
                    const Settings& settings) {
  auto database = std::make_unique<StudyDatabase>(path, Access::kCreate);
  try {
    database->write([&](SQLite::Database& file) {
      put_setting(file, "created", utc_now());
      put_setting(file, "settings", settings.to_json());
      put_setting(file, "directed_a", networks.a.is_directed() ? "1" : "0");
      put_setting(file, "directed_b", networks.b.is_directed() ? "1" : "0");
      put_setting(file, "profile_columns_a", nlohmann::json(profiles_a.columns).dump());
      put_setting(file, "profile_columns_b", nlohmann::json(profiles_b.columns).dump());
      put_network(file, Side::kA, networks.a);
      put_network(file, Side::kB, networks.b);
      put_profiles(file, Side::kA, profiles_a);
      put_profiles(file, Side::kB, profiles_b);
    });
  } catch (...) {
    database.reset();
    remove_study(path);
    throw;
  }
  Study study(std::move(database));
  study.load();
  return study;
}

Study Study::open(const std::string& path, Access access) {
  Study study(std::make_unique<StudyDatabase>(path, access));
  study.load();
  return study;
}

void Study::load() {
  database_->read([&](SQLite::Database& file) {
    check_sides(file);
    created_ = get_setting(file, "created");
    settings_ = settings_in(get_setting(file, "settings"));
    networks_ = std::make_unique<NetworkPair>(
        NetworkPair{get_network(file, Side::kA, get_setting(file, "directed_a") == "1"),
                    get_network(file, Side::kB, get_setting(file, "directed_b") == "1")});
    profiles_[0] = get_profiles(file, Side::kA, get_setting(file, "profile_columns_a"),
                                networks_->a.user_count());
    profiles_[1] = get_profiles(file, Side::kB, get_setting(file, "profile_columns_b"),
                                networks_->b.user_count());
  });
  networks_->attributes = attributes_of(profiles_[0], profiles_[1], *networks_, settings_);
}

std::vector<JournalEntry> Study::journal() const {
  return database_->read([&](SQLite::Database& file) {
    return get_journal(file, networks_->a.user_count(), networks_->b.user_count()).entries;
  });
}

std::string Study::journal_hash() const {
  return database_->read([&](SQLite::Database& file) {
    return get_journal(file, networks_->a.user_count(), networks_->b.user_count()).hash;
  });
}

void Study::append(std::span<const JournalEntry> entries) {
  // Unknown again until all is well: a write that fails may still have left its entries.
  std::string hash = journal_hash_ ? *std::exchange(journal_hash_, std::nullopt) : journal_hash();
  database_->write([&](SQLite::Database& file) { hash = put_entries(file, entries, hash); });
  journal_hash_ = std::move(hash);
}

std::vector<Round> Study::rounds() const {
  return database_->read([&](SQLite::Database& file) { return get_rounds(file); });
}

void Study::add_round(Round& round, std::span<StudyQuestion> questions, const Round* rewarded) {
  database_->write([&](SQLite::Database& file) {
    if (rewarded != nullptr) put_reward(file, *rewarded);
    put_round(file, round, questions);
  });
}

std::optional<Study::KeptModel> Study::kept_model() const {
  return database_->read([](SQLite::Database& file) -> std::optional<KeptModel> {
    SQLite::Statement last(file, "SELECT round, entries, parts FROM models ORDER BY round DESC");
    if (!last.executeStep()) return std::nullopt;
    KeptModel model{.round = last.getColumn(0).getInt64(),
                    .entries = last.getColumn(1).getInt64(),
                    .bytes = {}};
    SQLite::Statement parts(file, "SELECT bytes FROM model_parts WHERE round = ? ORDER BY part");
    parts.bind(1, model.round);
    std::int64_t count = 0;
    for (; parts.executeStep(); ++count) {
      const SQLite::Column bytes = parts.getColumn(0);
      model.bytes.append(static_cast<const char*>(bytes.getBlob()),
                         static_cast<std::size_t>(bytes.getBytes()));
    }
    if (count != last.getColumn(2).getInt64()) return std::nullopt;
    return model;
  });
}

void Study::keep_model(const KeptModel& model) {
  constexpr std::size_t kPartBytes = std::size_t{1} << 17;
  constexpr std::chrono::milliseconds kPause{1};  // lets a waiting answer in: mutexes are not fair
  database_->write([&](SQLite::Database& file) {
    SQLite::Statement remove(
        file, "DELETE FROM model_parts WHERE round NOT IN (SELECT max(round) FROM models)");
    remove.exec();
  });
  std::int64_t part = 0;
  for (std::size_t begin = 0; begin < model.bytes.size(); begin += kPartBytes, ++part) {
    const std::size_t size = std::min(kPartBytes, model.bytes.size() - begin);
    database_->write([&](SQLite::Database& file) {
      SQLite::Statement add(file, "INSERT OR REPLACE INTO model_parts VALUES (?, ?, ?)");
      add.bind(1, model.round);
      add.bind(2, part);
      add.bindNoCopy(3, model.bytes.data() + begin, static_cast<int>(size));
      insert_row(add);
    });
    std::this_thread::sleep_for(kPause);
  }
  database_->write([&](SQLite::Database& file) {
    file.exec("DELETE FROM models");
    SQLite::Statement add(file, "INSERT INTO models VALUES (?, ?, ?)");
    add.bind(1, model.round);
    add.bind(2, model.entries);
    add.bind(3, part);
    add.exec();
  });
}

std::optional<StudyQuestion> Study::question(std::int64_t id) const {
  return database_->read(
      [&](SQLite::Database& file) { return get_question(file, id, *networks_); });
}

std::vector<StudyQuestion> Study::questions_of_round(std::int64_t round) const {
  return database_->read(
      [&](SQLite::Database& file) { return get_questions_of_round(file, round, *networks_); });
}

std::vector<StudyQuestion> Study::answered_questions() const {
  return database_->read(
      [&](SQLite::Database& file) { return get_answered_questions(file, *networks_); });
}

void Study::check() const {
  database_->check_thoroughly();
  const std::vector<Round> all_rounds = rounds();
  for (const Round& round : all_rounds) {
    Bandit::from_json(round.bandit);
    questions_of_round(round.id);
  }
  (void)people();
  const Ledger ledger = load_ledger(*this);
  const auto expect = [&](std::int64_t found, std::int64_t least, std::string_view what,
                          std::string_view known_to) {
    if (found < least)
      throw InputError(path(), 0,
                       fmt::format("found {} {} in the journal, expected at least the {} that {} "
                                   "was fitted with",
                                   found, what, least, known_to),
                       "the study was copied without its -wal file, or shortened; restore a copy");
  };
  const auto answers =
      std::ranges::count(ledger.entries(), EntryKind::kAnswer, &JournalEntry::kind);
  for (const Round& round : all_rounds)
    expect(answers, round.answers, "answers", fmt::format("round {}", round.id));
  if (const auto kept = kept_model())
    expect(std::ssize(ledger.entries()), kept->entries, "entries", "the kept model");
}

}  // namespace dalaup
