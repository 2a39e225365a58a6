#include "methods/aup/aup.h"
#include "methods/aup/aup_aligner.h"

namespace dalaup {

AupParams aup_preset(const std::string& name) {
  AupParams params;
  params.preset = name;
  check_fields(params);
  if (name ==
      "official") {  // the published code, without its faults (docs/method/aup.md lists them)
    params.batch_norm = true;
    params.activation = "last";
    params.centred_sigmoid = false;
    params.start = "published";
    params.head = "mlp";
    params.joint_head = false;
    params.reconstruction_weight = 100.0;
    params.cross_network_weight = 1.0;
    params.split_means = false;
    params.classification_weight = 1.0;
    params.regularisation = "norm";
    params.regularisation_weight = 0.001;
    params.resample_negatives = false;
    params.shuffle = false;
    params.optimiser = "adadelta";
    params.learning_rate = 3.0;
    params.learning_rate_decay = 0.8;
    params.weight_decay = 0.001;
    params.epochs = 200;                // the learning rate has fallen to a hundredth by then
    params.probability = "calibrated";  // the published code asks nobody: nothing needs eq. 6
  }
  return params;
}

std::unique_ptr<Aligner> make_aup(const Settings& settings) {
  AupParams named;
  const SettingValue* const preset = settings.find("preset");
  if (preset != nullptr && std::holds_alternative<std::string>(*preset))
    named.preset = std::get<std::string>(*preset);
  AupParams params = aup_preset(named.preset);
  apply_settings(params, settings);
  return std::make_unique<AupAligner>(params);
}

}  // namespace dalaup
