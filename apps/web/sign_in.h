#pragma once
// Who asks. In a study with people every request needs somebody's token, and answers stand under
// that person's name; in others one token of the server is enough, and on this machine none.
// Private to web.
#include <optional>
#include <string>

#include "study/study.h"

namespace dalaup {

// Sees at once who was added or revoked, also by another process.
class SignIn {
 public:
  // `server_token` empty: needed only where there are people.
  SignIn(const Study& study, std::string server_token);

  bool has_people() const { return !study_.sign_ins()->is_open(); }
  bool needs_token() const { return !server_token_.empty() || has_people(); }
  bool accepts(const std::string& token) const;
  // Nothing in a study without people.
  std::optional<Person> person_with(const std::string& token) const;

  // For commands that the user of this server runs beside it: opens what they need.
  const std::string& command_token() const { return command_token_; }
  bool is_command(const std::string& token) const { return is_same_secret(token, command_token_); }

 private:
  const Study& study_;
  std::string server_token_;
  std::string command_token_;
};

}  // namespace dalaup
