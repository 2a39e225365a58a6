#pragma once
// Sample files of a module and what reading one complains of.
#include <string>

#include "base/base.h"
#include "support/support.h"

namespace dalaup {

inline std::string sample_path(const std::string& module, const std::string& file) {
  return source_folder() + "/tests/" + module + "/samples/" + file;
}

// "file:2: message | hint" of the error that `read` throws, without the folder.
template <class Read>
std::string complaint_of(Read&& read) {
  try {
    read();
  } catch (const Error& error) {
    const std::string message = std::string(error.what()) + " | " + error.hint();
    const std::size_t folder = message.rfind("samples/");
    return message.substr(folder == std::string::npos ? 0 : folder + 8);
  }
  return "no error";
}

}  // namespace dalaup
