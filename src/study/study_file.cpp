#include "study/study_file.h"

#include <fmt/format.h>

#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "study/question_json.h"

namespace dalaup {
namespace {

int number_of(Side side) { return side == Side::kA ? 0 : 1; }

void put_network(SQLite::Database& database, Side side, const Network& network) {
  SQLite::Statement add_user(database, "INSERT INTO users VALUES (?, ?, ?)");
  for (UserId user = 0; user < network.user_count(); ++user) {
    add_user.bind(1, number_of(side));
    add_user.bind(2, user);
    add_user.bind(3, std::string(network.name(user)));
    add_user.exec();
    add_user.reset();
  }
  SQLite::Statement add_edge(database, "INSERT INTO edges VALUES (?, ?, ?, ?)");
  const Adjacency& edges = network.is_directed() ? network.out() : network.both();
  for (UserId user = 0; user < network.user_count(); ++user) {
    const auto targets = edges.of(user);
    const auto weights = edges.weights_of(user);
    for (std::size_t place = 0; place < targets.size(); ++place) {
      if (!network.is_directed() && targets[place] < user) continue;
      add_edge.bind(1, number_of(side));
      add_edge.bind(2, user);
      add_edge.bind(3, targets[place]);
      add_edge.bind(4, weights.empty() ? 1.0 : static_cast<double>(weights[place]));
      add_edge.exec();
      add_edge.reset();
    }
  }
}

Network get_network(SQLite::Database& database, Side side, bool directed) {
  NetworkBuilder builder;
  SQLite::Statement users(database, "SELECT name FROM users WHERE side = ? ORDER BY id");
  users.bind(1, number_of(side));
  while (users.executeStep()) builder.add_user(users.getColumn(0).getString());
  SQLite::Statement edges(database, "SELECT source, target, weight FROM edges WHERE side = ?");
  edges.bind(1, number_of(side));
  while (edges.executeStep())
    builder.add_edge(edges.getColumn(0).getUInt(), edges.getColumn(1).getUInt(),
                     static_cast<float>(edges.getColumn(2).getDouble()));
  return builder.build(directed);
}

void put_profiles(SQLite::Database& database, Side side, const Profiles& profiles) {
  SQLite::Statement add(database, "INSERT INTO profiles VALUES (?, ?, ?)");
  for (const auto& [user, cells] : profiles.rows) {
    add.bind(1, number_of(side));
    add.bind(2, user);
    add.bind(3, nlohmann::json(cells).dump());
    add.exec();
    add.reset();
  }
}

Profiles get_profiles(SQLite::Database& database, Side side, const std::string& columns) {
  Profiles profiles;
  profiles.columns = nlohmann::json::parse(columns).get<std::vector<std::string>>();
  SQLite::Statement rows(database, "SELECT id, cells FROM profiles WHERE side = ?");
  rows.bind(1, number_of(side));
  while (rows.executeStep())
    profiles.rows[rows.getColumn(0).getUInt()] =
        nlohmann::json::parse(rows.getColumn(1).getString()).get<std::vector<std::string>>();
  return profiles;
}

void put_setting(SQLite::Database& database, const std::string& name, const std::string& value) {
  SQLite::Statement add(database, "INSERT INTO settings VALUES (?, ?)");
  add.bind(1, name);
  add.bind(2, value);
  add.exec();
}

std::string get_setting(SQLite::Database& database, const std::string& name) {
  SQLite::Statement find(database, "SELECT value FROM settings WHERE name = ?");
  find.bind(1, name);
  if (!find.executeStep()) throw InputError("found no setting \"" + name + "\" in the study");
  return find.getColumn(0).getString();
}

void bind_or_null(SQLite::Statement& statement, int place, const std::optional<double>& value) {
  if (value)
    statement.bind(place, *value);
  else
    statement.bind(place);
}
void bind_id_or_null(SQLite::Statement& statement, int place, std::int64_t id) {
  if (id != 0)
    statement.bind(place, id);
  else
    statement.bind(place);
}
std::optional<double> number_or_nothing(const SQLite::Column& column) {
  if (column.isNull()) return std::nullopt;
  return column.getDouble();
}
UserId user_or_none(const SQLite::Column& column) {
  return column.isNull() ? kNoUser : column.getUInt();
}

std::vector<UserId> ids_in(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<UserId>(words), {}};
}

constexpr const char* kQuestionColumns =
    "id, round, kind, side, user, strategy, score, is_overlap, details";

StudyQuestion question_in(SQLite::Statement& row) {
  StudyQuestion question;
  question.id = row.getColumn(0).getInt64();
  question.round = row.getColumn(1).getInt64();
  question.question.kind =
      row.getColumn(2).getString() == "pick" ? QuestionKind::kPick : QuestionKind::kPair;
  question.question.side = row.getColumn(3).getInt() == 0 ? Side::kA : Side::kB;
  question.question.user = row.getColumn(4).getUInt();
  question.question.strategy = row.getColumn(5).getString();
  question.question.score = row.getColumn(6).getDouble();
  question.is_overlap = row.getColumn(7).getInt() != 0;
  read_question_details(row.getColumn(8).getString(), question);
  return question;
}

std::vector<StudyQuestion> questions_in(SQLite::Statement& rows) {
  std::vector<StudyQuestion> questions;
  while (rows.executeStep()) questions.push_back(question_in(rows));
  return questions;
}

}  // namespace

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
    created_ = get_setting(file, "created");
    settings_ = Settings::from_json(get_setting(file, "settings"));
    networks_ = std::make_unique<NetworkPair>(
        NetworkPair{get_network(file, Side::kA, get_setting(file, "directed_a") == "1"),
                    get_network(file, Side::kB, get_setting(file, "directed_b") == "1")});
    profiles_[0] = get_profiles(file, Side::kA, get_setting(file, "profile_columns_a"));
    profiles_[1] = get_profiles(file, Side::kB, get_setting(file, "profile_columns_b"));
  });
  networks_->attributes = attributes_of(profiles_[0], profiles_[1], *networks_, settings_);
}

