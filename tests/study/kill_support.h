#pragma once
// A person answering in a child process that is killed at random moments.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "study_support.h"

namespace dalaup {

struct Acknowledged {
  std::int64_t entry;
  std::int64_t question;
  UserPair pair;
  bool is_yes;
};

[[noreturn]] inline void answer_until_killed(const std::string& path, int channel) {
  Study study = Study::open(path, Access::kLabel);
  LabellingSession session(study, common_contacts(),
                           {.params = {.batch_size = 7, .questions = "pair"}});
  constexpr int kMostAnswers = 5;  // a fast machine must not use the questions up
  for (int answers = 0;; ++answers) {
    if (answers == kMostAnswers) pause();
    const Next next = wait_for_question(session, "ann");
    if (next.state != Next::State::kQuestion) _exit(0);
    const UserPair pair = next.question->question.pair();
    const Outcome outcome = answer_truly(session, "ann", *next.question);
    if (!outcome.is_taken) _exit(3);
    const Acknowledged done{.entry = outcome.entry,
                            .question = next.question->id,
                            .pair = pair,
                            .is_yes = is_one_person(study.networks(), pair)};
    if (write(channel, &done, sizeof(done)) != sizeof(done)) _exit(4);
  }
}

// A child that answers, and the pipe on which it tells what was acknowledged.
struct Annotator {
  pid_t process = -1;
  int channel = -1;
};
inline Annotator start_annotator(const std::string& path) {
  int channel[2];
  if (pipe(channel) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    close(channel[0]);
    answer_until_killed(path, channel[1]);
  }
  close(channel[1]);
  return {child, channel[0]};
}

// Kills the child and takes what it had told; false when it had ended by itself.
inline bool kill_annotator(const Annotator& annotator, std::vector<Acknowledged>& all) {
  kill(annotator.process, SIGKILL);
  for (Acknowledged done; read(annotator.channel, &done, sizeof(done)) == sizeof(done);)
    all.push_back(done);
  close(annotator.channel);
  int status = 0;
  waitpid(annotator.process, &status, 0);
  return WIFSIGNALED(status);
}

// Kills `times` children at random moments, about half of them before their first answer: how long
// that takes on this machine is measured with the first child. No acknowledged answer may be
// missing from the journal, and no pair that acknowledged answers settle may be asked again.
inline void kill_in_one_study(int times, std::uint64_t seed) {
  const TemporaryFolder folder;
  const std::string path = folder / "s.study";
  const int users = 300;
  {
    Study study = Study::create(path, twin_rings(users), {}, {}, {});
    std::string known;
    for (int user = 0; user < 10; ++user) known += fmt::format("a{0}\tb{0}\n", user * 30);
    LineReader lines(bytes_of(known), "known");
    import_labels(study, lines, "import");
  }
  std::vector<Acknowledged> all;
  Random random(seed);
  int ended_otherwise = 0;
  std::uint64_t most_microseconds = 0;
  for (int kill_number = 0; kill_number < times; ++kill_number) {
    const auto started = std::chrono::steady_clock::now();
    const Annotator annotator = start_annotator(path);
    ASSERT_GT(annotator.process, 0);
    if (kill_number == 0) {
      Acknowledged first{};
      ASSERT_EQ(read(annotator.channel, &first, sizeof(first)),
                static_cast<ssize_t>(sizeof(first)));
      all.push_back(first);
      const auto taken = std::chrono::steady_clock::now() - started;
      most_microseconds =
          2 *
          static_cast<std::uint64_t>(
              std::chrono::duration_cast<std::chrono::microseconds>(taken).count()) /
          2;
    } else {
      usleep(static_cast<useconds_t>(random.below(most_microseconds)));
    }
    if (!kill_annotator(annotator, all)) ++ended_otherwise;
  }
  EXPECT_EQ(ended_otherwise, 0) << "a child ended by itself";

  const Study study = Study::open(path, Access::kLabel);
  const Ledger ledger = load_ledger(study);
  LabelSet acknowledged(static_cast<UserId>(users), static_cast<UserId>(users));
  std::set<std::int64_t> questions;
  for (const Acknowledged& done : all) {
    EXPECT_FALSE(acknowledged.answer(done.pair)) << "asked again: question " << done.question;
    acknowledged.add(done.pair, done.is_yes ? Label::kAnchor : Label::kNotAnchor);
    EXPECT_TRUE(questions.insert(done.question).second);
    const JournalEntry* const entry = ledger.entry(done.entry);
    ASSERT_NE(entry, nullptr) << "lost entry " << done.entry;
    EXPECT_EQ(entry->question, done.question);
    EXPECT_EQ(entry->reply, done.is_yes ? Reply::kYes : Reply::kNo);
    EXPECT_TRUE(ledger.is_in_force(*entry));
  }
  testing::Test::RecordProperty("acknowledged", static_cast<int>(all.size()));
  fmt::print("{} kills, {} answers acknowledged, {} in the journal\n", times, all.size(),
             ledger.counts().answers);
  EXPECT_GT(all.size(), static_cast<std::size_t>(times) / 10) << "hardly anything was answered";
}

// A new study every 50 kills, so that there is always something left to ask.
inline void kill_and_check(int times) {
  constexpr int kKillsPerStudy = 50;
  for (int done = 0; done < times; done += kKillsPerStudy)
    kill_in_one_study(std::min(kKillsPerStudy, times - done), static_cast<std::uint64_t>(done));
}

}  // namespace dalaup
