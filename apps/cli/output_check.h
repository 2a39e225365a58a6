#pragma once
// Outputs never overwrite inputs: the check every command passes before it runs.
namespace CLI {
class App;
}  // namespace CLI

namespace dalaup {

// Throws ParameterError when a file that the chosen command would write is one that it reads, is
// another of its outputs, or is a study, a model or a checkpoint (but --model may replace a model,
// and --checkpoint goes on from one).
void check_outputs(const CLI::App& command);

}  // namespace dalaup
