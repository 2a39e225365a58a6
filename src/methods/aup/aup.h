#pragma once
// AUP (section 3.1 of the paper): structural contexts through shared convolutions and one dense
// layer per network into representations whose cosine says who is who. docs/method/aup.md says what
// each setting does and what the presets reach.
#include <concepts>
#include <memory>
#include <string>
#include <type_traits>

#include "aligner/aligner.h"
#include "base/base.h"

namespace dalaup {

// The defaults are the preset `paper`.
struct AupParams {
  std::string preset = "paper";
  // structural contexts
  double restart_probability = 0.6;
  int walk_steps = 3;
  std::string contexts = "sum";
  std::string order = "shuffled";
  // architecture
  int convolution_layers = 2;
  int channels = 4;
  int kernel_width = 3;
  int embedding_dim = 56;
  bool batch_norm = false;
  std::string activation = "every";
  bool centred_sigmoid = true;
  std::string start = "xavier";
  std::string head = "linear";
  bool joint_head = true;
  // objective
  double reconstruction_weight = 1.0;
  std::string reconstruction = "mean";
  double cross_network_weight = 0.01;
  bool split_means = true;
  double negative_margin = 0.0;
  double classification_weight = 0.01;
  double regularisation_weight = 1e-5;
  std::string regularisation = "squared";
  int negatives_per_anchor = 2;
  bool resample_negatives = true;
  bool shuffle = true;
  // training
  std::string optimiser = "adam";
  double learning_rate = 0.001;
  double learning_rate_decay = 1.0;
  int decay_epochs = 10;
  double weight_decay = 0.0;
  int pairs_per_batch = 56;
  int epochs = 1000;
  int refit_epochs = 0;
  int head_epochs = 200;
  double validation_share = 0.0;
  int validation_every = 5;
  int patience = 20;
  double tolerance = 0.001;
  // prediction
  std::string score = "cosine";
  std::string probability = "classifier";
  // files
  std::string checkpoint = "";
  int checkpoint_every = 10;
  std::string loss_curve = "";
};

template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, AupParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("preset", params.preset, Choices{"paper", "official"},
        "where the other settings start from: the equations, or the published code");
  visit("restart_probability|restart", params.restart_probability, 0.01, 0.99,
        "chance of the walk jumping home at each step");
  visit("walk_steps|steps", params.walk_steps, 1, 100, "steps of the walk that are added up");
  visit("contexts", params.contexts, Choices{"sum", "mean"},
        "steps of the walk are added up (eq. 2), or averaged, which a sigmoid can rebuild");
  visit("order", params.order, Choices{"shuffled", "file"},
        "order of users that the convolutions slide over: drawn from the seed, or that of the "
        "files, which gives partners away where they stand at similar places");
  visit("convolution_layers", params.convolution_layers, 0, 8, "convolution layers (k)");
  visit("channels", params.channels, 1, 64,
        "channels of the first convolution, doubled by each next");
  visit("kernel_width", params.kernel_width, 1, 31, "neighbouring coordinates a convolution sees");
  visit("embedding_dim", params.embedding_dim, 1, 65536, "numbers per representation (d)");
  visit("batch_norm", params.batch_norm, "normalise after each convolution");
  visit("activation", params.activation, Choices{"every", "last", "none"},
        "after which convolutions a sigmoid stands");
  visit("centred_sigmoid", params.centred_sigmoid,
        "sigmoids of the encoder less one half: the same functions with other biases, but users "
        "begin apart instead of nearly equal");
  visit("start", params.start, Choices{"xavier", "published"},
        "initial weights; published also draws normalisation scales and sets dense biases to 1");
  visit("head", params.head, Choices{"linear", "mlp", "interaction"}, "kind of pair classifier");
  visit("joint_head", params.joint_head,
        "train the classifier with the representations instead of afterwards");
  visit("reconstruction_weight", params.reconstruction_weight, 0.0, 1e6,
        "weight of the reconstruction loss; 0 leaves the decoder out");
  visit("reconstruction", params.reconstruction, Choices{"sum", "mean"},
        "squared errors of a user are summed (paper) or averaged (published code)");
  visit("cross_network_weight", params.cross_network_weight, 0.0, 1e6,
        "weight of the cosine loss across networks (lambda 1)");
  visit("split_means", params.split_means, "eq. 5 averages anchors and other pairs apart");
  visit("negative_margin", params.negative_margin, -1.0, 1.0,
        "cosine that other pairs may reach freely (epsilon)");
  visit("classification_weight", params.classification_weight, 0.0, 1e6,
        "weight of the classifier's loss (lambda 2)");
  visit("regularisation_weight", params.regularisation_weight, 0.0, 1e6,
        "weight of the representations' length (lambda 3)");
  visit("regularisation", params.regularisation, Choices{"squared", "norm"},
        "length is the mean square (paper) or the norm of the batch (published code)");
  visit("negatives_per_anchor", params.negatives_per_anchor, 0, 1000,
        "pairs drawn per anchor that the interlock says are none");
  visit("resample_negatives", params.resample_negatives, "draw them anew each epoch");
  visit("shuffle", params.shuffle, "a new order of the anchors each epoch");
  visit("optimiser", params.optimiser, Choices{"adadelta", "adam"}, "optimiser");
  visit("learning_rate", params.learning_rate, 1e-9, 100.0, "learning rate");
  visit("learning_rate_decay", params.learning_rate_decay, 0.01, 1.0,
        "factor on the learning rate every decay_epochs");
  visit("decay_epochs", params.decay_epochs, 1, 1000000, "epochs between decays");
  visit("weight_decay", params.weight_decay, 0.0, 10.0, "pull of every parameter towards 0");
  visit("pairs_per_batch", params.pairs_per_batch, 1, 1000000, "pairs in a mini-batch");
  visit("epochs", params.epochs, 1, 1000000, "epochs at most");
  visit("refit_epochs", params.refit_epochs, 0, 1000000,
        "epochs of a warm refit, which goes through all learning rates in them; 0: a fifth of "
        "epochs");
  visit("head_epochs", params.head_epochs, 1, 1000000,
        "epochs of a classifier that is trained afterwards");
  visit("validation_share", params.validation_share, 0.0, 0.9,
        "share of the anchors held out to stop early and to calibrate; 0: stop on training loss, "
        "as the paper has no early stopping");
  visit("validation_every", params.validation_every, 1, 1000000, "epochs between validations");
  visit("patience", params.patience, 1, 1000000,
        "epochs without improvement after which training stops");
  visit("tolerance", params.tolerance, 0.0, 1.0,
        "relative fall of the training loss that counts as improvement");
  visit("score", params.score, Choices{"cosine", "classifier"},
        "what candidates are ranked by: the cosine, or the pair classifier");
  visit("probability", params.probability, Choices{"classifier", "calibrated"},
        "probability of a pair: the softmax of eq. 6, or a curve on the score fitted on held-out "
        "anchors");
  visit("checkpoint", params.checkpoint, Choices{},
        "file that keeps the training state; an interrupted run resumes from it");
  visit("checkpoint_every", params.checkpoint_every, 1, 1000000, "epochs between checkpoints");
  visit("loss_curve", params.loss_curve, Choices{}, "CSV file for the losses of every epoch");
}

// The settings of a preset; throws ParameterError for an unknown one.
AupParams aup_preset(const std::string& name);

// Starts from the preset that `settings` names (paper by default) and applies the others on top.
std::unique_ptr<Aligner> make_aup(const Settings& settings);

}  // namespace dalaup
