#include <nlohmann/json.hpp>

#include "aligner/aligner.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/numpy_output.h"
#include "methods/methods.h"

namespace dalaup {
namespace {

struct Options {
  std::string model;
  std::string out_a;
  std::string out_b;
};

void embed(const Options& options, Session& session) {
  const MethodRegistry registry = all_methods();
  const Model model = load_model(options.model, registry);
  const auto embeddings = model.aligner->embeddings();
  if (!embeddings)
    throw InputError(
        options.model, 0,
        fmt::format("found a model of method {}, which has no user representations",
                    model.aligner->method()),
        "methods that compare vectors have some: train with --method aup, for example");
  const auto write = [&](const std::string& path, const std::string& option, const Matrix& matrix,
                         Side side) {
    write_numpy(path, option, matrix, model.networks->on(side));
    session.print("{}: {} of {}, {}; names in {}\n", path,
                  counted(static_cast<std::uint64_t>(matrix.rows()), "user"), name_of(side),
                  counted(static_cast<std::uint64_t>(matrix.cols()), "column"),
                  users_path(path, option));
  };
  users_path(options.out_b, "out-b");  // both names are checked before anything is written
  write(options.out_a, "out-a", embeddings->a, Side::kA);
  write(options.out_b, "out-b", embeddings->b, Side::kB);
  session.summary()["method"] = model.aligner->method();
  session.summary()["columns"] = embeddings->a.cols();
  session.summary()["out_a"] = options.out_a;
  session.summary()["out_b"] = options.out_b;
}

}  // namespace

void add_embed_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add("embed", "writes user representations as NumPy files");
  command.group("Input");
  command.required("model", options->model, "FILE", "model written by train");
  command.group("Output");
  command.required("out-a", options->out_a, "FILE", "representations of A, such as a.npy");
  command.required("out-b", options->out_b, "FILE", "representations of B, such as b.npy");
  command.action([options](Session& session) { embed(*options, session); });
}

}  // namespace dalaup
