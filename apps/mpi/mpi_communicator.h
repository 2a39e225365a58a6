#pragma once
// Ranks that mpirun started, over MPI. Waiting ranks sleep, notice when another one failed, and
// messages may be of any size.
#include <memory>

#include "communicator/communicator.h"

namespace dalaup {

// Begins MPI; the object's end ends it. Throws StateError when MPI cannot begin. One at a time.
std::unique_ptr<Communicator> make_mpi_communicator();

}  // namespace dalaup
