// What the paper says and what aup does: order of users, eq. 6 as probability, stopping, hold-out.
#include <gmock/gmock.h>
#include <zlib.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>
#include <tuple>

#include "context/context.h"
#include "embedding/pair_batches.h"
#include "methods/aup/inputs.h"
#include "methods/aup/training.h"
#include "methods/methods.h"
#include "support/planted_pair.h"

namespace dalaup {
namespace {

Settings quick(const std::string& preset, int epochs = 4) {
  Settings settings;
  settings.set("preset", preset);
  settings.set("embedding_dim", std::int64_t{8});
  settings.set("epochs", std::int64_t{epochs});
  settings.set("head_epochs", std::int64_t{3});
  return settings;
}

// Puts the checksum right after the content was changed.
void seal(std::string& bytes) {
  const std::size_t body = bytes.size() - sizeof(std::uint32_t);
  const auto sum =
      static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), body));
  std::memcpy(bytes.data() + body, &sum, sizeof(sum));
}

TEST(AupOrder, ShufflesTheCoordinatesOfEachNetworkUnlessAskedForTheFiles) {
  const Planted pair = planted_pair(40, 10);
  dalaup::Run run;
  AupParams params = aup_preset("paper");
  EXPECT_EQ(params.order, "shuffled");
  const UserOrders orders = draw_orders(params, pair.networks, run);
  EXPECT_NE(orders[0], orders[1]) << "drawn apart, or partners would still stand together";
  EXPECT_EQ(std::set<UserId>(orders[1].begin(), orders[1].end()).size(), 40U);
  const auto shuffled = make_inputs(params, pair.networks, orders, run);
  params.order = "file";
  const auto plain =
      make_inputs(params, pair.networks, draw_orders(params, pair.networks, run), run);
  EXPECT_EQ(plain[1], structural_context(pair.networks.b, {}, run));
  for (Eigen::Index user = 0; user < 40; ++user)
    for (std::size_t place = 0; place < 40; ++place)
      ASSERT_EQ(shuffled[1](user, static_cast<Eigen::Index>(place)),
                plain[1](user, static_cast<Eigen::Index>(orders[1][place])));
}

TEST(AupOrder, OnlyConvolutionsWiderThanOneReadIt) {
  const std::tuple<const char*, std::int64_t, bool> cases[] = {
      {"shuffled", 3, false}, {"file", 3, true}, {"file", 1, false}};
  for (const auto& [order, width, reads] : cases) {
    Settings settings = quick("official");
    settings.set("order", std::string(order));
    settings.set("kernel_width", width);
    EXPECT_EQ(make_aup(settings)->reads_file_order(), reads) << order << width;
  }
}

TEST(AupOrder, StaysWithTheModel) {
  const Planted pair = planted_pair(40, 20);
  const TemporaryFolder folder;
  dalaup::Run first({.seed = 5});
  const auto aligner = make_aup(quick("paper"));
  aligner->fit(pair.networks, pair.labels, first);
  save_model(folder / "m.dalaup", *aligner);
  const Model model = load_model(folder / "m.dalaup", all_methods());
  dalaup::Run other({.seed = 9});  // would draw another order
  model.aligner->refit(pair.labels, other);
  save_model(folder / "n.dalaup", *model.aligner);
  const ArchiveReader before(folder / "m.dalaup", "model", 1);
  const ArchiveReader after(folder / "n.dalaup", "model", 1);
  EXPECT_EQ(after.values<UserId>("aup.order_b"), before.values<UserId>("aup.order_b"));
}

