// dalaup-mpi: the commands of dalaup on the ranks that mpirun started.
#include <fmt/format.h>

#include <cstdio>

#include "cli/cli.h"
#include "mpi/mpi_communicator.h"

int main(int argc, char** argv) {
  try {
    const auto communicator = dalaup::make_mpi_communicator();
    dalaup::Program program({argv + 1, argv + argc}, communicator.get());
    return dalaup::run_program(program);
  } catch (const dalaup::Error& error) {  // of MPI itself
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
