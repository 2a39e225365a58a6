#include "cli/numpy_output.h"

#include <fmt/format.h>

namespace dalaup {

std::string users_path(const std::string& npy_path, const std::string& option) {
  constexpr std::string_view kExtension = ".npy";
  if (!npy_path.ends_with(kExtension) || npy_path.size() == kExtension.size())
    throw ParameterError(fmt::format("--{}: found {}, expected a name ending in .npy", option,
                                     dalaup::quoted(npy_path)),
                         "rows are written as a NumPy file, the user names beside it");
  return npy_path.substr(0, npy_path.size() - kExtension.size()) + ".users.txt";
}

void write_numpy(const std::string& npy_path, const std::string& option, const Matrix& matrix,
                 const Network& network) {
  AtomicFile names(users_path(npy_path, option));
  for (UserId user = 0; user < network.user_count(); ++user)
    names.write(fmt::format("{}\n", network.name(user)));
  write_npy(npy_path, matrix);
  names.commit();
}

}  // namespace dalaup
