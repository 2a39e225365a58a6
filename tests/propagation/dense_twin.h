#pragma once
// The propagation with full matrices, formula by formula in double precision: the slow twin that
// the sparse form is compared with. Takes only the contexts from the module.
#include <Eigen/Dense>
#include <cmath>

#include "methods/propagation/fit.h"

namespace dalaup {

class DenseTwin {
 public:
  DenseTwin(const NetworkPair& networks, const LabelSet& labels, const PropagationParams& params)
      : networks_(networks), labels_(labels), params_(params) {
    settings_ = usual_settings(params);
    Run run;
    const AnchorContext context =
        sparse_relative_contexts(networks, labels.anchors(),
                                 {.restart_probability = params.restart_probability,
                                  .walk_steps = params.walk_steps,
                                  .most_entries = params.context_size},
                                 run);
    prior_ = Eigen::MatrixXd::Zero(rows(), columns());
    for (UserId a = 0; a < rows(); ++a)
      for (UserId b = 0; b < columns(); ++b)
        for (const ContextEntry& left : context.a.of(a))
          for (const ContextEntry& right : context.b.of(b))
            if (left.anchor == right.anchor) prior_(a, b) += double{left.weight} * right.weight;
    balance_ = density_balance(networks, labels.anchors());
    if (params.consensus == "yes") {
      Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(rows(), columns());
      const std::vector<MatchSettings> members = consensus_members(params);
      for (const MatchSettings& member : members) {
        settings_ = member;
        sum += last_matching(0.01);
      }
      settings_ = usual_settings(params);
      score_ = score_by(without_weak(sum / static_cast<double>(members.size()), 0.01));
    } else {
      score_ = score_by(last_matching(settings_.least_match));
    }
  }
  const Eigen::MatrixXd& score() const { return score_; }

 private:
  Eigen::Index rows() const { return networks_.a.user_count(); }
  Eigen::Index columns() const { return networks_.b.user_count(); }

  Eigen::MatrixXd last_matching(double least) const {
    Eigen::MatrixXd score = prior_;
    const int last = params_.iterations - 1;
    for (int round = 0;; ++round) {
      const double cooling = params_.last_temperature / params_.first_temperature;
      const double temperature =
          params_.first_temperature * std::pow(cooling, static_cast<double>(round) / last);
      Eigen::MatrixXd matched = without_weak(plan(score, temperature, params_.balancing_sweeps),
                                             round == last ? least : settings_.least_match);
      for (const UserPair& anchor : labels_.anchors()) matched(anchor.a, anchor.b) = 1.0;
      if (round == last) return matched;
      score = score_by(matched);
    }
  }
  static Eigen::MatrixXd without_weak(const Eigen::MatrixXd& matched, double least) {
    return (matched.array() >= least).select(matched, 0.0);
  }
  Eigen::MatrixXd score_by(const Eigen::MatrixXd& matched) const {
    return params_.prior_weight * prior_ + evidence(matched);
  }

  Eigen::MatrixXd plan(const Eigen::MatrixXd& score, double temperature, int sweeps) const {
    Eigen::MatrixXd kernel = Eigen::MatrixXd::Zero(rows(), columns());
    for (UserId a = 0; a < rows(); ++a) {
      if (labels_.is_anchored(Side::kA, a)) continue;
      double best = 0.0;
      for (UserId b = 0; b < columns(); ++b)
        if (!labels_.is_anchored(Side::kB, b)) best = std::max(best, score(a, b));
      for (UserId b = 0; b < columns(); ++b)
        if (!labels_.is_anchored(Side::kB, b))
          kernel(a, b) = std::exp((score(a, b) - best) / temperature);
    }
    Eigen::VectorXd column = Eigen::VectorXd::Ones(columns());
    Eigen::VectorXd row(rows());
    for (int sweep = 0; sweep <= sweeps; ++sweep) {
      row = (kernel * column).unaryExpr([](double mass) { return mass > 0.0 ? 1.0 / mass : 0.0; });
      if (sweep == sweeps) break;
      column = (kernel.transpose() * row).unaryExpr([](double mass) {
        return 1.0 / std::max(mass, 1e-6);
      });
    }
    return row.asDiagonal() * kernel * column.asDiagonal();
  }

  Eigen::MatrixXd evidence(const Eigen::MatrixXd& matched) const {
    const auto adjacency = [](const Network& network) {
      Eigen::MatrixXd edges = Eigen::MatrixXd::Zero(network.user_count(), network.user_count());
      for (UserId user = 0; user < network.user_count(); ++user)
        for (const UserId neighbour : network.neighbours(user)) edges(user, neighbour) = 1.0;
      return edges;
    };
    const auto weights = [](const Network& network) {
      Eigen::VectorXd weight(network.user_count());
      for (UserId user = 0; user < network.user_count(); ++user)
        weight[user] = 1.0 / std::sqrt(std::log(2.0 + network.degree(user)));
      return weight;
    };
    const Eigen::MatrixXd edges_a = adjacency(networks_.a);
    const Eigen::MatrixXd edges_b = adjacency(networks_.b);
    const Eigen::VectorXd weight_a = weights(networks_.a);
    const Eigen::VectorXd weight_b = weights(networks_.b);
    const auto factor = [&](const Eigen::MatrixXd& edges, const Eigen::VectorXd& weight,
                            const Eigen::VectorXd& mass, double exponent) -> Eigen::VectorXd {
      const Eigen::VectorXd norm = (edges * weight.cwiseAbs2().cwiseProduct(mass)).cwiseSqrt();
      return (norm.array() + settings_.evidence_damping).pow(-2.0 * exponent);
    };
    const Eigen::VectorXd factor_a = factor(edges_a, weight_a, matched.rowwise().sum(), balance_);
    const Eigen::VectorXd factor_b =
        factor(edges_b, weight_b, matched.colwise().sum().transpose(), 1.0 - balance_);
    return factor_a.asDiagonal() * edges_a * weight_a.asDiagonal() * matched *
           weight_b.asDiagonal() * edges_b * factor_b.asDiagonal();
  }

  const NetworkPair& networks_;
  const LabelSet& labels_;
  PropagationParams params_;
  MatchSettings settings_;
  double balance_ = 0.5;
  Eigen::MatrixXd prior_;
  Eigen::MatrixXd score_;
};

}  // namespace dalaup