// Models made before users were shuffled have neither an order nor the settings that came with it.
TEST(AupOrder, OfOlderModelsIsThatOfTheFiles) {
  const Planted pair = planted_pair(40, 20);
  const TemporaryFolder folder;
  Settings settings = quick("official");
  settings.set("order", std::string("file"));
  settings.set("probability", std::string("calibrated"));
  dalaup::Run run;
  const auto aligner = make_aup(settings);
  aligner->fit(pair.networks, pair.labels, run);
  ArchiveWriter entries;
  aligner->save(entries);
  std::string bytes = entries.to_bytes("model", 1);
  for (const char* name : {"aup.order_a", "aup.order_b", "aup.held_out"}) {
    const std::size_t place = bytes.find(name);
    ASSERT_NE(place, std::string::npos);
    bytes[place] = 'x';  // under a name that nobody looks for
  }
  seal(bytes);
  const ArchiveReader old(bytes, "old model", "model", 1);
  const auto loaded = make_aup(quick("official"));  // knows nothing of order or probability
  loaded->load(old, pair.networks, pair.labels);
  EXPECT_TRUE(loaded->reads_file_order());
  EXPECT_DOUBLE_EQ(loaded->probability({7, 3}), aligner->probability({7, 3}));
  loaded->refit(pair.labels, run);
  EXPECT_TRUE(loaded->reads_file_order());
}

TEST(AupContexts, MayBeDividedByTheStepsSoThatASigmoidCanRebuildThem) {
  const Planted pair = planted_pair(40, 10);
  dalaup::Run run;
  AupParams params = aup_preset("paper");
  params.order = "file";
  const auto sums = make_inputs(params, pair.networks, {}, run);
  EXPECT_GE(sums[0].diagonal().minCoeff(), 1.799F) << "own entries are at least S c";
  params.contexts = "mean";
  const auto means = make_inputs(params, pair.networks, {}, run);
  EXPECT_LE(means[0].maxCoeff(), 1.0001F);
  EXPECT_NEAR(means[0](3, 3), sums[0](3, 3) / 3.0F, 1e-6);
}

TEST(AupProbability, IsTheSoftmaxOfTheClassifierByThePaperAndWhereAskedFor) {
  const Planted pair = planted_pair(50, 30);
  for (const char* preset : {"paper", "official"}) {
    Settings settings = quick(preset);
    if (std::string_view(preset) == "official")
      settings.set("probability", std::string("classifier"));
    dalaup::Run run;
    const auto by_cosine = make_aup(settings);
    by_cosine->fit(pair.networks, pair.labels, run);
    settings.set("score", std::string("classifier"));
    const auto by_classifier = make_aup(settings);
    by_classifier->fit(pair.networks, pair.labels, run);
    std::vector<float> row(50);
    by_cosine->probability_row(Side::kA, 7, row);
    for (const UserId b : {3, 17, 44}) {
      const double logit = by_classifier->score({7, b});
      EXPECT_NEAR(by_cosine->probability({7, b}), 1.0 / (1.0 + std::exp(-logit)), 1e-6) << preset;
      EXPECT_NEAR(row[b], by_cosine->probability({7, b}), 1e-6);
    }
    EXPECT_EQ(by_cosine->pair_features({7, 3}).size(), 16U) << "both representations";
    settings = quick(preset);
    settings.set("probability", std::string("calibrated"));
    const auto calibrated = make_aup(settings);
    calibrated->fit(pair.networks, pair.labels, run);
    EXPECT_NE(calibrated->probability({7, 3}), by_cosine->probability({7, 3}));
  }
}

TEST(AupStopping, ThePresetsStopOnTheTrainingLossAndHoldNothingOut) {
  for (const char* preset : {"paper", "official"})
    EXPECT_EQ(aup_preset(preset).validation_share, 0.0) << preset;
}

TEST(AupStopping, NeverKeepsTheUntrainedNetwork) {
  const Planted pair = planted_pair(50, 30);
  dalaup::Run run;
  AupParams params = aup_preset("paper");
  params.embedding_dim = 8;
  params.learning_rate = 1e-9;  // nothing it learns beats the start
  params.validation_every = 2;
  params.patience = 4;
  const auto inputs = make_inputs(params, pair.networks, {}, run);
  AupNetwork network = make_network(params, {50, 50}, 1, run);
  const auto anchors = pair.labels.anchors();
  const TrainingJob job{.params = params,
                        .inputs = inputs,
                        .labels = pair.labels,
                        .anchors = {anchors.begin(), anchors.end() - 10},
                        .validation = {anchors.end() - 10, anchors.end()},
                        .epochs = 12};
  EXPECT_GT(train_network(network, job, run).kept_epochs, 0);
}

