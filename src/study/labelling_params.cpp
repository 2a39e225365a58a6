#include "study/labelling_params.h"

namespace dalaup {

void check_strategy(const LabellingParams& params) {
  if (params.strategy == kControl || params.strategy == kRandomAnchors)
    throw ParameterError("strategy: found \"" + params.strategy +
                         "\", which asks nobody; expected one that asks questions");
  require_strategy(params.strategy, further_strategies());
  for (const std::string& arm : split_names("arms", params.arms)) require_strategy(arm);
}

}  // namespace dalaup
