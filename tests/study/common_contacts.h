#pragma once
// A method fast enough for tests and fuzz targets.
#include <atomic>
#include <memory>
#include <string>

#include "study/study.h"

namespace dalaup {

// Scores a pair by its common known contacts, and by how alike the degrees are.
class CommonContactsAligner : public Aligner {
 public:
  inline static std::atomic<int> fits{0};  // by all of them

  std::string method() const override { return "common-contacts"; }
  Settings settings() const override { return {}; }
  void fit(const NetworkPair& networks, const LabelSet& labels, Run& run) override {
    run.throw_if_cancelled();
    ++fits;
    networks_ = &networks;
    labels_ = labels;
  }
  const NetworkPair& networks() const override { return *networks_; }
  const LabelSet& labels() const override { return labels_; }
  void score_row(Side side, UserId user, std::span<float> scores) const override {
    const Network& far = networks_->on(other(side));
    for (UserId candidate = 0; candidate < far.user_count(); ++candidate) {
      const double difference = static_cast<double>(networks_->on(side).degree(user)) -
                                static_cast<double>(far.degree(candidate));
      scores[candidate] = static_cast<float>(0.5 / (1.0 + difference * difference));
    }
    for (const UserId contact : networks_->on(side).neighbours(user)) {
      const UserId partner = labels_.partner(side, contact);
      if (partner == kNoUser) continue;
      for (const UserId candidate : far.neighbours(partner)) scores[candidate] += 1.0F;
    }
  }
  double probability(UserPair pair) const override {
    const double value = score(pair);
    return value / (1.0 + value);
  }
  void save(ArchiveWriter&) const override {}
  void load(const ArchiveReader&, const NetworkPair& networks, const LabelSet& labels) override {
    networks_ = &networks;
    labels_ = labels;
  }

 private:
  const NetworkPair* networks_ = nullptr;
  LabelSet labels_;
};

inline AlignerFactory common_contacts() {
  return [] { return std::make_unique<CommonContactsAligner>(); };
}

}  // namespace dalaup
