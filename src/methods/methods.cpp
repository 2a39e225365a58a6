#include "methods/methods.h"

#include "propagation/propagation.h"

namespace dalaup {

MethodRegistry all_methods() {
  MethodRegistry registry;
  registry.add({.name = "propagation",
                .summary = "soft matching and evidence of matched neighbours; the most accurate",
                .fields = describe_fields(PropagationParams{}),
                .make = [](const Settings& settings) {
                  PropagationParams params;
                  apply_settings(params, settings);
                  return make_propagation(params);
                }});
  return registry;
}

}  // namespace dalaup
