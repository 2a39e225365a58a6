#pragma once
// What ends an operation. A message says where, what was found and what was expected;
// the hint, when there is one, says how to fix it. Only main prints them.
#include <cstddef>
#include <stdexcept>
#include <string>

namespace dalaup {

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, std::string hint = {})
      : std::runtime_error(message), hint_(std::move(hint)) {}
  const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

// A file, or what stands in it. Line 0 means the file as a whole.
class InputError : public Error {
 public:
  using Error::Error;
  InputError(const std::string& path, std::size_t line, const std::string& message,
             std::string hint = {});
};

// A setting or option out of its range.
class ParameterError : public Error {
 public:
  using Error::Error;
};

// An operation called in the wrong order, or a state that cannot be served.
class StateError : public Error {
 public:
  using Error::Error;
};

// The user asked to stop; finished work is kept.
class Cancelled : public Error {
 public:
  Cancelled() : Error("interrupted") {}
};

}  // namespace dalaup
