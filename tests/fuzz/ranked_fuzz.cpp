#include "evaluation/evaluation.h"
#include "fuzz.h"

// A ranked list against a fixed truth: every rank is a miss or lies within the list. The same bytes
// are then read as a matching.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dalaup;
  static const ScratchFile truth(".truth", "a\tu\nb\tv\nc\tw\nd\tx\n");
  static const ScratchFile labels(".labels", "d\tx\n");
  const ScratchFile list(".list", text_of(data, size));
  const EvaluationFiles files{list.path(), truth.path(), labels.path()};
  try {
    const RankedEvaluation evaluation = evaluate_ranked(files, 30);
    if (evaluation.ranks.size() != 3) std::abort();
    for (const double rank : evaluation.ranks) {
      const auto longest = static_cast<double>(evaluation.longest_list);
      if (rank != kMissed && !(rank >= 1.0 && rank <= longest)) std::abort();
    }
  } catch (const InputError&) {
  }
  try {
    const MatchingEvaluation evaluation = evaluate_matching(list.path(), files, 0.5);
    if (evaluation.quality.right > evaluation.quality.proposed) std::abort();
  } catch (const InputError&) {
  }
  return 0;
}
