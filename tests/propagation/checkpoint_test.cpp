#include <gmock/gmock.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "communicator/communicator.h"
#include "propagation/example.h"

// A fit that dies and goes on: --checkpoint.
namespace dalaup {
namespace {

using testing::HasSubstr;

// One rank whose process ends, as it were, at some call while a checkpoint is written.
class MortalRank final : public Communicator {
 public:
  explicit MortalRank(int calls) : left_(calls) {}
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string host() const override { return "here"; }
  void barrier() override {}
  void broadcast(int, std::span<std::byte>) override {}
  void allreduce(std::span<std::uint64_t>) override {
    if (left_-- <= 0) throw RankFailed();
  }
  void allgatherv(std::span<std::byte>, std::span<const std::size_t>) override {}
  void alltoallv(std::span<const std::byte> sent, std::span<const std::size_t>,
                 std::span<std::byte> received, std::span<const std::size_t>) override {
    std::ranges::copy(sent, received.begin());
  }
  void give_up() noexcept override {}
  RankOutcome conclude(RankOutcome own) override { return own; }

 private:
  std::atomic<int> left_;
};

std::string fitted(const Example& example, const PropagationParams& params,
                   Communicator* communicator = nullptr, int threads = 1) {
  dalaup::Run run({.threads = threads, .communicator = communicator});
  const auto aligner = make_propagation(params);
  aligner->fit(example.networks, example.labels, run);
  return model_bytes(*aligner);
}

// Dies after ever more work, each time from nothing, and goes on to the end. Returns how often.
int expect_same_after_deaths(const Example& example, PropagationParams params, int step) {
  const TemporaryFolder folder;
  const std::string whole = fitted(example, params);
  params.checkpoint = folder / "checkpoint";
  int deaths = 0;
  for (int calls = 1;; calls += step) {
    std::filesystem::remove(params.checkpoint);
    MortalRank mortal(calls);
    try {
      EXPECT_EQ(fitted(example, params, &mortal), whole);
      return deaths;
    } catch (const RankFailed&) {
      ++deaths;
    }
    EXPECT_TRUE(fitted(example, params, nullptr, 1 + deaths % 3) == whole) << calls << " calls";
  }
}

Example example_with_answers() {
  Example example = small_society();
  example.labels.add({example.truth[1].a, example.truth[2].b}, Label::kNotAnchor);
  return example;
}

TEST(Checkpoint, AFitThatDiesAtAnyRoundGivesTheSameModel) {
  EXPECT_GT(expect_same_after_deaths(example_with_answers(), {.consensus = "no"}, 127), 3);
}

TEST(Checkpoint, SoDoesAFitThatGoesOnFromTheMatchingOfASingleFold) {
  EXPECT_GT(expect_same_after_deaths(example_with_answers(),
                                     {.consensus = "no", .calibration_labels = 11}, 17),
            3);
}

TEST(Checkpoint, SoDoesAConsensusThatTrainsItself) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "many fits; one that dies at any round is tried with sanitizers as well";
#endif
  const Example example = generated_example({.users_a = 400,
                                             .users_b = 380,
                                             .anchors = 320,
                                             .edges_a = 2400,
                                             .edges_b = 2600,
                                             .overlap = 0.8},
                                            2);
  const PropagationParams params{
      .iterations = 8, .consensus = "yes", .calibration_folds = 2, .self_training = "yes"};
  EXPECT_THAT(fitted(example, params), testing::HasSubstr("propagation.second_model"));
  EXPECT_GT(expect_same_after_deaths(example, params, 307), 2);
}

TEST(Checkpoint, SoDoesAConsensusAndTheChoiceOfOne) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "many fits; one that dies at any round is tried with sanitizers as well";
#endif
  EXPECT_GT(expect_same_after_deaths(small_society(), {.iterations = 5, .consensus = "yes"}, 211),
            2);
  EXPECT_GT(expect_same_after_deaths(small_society(), {.iterations = 4}, 409), 1);
}

TEST(Checkpoint, SoDoesOneWithAttributes) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "many fits; one that dies at any round is tried with sanitizers as well";
#endif
  Example example = generated_example({.users_a = 300,
                                       .users_b = 280,
                                       .anchors = 220,
                                       .edges_a = 1800,
                                       .edges_b = 1700,
                                       .overlap = 0.7,
                                       .attributes = true},
                                      10);
  EXPECT_GT(expect_same_after_deaths(example, {.iterations = 6, .consensus = "no"}, 41), 2);
  example.labels = LabelSet(300, 280);  // attributes alone
  EXPECT_GT(expect_same_after_deaths(example, {.iterations = 6, .consensus = "no"}, 8), 1);
}

