#pragma once
// What a program needs of the command line: apps/mpi runs the same commands.
#include "cli/command_line.h"
#include "cli/commands.h"
