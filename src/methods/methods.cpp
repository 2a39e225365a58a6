#include "methods/methods.h"

#include "methods/anchor_context/anchor_context.h"
#include "methods/aup/aup.h"
#include "methods/deepwalk/deepwalk.h"
#include "methods/ione/ione.h"
#include "methods/pale/pale.h"
#include "methods/propagation/propagation.h"

namespace dalaup {

namespace {

// What the propagation's priors "aup" and "both" learn their vectors with.
std::unique_ptr<Aligner> make_embedder() {
  // The propagation settles crowds itself, and takes what is positive.
  return make_anchor_context({.score = "cosine"});
}

}  // namespace

MethodRegistry all_methods() {
  MethodRegistry registry;
  registry.add({.name = "propagation",
                .summary = "soft matching and evidence of matched neighbours; the most accurate",
                .fields = describe_fields(PropagationParams{}),
                .make =
                    [](const Settings& settings) {
                      PropagationParams params;
                      apply_settings(params, settings);
                      return make_propagation(params, make_embedder);
                    },
                .lists_in_file = propagation_lists_in});
  registry.add<DeepWalkAligner, DeepWalkParams>(
      "deepwalk", "skip-gram on random walks, each network by itself (Perozzi 2014)");
  registry.add<PaleAligner, PaleParams>(
      "pale", "vectors that predict edges, then a mapping between the networks (Man 2016)");
  registry.add<IoneAligner, IoneParams>(
      "ione", "vectors and contexts that the two accounts of an anchor share (Liu 2016)");
  registry.add({.name = "anchor_context",
                .summary = "learned weights of the anchors that short walks meet",
                .fields = describe_fields(AnchorContextParams{}),
                .make = [](const Settings& settings) {
                  AnchorContextParams params;
                  apply_settings(params, settings);
                  return make_anchor_context(params);
                }});
  registry.add({.name = "aup",
                .summary = "the paper's network: contexts, shared convolutions, cosine of codes",
                .fields = describe_fields(AupParams{}),
                .make = make_aup,
                .fields_of_preset = {{"official", describe_fields(aup_preset("official"))}}});
  registry.add_former_preset("aup", "tuned", "anchor_context");
  return registry;
}

}  // namespace dalaup
