#include "web/sign_in.h"

namespace dalaup {

SignIn::SignIn(const Study& study, std::string server_token)
    : study_(study), server_token_(std::move(server_token)), command_token_(fresh_token()) {}

bool SignIn::accepts(const std::string& token) const {
  if (is_command(token)) return true;
  const auto people = study_.sign_ins();
  return people->is_open() ? is_same_secret(token, server_token_)
                           : people->person_with(token).has_value();
}

std::optional<Person> SignIn::person_with(const std::string& token) const {
  return study_.sign_ins()->person_with(token);
}

}  // namespace dalaup
