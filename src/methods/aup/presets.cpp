#include "methods/aup/aup.h"
#include "methods/aup/aup_aligner.h"

namespace dalaup {

AupParams aup_preset(const std::string& name) {
  AupParams params;
  params.preset = name;
  check_fields(params);
  if (name == "official") {  // the published code, without its faults (docs/aup.md lists them)
    params.batch_norm = true;
    params.activation = "last";
    params.start = "published";
    params.head = "mlp";
    params.joint_head = false;
    params.reconstruction = "mean";
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
    params.epochs = 500;
  }
  if (name == "tuned") {  // anchors as coordinates, started at the unlearned comparison of contexts
    params.coordinates = "anchors";
    params.scaling = "log";
    params.centring = true;
    params.convolution_layers = 0;
    params.embedding_dim = 0;
    params.soft_rounds = 3;
    params.dense = "diagonal";
    params.shared_dense = true;
    params.head = "interaction";
    params.joint_head = false;
    params.reconstruction_weight = 0.0;
    params.cross_network_weight = 1.0;
    params.contrast = "softmax";
    params.temperature = 0.1;
    params.regularisation_weight = 0.0;
    params.negatives_per_anchor = 3;
    params.learning_rate = 0.02;
    params.pairs_per_batch = 1024;
    params.epochs = 100;
    params.head_epochs = 20;
    params.validation_every = 1;
    params.patience = 6;
    params.validation_share = 0.3;
    params.score = "uncrowded";
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
