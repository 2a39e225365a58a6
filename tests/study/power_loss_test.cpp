#include "study/power_loss_support.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include "study/study_support.h"

// The power goes at any moment while people answer: every answer that was acknowledged before is
// there, and the study is sound.
namespace dalaup {
namespace {

struct Acknowledgement {
  std::int64_t entry = 0;
  std::int64_t question = 0;
  std::size_t moment = 0;  // at which it had been given
};

class PowerLoss : public testing::Test {
 protected:
  void SetUp() override { record({"ann", "bob"}, 15, 7, {}); }

  void record(const std::vector<std::string>& people, int answers_each, int batch_size,
              std::chrono::milliseconds sync_takes) {
    {
      Study study = Study::create(path_, twin_rings(60), {}, {}, {});
      LineReader known(bytes_of("a0\tb0\na20\tb20\na40\tb40\n"), "known");
      import_labels(study, known, "import");
    }
    disk_.emplace(RecordedDisk::Images{{path_, content_of(path_)}}, sync_takes);
    {
      Study study = Study::open(path_, Access::kLabel);
      LabellingSession session(study, common_contacts(), {.params = {.batch_size = batch_size}});
      std::vector<std::jthread> answering;
      for (const std::string& name : people)
        answering.emplace_back([&, name] { answer(session, study, name, answers_each); });
    }
    disk_->stop();
  }

  // With undos, and with the log moved into the file now and then.
  void answer(LabellingSession& session, Study& study, const std::string& name, int count) {
    for (int number = 0; number < count; ++number) {
      const Next next = wait_for_question(session, name);
      if (!next.question) return;
      acknowledge(answer_truly(session, name, *next.question));
      if (undoes_ && number % 5 == 4) acknowledge(session.undo(name));
      if (number % 4 == 3) study.tidy();
    }
  }
  void acknowledge(const Outcome& outcome) {
    const std::size_t moment = disk_->moment();
    const std::lock_guard lock(mutex_);
    if (outcome.is_taken) acknowledged_.push_back({outcome.entry, outcome.question, moment});
  }

  // How many acknowledged answers are not there; all of them when the study cannot be opened.
  std::size_t lost(const RecordedDisk::Images& images, std::size_t moment, std::string& problem) {
    const TemporaryFolder folder;
    const std::string path = folder / "s.study";
    for (const auto& [name, content] : images)
      std::ofstream(path + name.substr(path_.size()), std::ios::binary) << content;
    std::vector<JournalEntry> journal;
    try {
      const Study study = Study::open(path, Access::kLabel);
      study.check();
      journal = study.journal();
    } catch (const InputError& error) {
      problem = error.what();
    }
    return static_cast<std::size_t>(
        std::ranges::count_if(acknowledged_, [&](const Acknowledgement& one) {
          return one.moment <= moment &&
                 (one.entry > static_cast<std::int64_t>(journal.size()) ||
                  journal[static_cast<std::size_t>(one.entry - 1)].question != one.question);
        }));
  }

  bool undoes_ = true;
  TemporaryFolder folder_;
  std::string path_ = folder_ / "s.study";
  std::optional<RecordedDisk> disk_;
  std::mutex mutex_;
  std::vector<Acknowledgement> acknowledged_;
};

TEST_F(PowerLoss, LosesNoAcknowledgedAnswer) {
  ASSERT_GT(acknowledged_.size(), 20U);
  Random random(from_environment("DALAUP_SEED", 1));
  const auto losses = from_environment("DALAUP_POWER_LOSSES", 150);
  for (std::uint64_t loss = 0; loss < losses; ++loss) {
    const std::size_t moment = random.below(disk_->moment() + 1);
    const double chance = std::array{0.0, 0.5, 0.9, 1.0}[random.below(4)];
    std::string problem;
    EXPECT_EQ(lost(disk_->after_power_loss(moment, chance, Random(random.below(1U << 30))), moment,
                   problem),
              0U)
        << "moment " << moment << " of " << disk_->moment() << ", chance " << chance << problem;
    EXPECT_EQ(problem, "") << "moment " << moment << ", chance " << chance;
  }
}

// Three people answer on a slow disk, so that fits begin and end while answers wait to be written:
// what a fit leaves on disk never speaks of answers that are not there.
class PowerLossOnASlowDisk : public PowerLoss {
 protected:
  void SetUp() override {
    undoes_ = false;  // so that a round has as many answers as the journal had
    record({"ann", "bob", "cleo"}, 12, 2, std::chrono::milliseconds(20));
  }
};

TEST_F(PowerLossOnASlowDisk, RoundsAndModelsComeAfterTheirAnswers) {
  for (std::size_t moment = 0; moment <= disk_->moment(); ++moment) {
    std::string problem;
    EXPECT_EQ(lost(disk_->after_power_loss(moment, 0.0, Random(1)), moment, problem), 0U);
    ASSERT_EQ(problem, "") << "moment " << moment << " of " << disk_->moment();
  }
}

// The same on a disk that does not keep what it said it had: the test sees what is lost.
TEST_F(PowerLoss, OfADiskThatLiesIsSeen) {
  Random random(1);
  std::size_t seen = 0;
  for (int loss = 0; loss < 20; ++loss) {
    const std::size_t moment = disk_->moment() / 2 + random.below(disk_->moment() / 2);
    std::string problem;
    seen += lost(disk_->after_power_loss(moment, 0.5, Random(random.below(1U << 30)), false),
                 moment, problem);
  }
  EXPECT_GT(seen, 0U);
}

}  // namespace
}  // namespace dalaup