TEST(Checkpoint, IsNotNamedInTheModel) {
  const TemporaryFolder folder;
  const Example example = small_society();
  EXPECT_TRUE(fitted(example, {.iterations = 2}) ==
              fitted(example, {.iterations = 2, .checkpoint = folder / "checkpoint"}));
}

// The file after a fit that died half way.
class LeftCheckpoint : public testing::Test {
 protected:
  LeftCheckpoint() : example_(small_society()), path_(folder_ / "left") {
    MortalRank mortal(40);
    params_.checkpoint = path_;
    EXPECT_THROW(fitted(example_, params_, &mortal), RankFailed);
    content_ = content_of(path_);
  }

  std::string refusal(const Example& example, const PropagationParams& params,
                      std::uint64_t seed = 1) {
    dalaup::Run run({.seed = seed});
    try {
      make_propagation(params)->fit(example.networks, example.labels, run);
    } catch (const InputError& error) {
      EXPECT_EQ(content_of(path_), content_);
      return std::string(error.what()) + "; " + error.hint();
    }
    return "no error";
  }

  // Replaces the first number of an entry; the checksum fits again.
  template <class T>
  std::string refusal_with(const std::string& entry, T value) {
    std::string bytes = content_;
    const std::size_t place = bytes.find(entry);
    EXPECT_NE(place, std::string::npos);
    std::memcpy(bytes.data() + place + entry.size(), &value, sizeof(value));
    std::uint32_t sum = ~std::uint32_t{0};
    for (std::size_t i = 0; i + sizeof(sum) < bytes.size(); ++i) {
      sum ^= static_cast<unsigned char>(bytes[i]);
      for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1U) ^ (0xedb88320U & (~(sum & 1U) + 1U));
    }
    sum = ~sum;
    std::memcpy(bytes.data() + bytes.size() - sizeof(sum), &sum, sizeof(sum));
    std::ofstream(path_, std::ios::binary) << bytes;
    std::swap(bytes, content_);
    const std::string told = refusal(example_, params_);
    std::swap(bytes, content_);
    return told;
  }

  const TemporaryFolder folder_;
  Example example_;
  PropagationParams params_{.consensus = "no"};
  std::string path_;
  std::string content_;
};

TEST_F(LeftCheckpoint, OfAnotherFitIsRefused) {
  const auto words = [](const std::string& what) {
    return HasSubstr("found a checkpoint of a training with other " + what + ", expected the " +
                     what +
                     " of this one; give the inputs and settings it was begun with, remove "
                     "the file to begin anew, or name another one with --checkpoint");
  };
  PropagationParams other = params_;
  other.iterations = 5;
  EXPECT_THAT(refusal(example_, other), words("settings"));
  EXPECT_THAT(refusal(example_, params_, 2), words("seed"));
  Example more = example_;
  more.labels.add(more.tests[0], Label::kAnchor);
  EXPECT_THAT(refusal(more, params_), words("labels"));
  more = example_;
  more.networks.a = more.networks.b;
  more.labels = LabelSet(more.networks.a.user_count(), more.networks.b.user_count());
  for (UserId user = 0; user < 50; ++user) more.labels.add({user, user}, Label::kAnchor);
  EXPECT_THAT(refusal(more, params_), words("networks"));
}

TEST_F(LeftCheckpoint, ThatIsDamagedIsRefused) {
  EXPECT_THAT(refusal_with("fold 0.weakest", std::nanf("")), HasSubstr("found nan in"));
  EXPECT_THAT(refusal_with("fold 0.weakest", -1.0F), HasSubstr("found -1 in"));
  EXPECT_THAT(refusal_with("fold 0.partners", UserId{5000}), HasSubstr("found 5000 in"));
  EXPECT_THAT(refusal_with("fold 0.round", std::int64_t{-1}), HasSubstr("expected 0 to 16"));
  EXPECT_THAT(refusal_with("fold 0.calm_rounds", std::int64_t{7}), HasSubstr("expected 0 to 2"));
  EXPECT_THAT(refusal_with("fold 0.matchings", std::int64_t{1} << 40), HasSubstr("expected 0 to"));
  EXPECT_THAT(refusal_with("fold 0.matchings.0.counts", std::uint32_t{900}), HasSubstr("rows of"));
  EXPECT_THAT(refusal_with("fold 0.matchings.0.pairs", UserId{280}), HasSubstr("a user below 280"));
  std::ofstream(path_, std::ios::binary) << content_.substr(0, content_.size() / 2);
  content_ = content_of(path_);
  EXPECT_THAT(refusal(example_, params_), HasSubstr("truncated or damaged"));
  std::ofstream(path_) << "notes\n";
  content_ = content_of(path_);
  EXPECT_THAT(refusal(example_, params_), HasSubstr("a file of another program"));
}

}  // namespace
}  // namespace dalaup
