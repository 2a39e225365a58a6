#pragma once
// Who may answer in a study: one token each, of which only a hash is kept. A study without people
// is open to whoever can reach it, under any name.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dalaup {

enum class Role : std::uint8_t {
  kAnnotator,  // answers, and takes own answers back
  kReviewer,   // settles disagreements, and takes back or changes anybody's answers
  kOwner,      // imports labels as well
};
std::string_view name_of(Role role);
std::optional<Role> role_named(std::string_view name);

struct Person {
  std::string name;
  Role role = Role::kAnnotator;
  std::string since;  // UTC
  bool is_revoked = false;

  bool may_review() const { return role != Role::kAnnotator; }
  bool may_import() const { return role == Role::kOwner; }
};

// Everybody who may answer, with the hashes of their tokens.
class SignIns {
 public:
  struct SignedIn {
    Person person;
    std::string token_hash;
  };
  SignIns(std::vector<SignedIn> people, bool is_open)
      : people_(std::move(people)), is_open_(is_open) {}

  // Nobody was ever added, so whoever reaches the study may answer. Revoking everybody does not
  // open it again.
  bool is_open() const { return is_open_; }
  // Takes as long for any token, whoever has it.
  std::optional<Person> person_with(const std::string& token) const;

 private:
  std::vector<SignedIn> people_;
  bool is_open_;
};

// Takes as long for a wrong first letter as for a wrong last one.
bool is_same_secret(std::string_view given, std::string_view secret);
// 128 random bits, as 32 hexadecimal digits.
std::string fresh_token();

}  // namespace dalaup
