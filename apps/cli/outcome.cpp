#include "cli/outcome.h"

#include <fmt/format.h>

#include <new>

#include "cli/terminal_text.h"

namespace dalaup {
namespace {

std::string words_of(const Error& error) {
  std::string words = fmt::format("error: {}\n", printable(error.what(), "\n\t"));
  if (!error.hint().empty()) words += fmt::format("hint: {}\n", printable(error.hint(), "\n\t"));
  return words;
}

RankOutcome failed(int exit_code, std::string message) {
  return {.exit_code = exit_code, .message = std::move(message)};
}

}  // namespace

RankOutcome outcome_of(const std::function<int()>& command) {
  try {
    return {.exit_code = command(), .message = {}};
  } catch (const RankFailed&) {
    return {.exit_code = 1, .is_own = false, .message = {}};
  } catch (const Cancelled&) {
    return failed(130, "interrupted; finished work is kept\n");
  } catch (const ParameterError& error) {
    return failed(2, words_of(error));
  } catch (const Error& error) {
    return failed(1, words_of(error));
  } catch (const std::bad_alloc&) {
    return failed(1,
                  "error: the machine has no memory left\nhint: use smaller networks, or free some "
                  "memory first\n");
  } catch (const std::exception& error) {
    return failed(1, fmt::format("error: unexpected: {}\nhint: this is a fault of dalaup; please "
                                 "report the command line and this message\n",
                                 error.what()));
  }
}

}  // namespace dalaup
