#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "support/support.h"

namespace dalaup {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(TwoNetworks, AreReadAsOneAfterTheOtherAtAnyThreadCount) {
  const TemporaryFolder folder;
  const std::string a = folder / "a.edges";
  const std::string b = folder / "b.edges";
  write_file(a, "ann bob\nann ann\nbob cid\n");
  write_file(b, "x y\ny x\n");
  for (const int threads : {1, 2, 3}) {
    std::vector<std::string> heard;
    dalaup::Run run({.threads = threads,
                     .on_warning = [&](const std::string& words) { heard.push_back(words); }});
    const NetworkPair pair = read_networks(
        a, b, {}, run, [&](Side side, const Network& network, const std::string& understood) {
          heard.push_back(fmt::format("{} {} {}", name_of(side), network.user_count(), understood));
        });
    EXPECT_EQ(pair.a.user_count(), 3U);
    EXPECT_EQ(pair.a.name(2), "cid");
    EXPECT_EQ(pair.b.user_count(), 2U);
    EXPECT_EQ(pair.b.name(0), "x");
    EXPECT_THAT(heard, ElementsAre(a + ": 1 self-loop dropped",
                                   "A 3 separated by spaces, no header, columns 1, 2",
                                   b + ": 1 duplicate edge dropped",
                                   "B 2 separated by spaces, no header, columns 1, 2"));
  }
}

TEST(TwoNetworks, TheFaultOfAIsToldFirstAndThatOfBAfterTheWarningsOfA) {
  const TemporaryFolder folder;
  const std::string good = folder / "good.edges";
  const std::string bad = folder / "bad.edges";
  const std::string worse = folder / "worse.edges";
  write_file(good, "ann ann\nann bob\n");
  write_file(bad, "ann bob\nann bob cid dan eve\n");
  write_file(worse, "");
  for (const int threads : {1, 2}) {
    std::vector<std::string> warnings;
    dalaup::Run run({.threads = threads,
                     .on_warning = [&](const std::string& words) { warnings.push_back(words); }});
    const auto error_of = [&](const std::string& a, const std::string& b) -> std::string {
      try {
        read_networks(a, b, {}, run);
      } catch (const InputError& error) {
        return error.what();
      }
      return "no error";
    };
    for (int again = 0; again < 20; ++again)
      EXPECT_THAT(error_of(bad, worse), testing::StartsWith(bad));
    EXPECT_THAT(warnings, IsEmpty());
    EXPECT_THAT(error_of(good, bad), testing::StartsWith(bad + ":2"));
    EXPECT_THAT(warnings, ElementsAre(good + ": 1 self-loop dropped"));
  }
}

TEST(TwoNetworks, AFaultOfAIsToldThoughBHasNoEnd) {
  const TemporaryFolder folder;
  const std::string bad = folder / "bad.edges";
  const std::string endless = folder / "endless.edges";
  write_file(bad, "ann bob\nann bob cid dan eve\n");
  ASSERT_EQ(mkfifo(endless.c_str(), 0600), 0);
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  std::thread writer([&] {
    std::ofstream pipe(endless);
    while (pipe << "ann bob\n") continue;
  });
  dalaup::Run run({.threads = 2});
  EXPECT_THROW(read_networks(bad, endless, {}, run), InputError);
  writer.join();
  std::signal(SIGPIPE, before);
}

}  // namespace
}  // namespace dalaup
