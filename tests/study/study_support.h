#pragma once
// A small pair of networks in which a1 is b1, a2 is b2 and so on.
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "study/common_contacts.h"
#include "study/study.h"
#include "support/support.h"

namespace dalaup {

// A number from the environment, for tools/soak: more and other random things than usual.
inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
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
// A fit may take minutes where a soak and other work share the machine.
inline Next wait_for_question(LabellingSession& session, const std::string& annotator) {
  for (int attempt = 0; attempt < 12000; ++attempt) {
    Next next = session.next(annotator);
    if (next.state != Next::State::kLearning) return next;
    session.wait_for_change(session.status().event, 0.05);
  }
  return {};
}

// A study of two rings in a folder that vanishes, opened again by restart().
class SessionTest : public testing::Test {
 protected:
  void start(SessionOptions options = {}) {
    if (!study_) study_.emplace(Study::create(folder_ / "s.study", twin_rings(30), {}, {}, {}));
    session_.emplace(*study_, common_contacts(), options);
  }
  void restart(SessionOptions options = {}) {
    session_.reset();
    study_.reset();
    study_.emplace(Study::open(folder_ / "s.study", Access::kLabel));
    session_.emplace(*study_, common_contacts(), options);
  }
  static SessionOptions pairs_only(int batch = 5) {
    return {.params = {.batch_size = batch, .questions = "pair"}};
  }
  TemporaryFolder folder_;
  std::optional<Study> study_;
  std::optional<LabellingSession> session_;
};

}  // namespace dalaup
