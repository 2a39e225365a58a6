#include "cli/command_line.h"
#include "cli/commands.h"

int main(int argc, char** argv) {
  dalaup::Program program({argv + 1, argv + argc});
  return program.run([](dalaup::Program& all) {
    dalaup::add_demo_command(all);
    dalaup::add_generate_command(all);
    dalaup::add_context_command(all);
    dalaup::add_info_command(all);
    dalaup::add_split_command(all);
    dalaup::add_train_command(all);
    dalaup::add_predict_command(all);
    dalaup::add_explain_command(all);
    dalaup::add_embed_command(all);
    dalaup::add_evaluate_command(all);
    dalaup::add_simulate_command(all);
    dalaup::add_experiment_command(all);
    dalaup::add_new_command(all);
    dalaup::add_label_command(all);
    dalaup::add_annotators_command(all);
    dalaup::add_import_command(all);
    dalaup::add_export_command(all);
    dalaup::add_backup_command(all);
    dalaup::add_check_command(all);
    dalaup::add_completion_command(all);
    dalaup::add_man_command(all);
    dalaup::add_help_command(all);
  });
}