std::vector<JournalEntry> Study::journal() const {
  return database_->read([&](SQLite::Database& file) {
    std::vector<JournalEntry> entries;
    SQLite::Statement rows(file,
                           "SELECT id, at, kind, annotator, question, reply, a, b, refused, "
                           "seconds, undoes, source FROM journal ORDER BY id");
    while (rows.executeStep()) {
      JournalEntry entry;
      entry.id = rows.getColumn(0).getInt64();
      entry.at = rows.getColumn(1).getString();
      entry.kind = entry_kind_named(rows.getColumn(2).getString()).value();
      entry.annotator = rows.getColumn(3).getString();
      entry.question = rows.getColumn(4).getInt64();
      entry.reply = reply_named(rows.getColumn(5).getString()).value();
      entry.pair = {user_or_none(rows.getColumn(6)), user_or_none(rows.getColumn(7))};
      entry.refused = ids_in(rows.getColumn(8).getString());
      entry.seconds = rows.getColumn(9).getDouble();
      entry.undoes = rows.getColumn(10).getInt64();
      entry.source = rows.getColumn(11).getString();
      entries.push_back(std::move(entry));
    }
    return entries;
  });
}

void Study::append(std::span<const JournalEntry> entries) {
  database_->write([&](SQLite::Database& file) {
    SQLite::Statement add(file, "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const JournalEntry& entry : entries) {
      add.bind(1, entry.id);
      add.bind(2, entry.at);
      add.bind(3, std::string(name_of(entry.kind)));
      add.bind(4, entry.annotator);
      bind_id_or_null(add, 5, entry.question);
      add.bind(6, std::string(name_of(entry.reply)));
      if (entry.pair.a == kNoUser) {
        add.bind(7);
        add.bind(8);
      } else {
        add.bind(7, entry.pair.a);
        add.bind(8, entry.pair.b);
      }
      add.bind(9, fmt::format("{}", fmt::join(entry.refused, " ")));
      add.bind(10, entry.seconds);
      bind_id_or_null(add, 11, entry.undoes);
      add.bind(12, entry.source);
      add.exec();
      add.reset();
    }
  });
}

