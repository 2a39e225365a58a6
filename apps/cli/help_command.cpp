#include "cli/command_line.h"
#include "cli/commands.h"

namespace dalaup {

// For the list of commands: Program turns "help COMMAND" into "COMMAND --help" before it parses.
void add_help_command(Program& program) {
  Command& command = program.add("help", "shows the options of a command: dalaup help train");
  command.action([](Session&) {});
}

}  // namespace dalaup
