#pragma once
// One function per subcommand, each in NAME_command.cpp; all_commands.cpp lists them in the order
// of help.
namespace dalaup {

class Program;

// Declares every command and runs the one that the arguments name; the programs' main.
int run_program(Program& program);

void add_demo_command(Program& program);
void add_generate_command(Program& program);
void add_context_command(Program& program);
void add_evaluate_command(Program& program);
void add_info_command(Program& program);
void add_split_command(Program& program);
void add_train_command(Program& program);
void add_predict_command(Program& program);
void add_explain_command(Program& program);
void add_embed_command(Program& program);
void add_simulate_command(Program& program);
void add_experiment_command(Program& program);
void add_new_command(Program& program);
void add_label_command(Program& program);
void add_annotators_command(Program& program);
void add_import_command(Program& program);
void add_export_command(Program& program);
void add_backup_command(Program& program);
void add_check_command(Program& program);
void add_completion_command(Program& program);
void add_man_command(Program& program);
void add_help_command(Program& program);

}  // namespace dalaup
