#include "cli/command_line.h"
#include "cli/commands.h"

namespace dalaup {

int run_program(Program& program) {
  return program.run([](Program& all) {
    add_demo_command(all);
    add_generate_command(all);
    add_context_command(all);
    add_info_command(all);
    add_split_command(all);
    add_train_command(all);
    add_predict_command(all);
    add_explain_command(all);
    add_embed_command(all);
    add_evaluate_command(all);
    add_simulate_command(all);
    add_experiment_command(all);
    add_new_command(all);
    add_label_command(all);
    add_annotators_command(all);
    add_import_command(all);
    add_export_command(all);
    add_backup_command(all);
    add_check_command(all);
    add_completion_command(all);
    add_man_command(all);
    add_help_command(all);
  });
}

}  // namespace dalaup
