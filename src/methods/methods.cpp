#include "methods/methods.h"

#include "baselines/baselines.h"
#include "methods/aup/aup.h"
#include "methods/propagation/propagation.h"

namespace dalaup {

namespace {

// What the propagation's priors "aup" and "both" learn their vectors with.
std::unique_ptr<Aligner> make_embedder() {
  AupParams params = aup_preset("tuned");
  params.score = "cosine";  // the propagation settles crowds itself, and takes what is positive
  return make_aup(to_settings(params));
}

}  // namespace

MethodRegistry all_methods() {
  MethodRegistry registry;
  registry.add({.name = "propagation",
                .summary = "soft matching and evidence of matched neighbours; the most accurate",
                .fields = describe_fields(PropagationParams{}),
                .make = [](const Settings& settings) {
                  PropagationParams params;
                  apply_settings(params, settings);
                  return make_propagation(params, make_embedder);
                }});
  registry.add<DeepWalkAligner, DeepWalkParams>(
      "deepwalk", "skip-gram on random walks, each network by itself (Perozzi 2014)");
  registry.add<PaleAligner, PaleParams>(
      "pale", "vectors that predict edges, then a mapping between the networks (Man 2016)");
  registry.add<IoneAligner, IoneParams>(
      "ione", "vectors and contexts that the two accounts of an anchor share (Liu 2016)");
  registry.add({.name = "aup",
                .summary = "the paper's network: contexts, shared convolutions, cosine of codes",
                .fields = describe_fields(AupParams{}),
                .make = make_aup});
  return registry;
}

}  // namespace dalaup
