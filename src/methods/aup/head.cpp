#include "methods/aup/head.h"

#include <cmath>

namespace dalaup {
namespace {

using ConstMap = Eigen::Map<const Matrix>;
using DoubleMap =
    Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using Index = Eigen::Index;

std::size_t feature_count(const Head& head) {
  switch (head.kind) {
    case HeadKind::kLinear:
      return 2 * head.embedding_dim;
    case HeadKind::kMlp:
      return head.embedding_dim;
    case HeadKind::kInteraction:
      return 4 * head.embedding_dim;
  }
  return 0;
}

ConstMap map_of(const Tensors& tensors, std::size_t tensor, std::size_t rows) {
  const auto values = tensors[tensor];
  return {values.data(), index(rows), index(values.size() / rows)};
}

void add_to(Gradients& gradients, std::size_t tensor, const Matrix& gradient) {
  const auto sums = gradients.of(tensor);
  DoubleMap(sums.data(), gradient.rows(), gradient.cols()) += gradient.cast<double>();
}

Matrix pair_features(const Head& head, std::span<const BatchPair> pairs,
                     const RepresentationPair& representations) {
  const Index d = index(head.embedding_dim);
  Matrix features(index(pairs.size()), head.kind == HeadKind::kInteraction ? 4 * d : 2 * d);
  for (Index p = 0; p < features.rows(); ++p) {
    const auto a = representations.a->row(pairs[static_cast<std::size_t>(p)].row_a);
    const auto b = representations.b->row(pairs[static_cast<std::size_t>(p)].row_b);
    features.row(p).segment(0, d) = a;
    features.row(p).segment(d, d) = b;
    if (head.kind != HeadKind::kInteraction) continue;
    features.row(p).segment(2 * d, d) = (a - b).cwiseAbs();
    features.row(p).segment(3 * d, d) = a.cwiseProduct(b);
  }
  return features;
}

}  // namespace

HeadKind head_kind(const std::string& name) {
  if (name == "linear") return HeadKind::kLinear;
  if (name == "mlp") return HeadKind::kMlp;
  if (name == "interaction") return HeadKind::kInteraction;
  throw ParameterError("head: found \"" + name + "\", expected linear, mlp or interaction");
}

Head add_head(Tensors& tensors, HeadKind kind, std::size_t embedding_dim) {
  Head head{.kind = kind, .embedding_dim = embedding_dim};
  if (kind == HeadKind::kMlp) {
    head.hidden_weight = tensors.add("head.hidden.weight", embedding_dim * 2 * embedding_dim);
    head.hidden_bias = tensors.add("head.hidden.bias", embedding_dim);
  }
  head.weight = tensors.add("head.weight", 2 * feature_count(head));
  head.bias = tensors.add("head.bias", 2);
  return head;
}

double head_loss(const Head& head, const Tensors& tensors, std::span<const BatchPair> pairs,
                 const RepresentationPair& representations, double weight, Gradients& gradients) {
  if (pairs.empty()) return 0.0;
  const Index d = index(head.embedding_dim);
  const Matrix inputs = pair_features(head, pairs, representations);
  const bool is_mlp = head.kind == HeadKind::kMlp;
  Matrix features = inputs;
  if (is_mlp) {
    features = inputs * map_of(tensors, head.hidden_weight, head.embedding_dim).transpose();
    features.rowwise() += map_of(tensors, head.hidden_bias, 1).row(0);
    features = features.cwiseMax(0.0F);
  }
  const auto top = map_of(tensors, head.weight, 2);
  Matrix logits = features * top.transpose();
  logits.rowwise() += map_of(tensors, head.bias, 1).row(0);
  const double share = 1.0 / static_cast<double>(pairs.size());
  double loss = 0.0;
  for (std::size_t p = 0; p < pairs.size(); ++p)
    loss +=
        share * softmax_cross_entropy(logits.data() + 2 * p, pairs[p].is_anchor, weight * share);
  const Matrix& logit_gradient = logits;  // softmax_cross_entropy wrote the gradients over them
  add_to(gradients, head.weight, logit_gradient.transpose() * features);
  add_to(gradients, head.bias, logit_gradient.colwise().sum());
  Matrix input_gradient = logit_gradient * top;
  if (is_mlp) {
    input_gradient = input_gradient.cwiseProduct((features.array() > 0.0F).cast<float>().matrix());
    add_to(gradients, head.hidden_weight, input_gradient.transpose() * inputs);
    add_to(gradients, head.hidden_bias, input_gradient.colwise().sum());
    input_gradient =
        (input_gradient * map_of(tensors, head.hidden_weight, head.embedding_dim)).eval();
  }
  if (representations.gradient_a == nullptr) return loss;
  for (Index p = 0; p < inputs.rows(); ++p) {
    const BatchPair& pair = pairs[static_cast<std::size_t>(p)];
    auto gradient_a = representations.gradient_a->row(pair.row_a);
    auto gradient_b = representations.gradient_b->row(pair.row_b);
    gradient_a += input_gradient.row(p).segment(0, d);
    gradient_b += input_gradient.row(p).segment(d, d);
    if (head.kind != HeadKind::kInteraction) continue;
    const auto a = representations.a->row(pair.row_a);
    const auto b = representations.b->row(pair.row_b);
    const auto distance = input_gradient.row(p).segment(2 * d, d);
    const auto product = input_gradient.row(p).segment(3 * d, d);
    const auto sign = (a - b).array().sign().matrix().eval();
    gradient_a += distance.cwiseProduct(sign) + product.cwiseProduct(b);
    gradient_b += product.cwiseProduct(a) - distance.cwiseProduct(sign);
  }
  return loss;
}

void head_scores(const Head& head, const Tensors& tensors, bool user_is_a, const float* user,
                 const Matrix& others, std::span<float> scores) {
  const Index d = index(head.embedding_dim);
  const Eigen::Map<const Eigen::RowVectorXf> own(user, d);
  const auto top = map_of(tensors, head.weight, 2);
  const Eigen::RowVectorXf gap = top.row(1) - top.row(0);
  const auto bias = tensors[head.bias];
  const float offset = bias[1] - bias[0];
  const Index own_begin = user_is_a ? 0 : d;
  const Index other_begin = user_is_a ? d : 0;
  Eigen::Map<Eigen::VectorXf> out(scores.data(), index(scores.size()));
  if (head.kind == HeadKind::kMlp) {
    const Matrix part =
        hidden_parts(head, tensors, user_is_a, Eigen::Map<const Matrix>(user, 1, d));
    return scores_from_parts(head, tensors, part.data(),
                             hidden_parts(head, tensors, !user_is_a, others), scores);
  }
  const float constant = offset + own.dot(gap.segment(own_begin, d));
  if (head.kind == HeadKind::kLinear) {
    out = (others * gap.segment(other_begin, d).transpose()).array() + constant;
    return;
  }
  const Eigen::RowVectorXf direct =
      gap.segment(other_begin, d) + gap.segment(3 * d, d).cwiseProduct(own);
  out = (others * direct.transpose()).array() + constant;
  for (Index row = 0; row < out.size(); ++row)
    out[row] += (others.row(row) - own).cwiseAbs().dot(gap.segment(2 * d, d));
}

Matrix hidden_parts(const Head& head, const Tensors& tensors, bool users_are_a,
                    const Matrix& representations) {
  const Index d = index(head.embedding_dim);
  const auto hidden = map_of(tensors, head.hidden_weight, head.embedding_dim);
  Matrix parts = representations * hidden.middleCols(users_are_a ? 0 : d, d).transpose();
  if (users_are_a) parts.rowwise() += map_of(tensors, head.hidden_bias, 1).row(0);
  return parts;
}

void scores_from_parts(const Head& head, const Tensors& tensors, const float* user_part,
                       const Matrix& other_parts, std::span<float> scores) {
  const auto top = map_of(tensors, head.weight, 2);
  const Eigen::RowVectorXf gap = top.row(1) - top.row(0);
  const auto bias = tensors[head.bias];
  const Eigen::Map<const Eigen::RowVectorXf> own(user_part, other_parts.cols());
  for (Index row = 0; row < other_parts.rows(); ++row)
    scores[static_cast<std::size_t>(row)] =
        bias[1] - bias[0] + (other_parts.row(row) + own).cwiseMax(0.0F).dot(gap);
}

}  // namespace dalaup
