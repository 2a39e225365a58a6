#include "study/people.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

#include "study/database.h"
#include "study/digest.h"
#include "study/study_file.h"

namespace dalaup {
namespace {

constexpr std::array<std::string_view, 3> kRoles{"annotator", "reviewer", "owner"};

Person person_in(SQLite::Statement& row) {
  const std::string name = text_in(row, 0, "name of a person");
  const auto role = role_named(text_in(row, 1, "role of a person"));
  if (!role || annotator_named(name) != name)
    throw StudyDamage("people: found a name or a role that no person has");
  return {.name = name,
          .role = *role,
          .since = text_in(row, 2, "time of a person"),
          .is_revoked = flag_in(row, 3, "end of a person")};
}

}  // namespace

std::string_view name_of(Role role) { return kRoles[static_cast<std::size_t>(role)]; }

std::optional<Role> role_named(std::string_view name) {
  const auto found = std::ranges::find(kRoles, name);
  if (found == kRoles.end()) return std::nullopt;
  return static_cast<Role>(found - kRoles.begin());
}

bool is_same_secret(std::string_view given, std::string_view secret) {
  unsigned difference = given.size() == secret.size() ? 0 : 1;
  for (std::size_t place = 0; place < std::min(given.size(), secret.size()); ++place)
    difference |=
        static_cast<unsigned char>(given[place]) ^ static_cast<unsigned char>(secret[place]);
  return difference == 0;
}

std::string fresh_token() {
  std::random_device device;
  std::string token;
  for (int part = 0; part < 4; ++part) token += fmt::format("{:08x}", device());
  return token;
}

std::optional<Person> SignIns::person_with(const std::string& token) const {
  const std::string hash = sha256(token);
  const Person* found = nullptr;
  for (const SignedIn& one : people_)
    if (is_same_secret(hash, one.token_hash)) found = &one.person;
  return found == nullptr || token.empty() ? std::nullopt : std::optional(*found);
}

std::vector<Person> Study::people() const {
  return database_->read([](SQLite::Database& file) {
    std::vector<Person> people;
    SQLite::Statement rows(file, "SELECT name, role, since, is_revoked FROM people ORDER BY name");
    while (rows.executeStep()) people.push_back(person_in(rows));
    return people;
  });
}

std::shared_ptr<const SignIns> Study::sign_ins() const {
  database_->when_changed([this](SQLite::Database& file) {
    std::vector<SignIns::SignedIn> people;
    bool is_open = true;
    SQLite::Statement rows(
        file, "SELECT name, role, since, is_revoked, token_hash FROM people LIMIT 100000");
    while (rows.executeStep()) {
      is_open = false;
      Person person = person_in(rows);
      if (!person.is_revoked)
        people.push_back({std::move(person), text_in(rows, 4, "token of a person")});
    }
    const std::lock_guard lock(sign_ins_->mutex);
    sign_ins_->latest = std::make_shared<const SignIns>(std::move(people), is_open);
  });
  const std::lock_guard lock(sign_ins_->mutex);
  return sign_ins_->latest;
}

std::string Study::add_person(const std::string& name, Role role) {
  const std::string token = fresh_token();
  database_->write([&](SQLite::Database& file) {
    SQLite::Statement known(file, "SELECT is_revoked FROM people WHERE name = ?");
    known.bind(1, name);
    if (known.executeStep() && known.getColumn(0).getInt() == 0)
      throw ParameterError(fmt::format("{} may answer already", dalaup::quoted(name)),
                           "revoke the name first for a new token or another role");
    SQLite::Statement add(file, "INSERT OR REPLACE INTO people VALUES (?, ?, ?, ?, 0)");
    add.bind(1, name);
    add.bind(2, std::string(name_of(role)));
    add.bind(3, sha256(token));
    add.bind(4, utc_now());
    insert_row(add);
  });
  return token;
}

void Study::revoke_person(const std::string& name) {
  database_->write([&](SQLite::Database& file) {
    SQLite::Statement change(file,
                             "UPDATE people SET is_revoked = 1 WHERE name = ? AND is_revoked = 0");
    change.bind(1, name);
    if (change.exec() != 1)
      throw ParameterError(fmt::format("{} is nobody who may answer", dalaup::quoted(name)),
                           "dalaup annotators list STUDY shows who may");
  });
}

}  // namespace dalaup
