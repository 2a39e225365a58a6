#pragma once
// A matrix with one row per user as FILE.npy, and the users' names beside it as FILE.users.txt.
#include <string>

#include "base/base.h"
#include "networks/networks.h"
#include "numeric/numeric.h"

namespace dalaup {

// "x.npy" -> "x.users.txt". Throws ParameterError naming `option` for any other ending.
std::string users_path(const std::string& npy_path, const std::string& option);
void write_numpy(const std::string& npy_path, const std::string& option, const Matrix& matrix,
                 const Network& network);

}  // namespace dalaup
