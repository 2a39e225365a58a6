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

constexpr int kMostAnswers = 5;  // of one child: the questions must not run out

[[noreturn]] inline void answer_until_killed(const std::string& path, int channel) {
  Study study = Study::open(path, Access::kLabel);
  LabellingSession session(study, common_contacts(),
                           {.params = {.batch_size = 7, .questions = "pair"}});
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
class Annotator {
 public:
  explicit Annotator(const std::string& path) : started_(Clock::now()) {
    int channel[2];
    if (pipe(channel) != 0) return;
    process_ = fork();
    if (process_ == 0) {
      close(channel[0]);
      answer_until_killed(path, channel[1]);
    }
    close(channel[1]);
    channel_ = channel[0];
  }
  // Waits for one more acknowledged answer; false when the child has ended.
  bool wait(std::vector<Acknowledged>& all) {
    Acknowledged done{};
    if (read(channel_, &done, sizeof(done)) != sizeof(done)) return false;
    all.push_back(done);
    return true;
  }
  // Takes what it had told until then; false when it had ended by itself.
  bool kill_now(std::vector<Acknowledged>& all) {
    kill(process_, SIGKILL);
    while (wait(all)) {
    }
    close(channel_);
    int status = 0;
    waitpid(process_, &status, 0);
    return WIFSIGNALED(status);
  }
  std::uint64_t microseconds() const {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - started_).count());
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point started_;
  pid_t process_ = -1;
  int channel_ = -1;
};

inline void make_study_to_kill(const std::string& path, int users) {
  Study study = Study::create(path, twin_rings(users), {}, {}, {});
  std::string known;
  for (int user = 0; user < 10; ++user) known += fmt::format("a{0}\tb{0}\n", user * users / 10);
  LineReader lines(bytes_of(known), "known");
  import_labels(study, lines, "import");
}

// No acknowledged answer may be missing from the journal, and nothing may have been asked that was
// settled before.
inline void check_journal(const std::string& path, const std::vector<Acknowledged>& all) {
  const Study study = Study::open(path, Access::kLabel);
  const Ledger ledger = load_ledger(study);
  for (const Acknowledged& done : all) {
    const JournalEntry* const entry = ledger.entry(done.entry);
    ASSERT_NE(entry, nullptr) << "lost entry " << done.entry;
    EXPECT_EQ(entry->question, done.question);
    EXPECT_EQ(entry->reply, done.is_yes ? Reply::kYes : Reply::kNo);
    EXPECT_TRUE(ledger.is_in_force(*entry));
  }
  LabelSet settled(study.networks().a.user_count(), study.networks().b.user_count());
  for (const JournalEntry& entry : ledger.entries()) {
    UserPair pair = entry.pair;
    if (entry.question != 0) {
      pair = ledger.question(entry.question)->question.pair();
      EXPECT_FALSE(settled.answer(pair)) << "asked again: entry " << entry.id;
    }
    settled.add(pair, entry.reply == Reply::kYes ? Label::kAnchor : Label::kNotAnchor);
  }
}

// Kills `times` children, each at a random moment while it opens the study, before its first answer
// or between two of the next ones.
inline std::size_t kill_in_one_study(int times, std::uint64_t seed) {
  const TemporaryFolder folder;
  const std::string path = folder / "s.study";
  make_study_to_kill(path, 300);
  std::vector<Acknowledged> all;
  Random random(seed);
  std::uint64_t to_first_answer = 20000;  // microseconds on this machine, as last measured
  int ended_otherwise = 0;
  for (int number = 0; number < times; ++number) {
    Annotator annotator(path);
    const std::uint64_t waits_for = random.below(kMostAnswers);
    std::uint64_t told = 0;
    while (told < waits_for && annotator.wait(all)) {
      if (++told == 1) to_first_answer = annotator.microseconds();
    }
    const std::uint64_t longest = told == 0 ? to_first_answer : to_first_answer / 4;
    usleep(static_cast<useconds_t>(random.below(std::max<std::uint64_t>(longest, 1000))));
    if (!annotator.kill_now(all)) ++ended_otherwise;
  }
  EXPECT_EQ(ended_otherwise, 0) << "a child ended by itself";
  EXPECT_GT(all.size(), static_cast<std::size_t>(times)) << "hardly anything was answered";
  check_journal(path, all);
  return all.size();
}

// A new study every 50 kills, so that there is always something left to ask.
inline void kill_and_check(int times) {
  constexpr int kKillsPerStudy = 50;
  std::size_t acknowledged = 0;
  for (int done = 0; done < times; done += kKillsPerStudy)
    acknowledged +=
        kill_in_one_study(std::min(kKillsPerStudy, times - done),
                          static_cast<std::uint64_t>(done) + from_environment("DALAUP_SEED", 0));
  fmt::print("{} kills, {} answers acknowledged and none lost\n", times, acknowledged);
}

}  // namespace dalaup
