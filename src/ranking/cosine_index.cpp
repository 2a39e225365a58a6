#include "ranking/cosine_index.h"

#include <cmath>
#include <numeric>

namespace dalaup {

CosineIndex::CosineIndex(Embeddings vectors) : vectors_(std::move(vectors)) {
  for (const Side side : {Side::kA, Side::kB}) {
    Matrix& rows = vectors_.on(side);
    for (Eigen::Index user = 0; user < rows.rows(); ++user) {
      const float length = rows.row(user).norm();
      if (!std::isfinite(length))
        throw StateError("found a vector of network " + std::string(name_of(side)) +
                         " that is not finite");
      if (length > 0.0F) rows.row(user) /= length;
    }
  }
}

CosineIndex CosineIndex::of_unit_vectors(Embeddings vectors) {
  CosineIndex index;
  index.vectors_ = std::move(vectors);
  return index;
}

void CosineIndex::score_row(Side side, UserId user, std::span<float> scores) const {
  Eigen::Map<Eigen::VectorXf>(scores.data(), static_cast<Eigen::Index>(scores.size())).noalias() =
      vectors_.on(other(side)) * vectors_.on(side).row(user).transpose();
}

RankedLists CosineIndex::best(Side side, std::span<const UserId> users, std::size_t top,
                              const LabelSet& labels, Run& run) const {
  CandidateFilter filter{open_users(labels, other(side)), nullptr};
  if (!labels.negatives().empty())
    filter.is_refused = [&labels, side](UserId user, UserId candidate) {
      return labels.is_negative(pair_of(side, user, candidate));
    };
  return best_by_cosine(vectors_.on(side), vectors_.on(other(side)), users, top, filter, run);
}

std::vector<double> CosineIndex::ranks(std::span<const UserPair> pairs, const LabelSet& labels,
                                       Run& run) const {
  return ranks_by_cosine(vectors_.a, vectors_.b, pairs, open_users(labels, Side::kB), run);
}

NearestMeans CosineIndex::nearest_means(const LabelSet& labels, Run& run) const {
  constexpr std::size_t kNearest = 10;
  NearestMeans means;
  for (const Side side : {Side::kA, Side::kB}) {
    std::vector<UserId> everyone(labels.user_count(side));
    std::iota(everyone.begin(), everyone.end(), UserId{0});
    std::vector<float>& of_side = means[index_of(side)];
    of_side.assign(everyone.size(), 0.0F);
    for (const RankedList& list :
         best_by_cosine(vectors_.on(side), vectors_.on(other(side)), everyone, kNearest,
                        {open_users(labels, other(side)), nullptr}, run)) {
      double sum = 0.0;
      for (const Candidate& candidate : list.candidates)
        sum += static_cast<double>(candidate.score);
      if (!list.candidates.empty())
        of_side[list.user] = static_cast<float>(sum / static_cast<double>(list.candidates.size()));
    }
  }
  return means;
}

// Of the four numbers two carry the discounts, two bring all vectors to one length.
CosineIndex CosineIndex::with_csls(const NearestMeans& means) const {
  constexpr float kSquare = 2.25F;  // of that length: 1 of the user, 1, at most 1/4 of the discount
  Embeddings result;
  for (const Side side : {Side::kA, Side::kB}) {
    const Matrix& unit = vectors_.on(side);
    Matrix longer = large_matrix(static_cast<std::size_t>(unit.rows()),
                                 static_cast<std::size_t>(unit.cols()) + 4);
    const Eigen::Index own = side == Side::kA ? 0 : 1;
    for (Eigen::Index user = 0; user < unit.rows(); ++user) {
      auto row = longer.row(user);
      row.head(unit.cols()) = unit.row(user);
      auto added = row.tail(4);
      added.setZero();
      const float discount =
          -0.5F * means[static_cast<std::size_t>(own)][static_cast<std::size_t>(user)];
      added[own] = discount;
      added[1 - own] = 1.0F;
      const float square = unit.row(user).squaredNorm() + 1.0F + discount * discount;
      added[2 + own] = std::sqrt(std::max(0.0F, kSquare - square));
      row /= std::sqrt(kSquare);
    }
    result.on(side) = std::move(longer);
  }
  return of_unit_vectors(std::move(result));
}

}  // namespace dalaup
