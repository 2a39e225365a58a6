#include "cli/command_line.h"
#include "cli/commands.h"

int main(int argc, char** argv) {
  dalaup::Program program({argv + 1, argv + argc});
  return dalaup::run_program(program);
}