// A refit that began anew at the highest learning rate and stopped soon would end there.
TEST(AupRefit, GoesThroughTheWholeScheduleOfTheLearningRateInFewerEpochs) {
  const Planted pair = planted_pair(50, 30);
  const TemporaryFolder folder;
  Settings settings = quick("official", 40);
  settings.set("refit_epochs", std::int64_t{8});
  settings.set("loss_curve", folder / "curve.csv");
  dalaup::Run run;
  const auto rates = [&] {
    std::vector<double> column;
    std::istringstream lines(content_of(folder / "curve.csv"));
    std::string line;
    std::getline(lines, line);  // the heading
    while (std::getline(lines, line)) {
      const auto begin = line.rfind(',', line.rfind(',') - 1) + 1;
      column.push_back(std::strtod(line.c_str() + begin, nullptr));
    }
    return column;
  };
  const auto aligner = make_aup(settings);
  aligner->fit(pair.networks, pair.labels, run);
  const auto fit = rates();
  ASSERT_EQ(fit.size(), 40U);
  aligner->refit(pair.labels, run);
  const auto refit = rates();
  ASSERT_EQ(refit.size(), 8U);
  EXPECT_DOUBLE_EQ(refit.front(), fit.front());
  EXPECT_DOUBLE_EQ(refit.back(), fit.back());
  settings.set("patience", std::int64_t{2});  // the loss need not fall while the rate is high
  settings.set("tolerance", 0.9);
  const auto impatient = make_aup(settings);
  impatient->fit(pair.networks, pair.labels, run);
  EXPECT_LT(rates().size(), 40U);
  impatient->refit(pair.labels, run);
  EXPECT_EQ(rates().size(), 8U);
}

TEST(AupHoldOut, IsKeptByRefitsAndGrowsOnlyByNewAnchors) {
  const Planted pair = planted_pair(60, 30);
  const TemporaryFolder folder;
  Settings settings = quick("official");
  settings.set("validation_share", 0.3);
  dalaup::Run run;
  const auto aligner = make_aup(settings);
  aligner->fit(pair.networks, pair.labels, run);
  const auto held_out = [&] {
    save_model(folder / "m.dalaup", *aligner);
    const auto pairs =
        ArchiveReader(folder / "m.dalaup", "model", 1).values<UserPair>("aup.held_out");
    return std::set<UserPair>(pairs.begin(), pairs.end());
  };
  const auto before = held_out();
  ASSERT_EQ(before.size(), 9U);
  LabelSet more = pair.labels;
  for (std::size_t i = 30; i < 50; ++i) more.add(pair.truth[i], Label::kAnchor);
  aligner->refit(more, run);
  const auto after = held_out();
  EXPECT_EQ(after.size(), 15U);
  EXPECT_TRUE(std::ranges::includes(after, before));
  for (const UserPair& anchor : after)
    EXPECT_TRUE(before.contains(anchor) || !pair.labels.answer(anchor)) << "was trained on";
}

TEST(EpochPairs, SpreadsAnswersNoAndTakesNoMoreThanDrawnNegatives) {
  LabelSet labels(100, 100);
  for (UserId user = 0; user < 10; ++user) labels.add({user, user}, Label::kAnchor);
  for (UserId user = 10; user < 90; ++user) labels.add({user, user + 1}, Label::kNotAnchor);
  dalaup::Run run;
  const auto answers_in = [&](int epoch) {
    const auto pairs =
        epoch_pairs({.negatives_per_anchor = 2}, labels.anchors(), labels, epoch, run);
    std::set<UserPair> answers;
    std::size_t in_first_half = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (labels.is_negative(pairs[i].pair)) {
        EXPECT_FALSE(pairs[i].is_anchor);
        answers.insert(pairs[i].pair);
        in_first_half += i < pairs.size() / 2 ? 1 : 0;
      }
    EXPECT_EQ(pairs.size(), 10U * 3U + 20U);
    EXPECT_EQ(answers.size(), 20U);
    EXPECT_NEAR(static_cast<double>(in_first_half), 10.0, 1.0);
    return answers;
  };
  EXPECT_NE(answers_in(0), answers_in(1)) << "others in the next epoch";
}

}  // namespace
}  // namespace dalaup