std::vector<Round> Study::rounds() const {
  return database_->read([&](SQLite::Database& file) {
    std::vector<Round> rounds;
    SQLite::Statement rows(
        file,
        "SELECT id, at, strategy, exploration_probability, explored, answers, anchors, "
        "validation_size, precision_at_30, map_at_30, agreement, yes_chance, reward, "
        "seconds, bandit FROM rounds ORDER BY id");
    while (rows.executeStep())
      rounds.push_back({.id = rows.getColumn(0).getInt64(),
                        .at = rows.getColumn(1).getString(),
                        .strategy = rows.getColumn(2).getString(),
                        .exploration_probability = rows.getColumn(3).getDouble(),
                        .explored = rows.getColumn(4).getInt() != 0,
                        .answers = rows.getColumn(5).getInt64(),
                        .anchors = rows.getColumn(6).getInt64(),
                        .validation_size = rows.getColumn(7).getInt64(),
                        .precision_at_30 = number_or_nothing(rows.getColumn(8)),
                        .map_at_30 = number_or_nothing(rows.getColumn(9)),
                        .agreement = number_or_nothing(rows.getColumn(10)),
                        .yes_chance = number_or_nothing(rows.getColumn(11)),
                        .reward = number_or_nothing(rows.getColumn(12)),
                        .seconds = rows.getColumn(13).getDouble(),
                        .bandit = rows.getColumn(14).getString()});
    return rounds;
  });
}

void Study::add_round(Round& round, std::span<StudyQuestion> questions, const Round* rewarded) {
  database_->write([&](SQLite::Database& file) {
    if (rewarded != nullptr) {
      SQLite::Statement update(file, "UPDATE rounds SET reward = ? WHERE id = ?");
      bind_or_null(update, 1, rewarded->reward);
      update.bind(2, rewarded->id);
      update.exec();
    }
    SQLite::Statement add(
        file, "INSERT INTO rounds VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    add.bind(1, round.at);
    add.bind(2, round.strategy);
    add.bind(3, round.exploration_probability);
    add.bind(4, round.explored ? 1 : 0);
    add.bind(5, round.answers);
    add.bind(6, round.anchors);
    add.bind(7, round.validation_size);
    bind_or_null(add, 8, round.precision_at_30);
    bind_or_null(add, 9, round.map_at_30);
    bind_or_null(add, 10, round.agreement);
    bind_or_null(add, 11, round.yes_chance);
    bind_or_null(add, 12, round.reward);
    add.bind(13, round.seconds);
    add.bind(14, round.bandit);
    add.exec();
    round.id = file.getLastInsertRowid();
    SQLite::Statement ask(file, "INSERT INTO questions VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (StudyQuestion& question : questions) {
      question.round = round.id;
      ask.bind(1, round.id);
      ask.bind(2, std::string(name_of(question.question.kind)));
      ask.bind(3, number_of(question.question.side));
      ask.bind(4, question.question.user);
      ask.bind(5, question.question.strategy);
      ask.bind(6, question.question.score);
      ask.bind(7, question.is_overlap ? 1 : 0);
      ask.bind(8, question_details(question));
      ask.exec();
      ask.reset();
      question.id = file.getLastInsertRowid();
    }
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
      add.exec();
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
  return database_->read([&](SQLite::Database& file) -> std::optional<StudyQuestion> {
    SQLite::Statement row(file,
                          fmt::format("SELECT {} FROM questions WHERE id = ?", kQuestionColumns));
    row.bind(1, id);
    if (!row.executeStep()) return std::nullopt;
    return question_in(row);
  });
}

std::vector<StudyQuestion> Study::questions_of_round(std::int64_t round) const {
  return database_->read([&](SQLite::Database& file) {
    SQLite::Statement rows(file, fmt::format("SELECT {} FROM questions WHERE round = ? ORDER BY id",
                                             kQuestionColumns));
    rows.bind(1, round);
    return questions_in(rows);
  });
}

std::vector<StudyQuestion> Study::answered_questions() const {
  return database_->read([&](SQLite::Database& file) {
    SQLite::Statement rows(
        file, fmt::format("SELECT {} FROM questions WHERE id IN (SELECT question FROM journal) "
                          "ORDER BY id",
                          kQuestionColumns));
    return questions_in(rows);
  });
}

}  // namespace dalaup
