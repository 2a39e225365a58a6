#pragma once
// A small pair of networks in which a1 is b1, a2 is b2 and so on, and a method fast enough for
// tests.
#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <string>

#include "study/study.h"
#include "support/support.h"

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

// A ring of `users` with chords, twice: user a7 is user b7.
inline NetworkPair twin_rings(int users) {
  const auto ring = [&](char side) {
    std::string edges;
    for (int user = 0; user < users; ++user) {
      edges += fmt::format("{0}{1} {0}{2}\n", side, user, (user + 1) % users);
      if (user % 3 == 0)
        edges += fmt::format("{0}{1} {0}{2}\n", side, user, (user * 7 + 5) % users);
    }
    return network_of(edges);
  };
  return {ring('a'), ring('b')};
}

inline bool is_one_person(const NetworkPair& networks, UserPair pair) {
  return networks.a.name(pair.a).substr(1) == networks.b.name(pair.b).substr(1);
}

// Imports a0-b0, a1-b1, ... as known.
inline void import_known(LabellingSession& session, int count) {
  std::string lines;
  for (int user = 0; user < count; ++user) lines += fmt::format("a{0}\tb{0}\n", user);
  LineReader reader(bytes_of(lines), "known");
  session.import_labels(reader, "import");
}

// Answers as the names say.
inline Outcome answer_truly(LabellingSession& session, const std::string& annotator,
                            const StudyQuestion& question) {
  for (std::size_t place = 0; place < question.question.candidates.size(); ++place)
    if (is_one_person(session.study().networks(), question.question.pair(place)))
      return session.answer(annotator, question.id, Reply::kYes,
                            question.question.candidates[place], 1.0);
  return session.answer(annotator, question.id, Reply::kNo, kNoUser, 1.0);
}

// Asks until there is a question or nothing is left.
inline Next wait_for_question(LabellingSession& session, const std::string& annotator) {
  for (int attempt = 0; attempt < 2000; ++attempt) {
    Next next = session.next(annotator);
    if (next.state != Next::State::kLearning) return next;
    session.wait_for_change(session.status().event, 0.05);
  }
  return {};
}

}  // namespace dalaup
