// Aligns two networks: those named on the command line, or two that are made up.
//   align [A.edges B.edges LABELS]
#include <dalaup/dalaup.h>

#include <algorithm>
#include <iostream>
#include <vector>

namespace {

struct Input {
  dalaup::Networks networks;
  std::vector<dalaup::Label> labels;
  std::vector<dalaup::Label> truth = {};  // where it is known
};

Input read(const std::string& a, const std::string& b, const std::string& labels) {
  Input input{{dalaup::Network::read(a), dalaup::Network::read(b)}, {}};
  input.labels = dalaup::read_labels(labels, input.networks);
  return input;
}

// Two noisy views of a society of 600 people, a tenth of whom are known.
Input make_up() {
  const dalaup::Generated made = dalaup::generate({{"users_a", 500},
                                                   {"users_b", 500},
                                                   {"anchors", 400},
                                                   {"edges_a", 4000},
                                                   {"edges_b", 4000},
                                                   {"overlap", 0.7},
                                                   {"labels_share", 0.1}});
  return {made.networks, made.labels, made.truth};
}

void align(const Input& input) {
  dalaup::Control control;
  control.on_progress = [](const dalaup::Progress& progress) {
    std::cerr << "\r" << progress.task << " " << progress.done << " of " << progress.total
              << (progress.is_finished ? "\n" : "");
  };
  dalaup::Model model = dalaup::Model::fit(input.networks, input.labels, {}, control);

  // What a person would be asked first.
  dalaup::Asking asking(model, {.strategy = "cs", .batch_size = 1});
  for (const dalaup::Question& question : asking.next()) std::cout << question.words << "\n";

  const std::vector<dalaup::Match> matches = model.match({.least_probability = 0.5});
  std::cout << matches.size() << " pairs matched; the surest:\n";
  for (std::size_t i = 0; i < std::min<std::size_t>(3, matches.size()); ++i)
    std::cout << "  " << model.a().name(matches[i].a) << " is " << model.b().name(matches[i].b)
              << " with probability " << matches[i].probability << "\n";
  if (!matches.empty()) std::cout << model.explain(matches[0].a, matches[0].b).words << "\n";
  if (!input.truth.empty())
    for (const auto& [metric, value] : model.evaluate(input.truth))
      std::cout << metric << " " << value << "\n";
}

}  // namespace

int main(int count, char** arguments) {
  try {
    align(count == 4 ? read(arguments[1], arguments[2], arguments[3]) : make_up());
  } catch (const dalaup::Error& error) {
    std::cerr << "error: " << error.what() << "\n" << error.hint() << "\n";
    return 1;
  }
}
