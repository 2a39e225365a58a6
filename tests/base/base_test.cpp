#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include "support/support.h"

namespace dalaup {
namespace {

using testing::ElementsAre;

std::vector<std::string> files_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.push_back(entry.path().filename());
  return names;
}

TEST(AtomicFile, LeavesNothingWithoutCommitAndReplacesWithIt) {
  const TemporaryFolder folder;
  write_file(folder / "x", "old");
  { AtomicFile(folder / "x").write("half"); }
  EXPECT_EQ(content_of(folder / "x"), "old");
  write_file(folder / "x", std::string(200'000, 'n'));
  EXPECT_EQ(content_of(folder / "x").size(), 200'000U);
  EXPECT_THAT(files_in(folder), ElementsAre("x"));
}

TEST(AtomicFile, RefusesAMissingFolderAndAFolderAsFile) {
  const TemporaryFolder folder;
  EXPECT_THROW(AtomicFile(folder / "none/x"), InputError);
  EXPECT_THROW(AtomicFile{folder.path()}, InputError);
}

// A process that is gone left one, this one is writing the other; the third is somebody's file.
TEST(AtomicFile, RemovesWhatKilledWritersLeft) {
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  const std::string stale = folder / fmt::format("x.{}-0.tmp", child);
  const std::string own = folder / fmt::format("x.{}-7.tmp", getpid());
  const std::string other = folder / fmt::format("x.notes-{}.tmp", child);
  for (const std::string& path : {stale, own, other}) std::ofstream(path) << "half";
  write_file(folder / "x", "whole");
  EXPECT_EQ(content_of(folder / "x"), "whole");
  EXPECT_FALSE(file_exists(stale));
  EXPECT_TRUE(file_exists(own));
  EXPECT_TRUE(file_exists(other));
}

TEST(AtomicFile, WritesADeviceInsteadOfReplacingIt) {
  write_file("/dev/null", "gone");
  struct stat about {};
  ASSERT_EQ(stat("/dev/null", &about), 0);
  EXPECT_TRUE(S_ISCHR(about.st_mode));
}

TEST(AtomicFile, KeepsALinkAndReplacesWhatItPointsTo) {
  const TemporaryFolder folder;
  write_file(folder / "real", "old");
  std::filesystem::create_symlink(folder / "real", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(content_of(folder / "real"), "new");
}

std::vector<std::string> lines_of(std::string_view content) {
  LineReader reader(bytes_of(content), "x");
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

TEST(LineReader, TakesEveryLineEndAndALastLineWithoutOne) {
  EXPECT_THAT(lines_of("a\r\n\nb\nc"), ElementsAre("a", "", "b", "c"));
  EXPECT_TRUE(lines_of("").empty());
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
}

TEST(LineReader, LinesAcrossBuffersStayWhole) {
  std::string content;
  std::vector<std::string> expected;
  for (int i = 0; i < 3000; ++i) {
    expected.push_back(std::string(static_cast<std::size_t>(i % 200), 'x') + std::to_string(i));
    content += expected.back() + "\n";
  }
  EXPECT_EQ(lines_of(content), expected);
}

TEST(Archive, ComesBackAndRefusesTruncationAtEveryByteAndEveryFlippedBit) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.dalaup";
  const std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  const auto put_all = [&](ArchiveWriter& writer) {
    writer.put("text", "words");
    writer.put("number", 2.5);
    writer.put_strings("names", std::vector<std::string>{"a", "", "bc"});
    writer.put("nothing", std::vector<float>());
    writer.put_table("table", 2, 3, numbers);
  };
  {
    ArchiveWriter unfinished(path, "model", 1);
    put_all(unfinished);
  }
  EXPECT_FALSE(file_exists(path));
  ArchiveWriter writer(path, "model", 1);
  put_all(writer);
  writer.commit();
  ArchiveWriter in_memory;
  put_all(in_memory);
  EXPECT_EQ(content_of(path), in_memory.to_bytes("model", 1));
  {
    const ArchiveReader reader(path, "model", 1);
    EXPECT_EQ(reader.text("text"), "words");
    EXPECT_EQ(reader.number("number"), 2.5);
    EXPECT_THAT(reader.strings("names"), ElementsAre("a", "", "bc"));
    EXPECT_EQ(reader.table("table").rows, 2);
    EXPECT_EQ(reader.values<float>("table"), numbers);
    EXPECT_THROW(reader.number("text"), InputError);
    EXPECT_THROW(reader.text("absent"), InputError);
  }
  const std::string whole = content_of(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, size);
    EXPECT_THROW(ArchiveReader(path, "model", 1), InputError) << size;
  }
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    std::ofstream(path, std::ios::binary) << flipped;
    EXPECT_THROW(ArchiveReader(path, "model", 1), InputError) << bit;
  }
}

class ArchiveInParts : public testing::Test {
 protected:
  ArchiveInParts() {
    for (std::uint32_t i = 0; i < 60'000; ++i) many_.push_back(i * i);
    ArchiveWriter writer(path_, "model", 1);
    writer.put("text", "words");
    writer.put("number", 2.5);
    writer.put("whole", std::int64_t{7});
    writer.put("nothing", std::vector<float>());
    writer.put("many", many_);
    writer.put("last", "end");
    writer.commit();
    whole_ = content_of(path_);
  }
  void write(const std::string& content) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << content;
  }
  // Everything that can be asked for is as it was put or refused.
  void expect_right_or_refused() {
    const auto file = ArchiveFile::open(path_, "model", 1);
    if (file == nullptr) return;
    try {
      EXPECT_EQ(file->text("text"), "words");
      EXPECT_EQ(file->text("last"), "end");
      EXPECT_TRUE(file->values<std::uint32_t>("many") == many_);
    } catch (const InputError&) {
    }
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "x.dalaup";
  std::vector<std::uint32_t> many_;
  std::string whole_;
};

TEST_F(ArchiveInParts, HasWhatWasPut) {
  const auto file = ArchiveFile::open(path_, "model", 1);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->text("text"), "words");
  EXPECT_EQ(file->number("number"), 2.5);
  EXPECT_EQ(file->whole_number("whole"), 7);
  EXPECT_TRUE(file->values<float>("nothing").empty());
  EXPECT_EQ(file->count<std::uint32_t>("many"), many_.size());
  EXPECT_TRUE(file->values<std::uint32_t>("many") == many_);
  EXPECT_THAT(file->values<std::uint32_t>("many", 59'998, 2),
              ElementsAre(many_[59'998], many_[59'999]));
  EXPECT_THAT(file->values<std::uint32_t>("many", 16'370, 30),  // over the end of a block
              testing::ElementsAreArray(many_.begin() + 16'370, many_.begin() + 16'400));
  EXPECT_FALSE(file->has(".blocks"));
  EXPECT_THROW(file->values<std::uint32_t>("many", 59'999, 2), InputError);
  EXPECT_THROW(file->values<std::uint32_t>("many", ~std::uint64_t{0}, 2), InputError);
  EXPECT_THROW(file->values<float>("absent"), InputError);
  EXPECT_THROW(file->values<double>("many"), InputError);
  EXPECT_EQ(ArchiveFile::open(path_, "study", 1), nullptr);
  EXPECT_EQ(ArchiveFile::open(path_, "model", 0), nullptr);
  EXPECT_EQ(ArchiveFile::open(folder_ / "none", "model", 1), nullptr);
  EXPECT_EQ(ArchiveFile::open(folder_.path(), "model", 1), nullptr);
}

TEST_F(ArchiveInParts, FindsDamageInWhatItReadsAndOnlyThere) {
  std::string damaged = whole_;
  damaged[damaged.size() / 2] ^= 1;
  write(damaged);
  const auto file = ArchiveFile::open(path_, "model", 1);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->text("text"), "words");
  EXPECT_THAT(file->values<std::uint32_t>("many", 0, 2), ElementsAre(0U, 1U));
  EXPECT_EQ(file->text("last"), "end");
  EXPECT_THROW(file->values<std::uint32_t>("many"), InputError);
  EXPECT_THROW(ArchiveReader(path_, "model", 1), InputError);
}

TEST_F(ArchiveInParts, NeverGivesWrongValues) {
  for (std::size_t size = 0; size < whole_.size(); size += size < 300 ? 1 : 997) {
    write(whole_.substr(0, size));
    EXPECT_EQ(ArchiveFile::open(path_, "model", 1), nullptr) << size;
  }
  const auto flip = [&](std::size_t place) {
    for (const int bit : {0, 3, 7}) {
      std::string flipped = whole_;
      flipped[place] = static_cast<char>(flipped[place] ^ (1 << bit));
      write(flipped);
      expect_right_or_refused();
    }
  };
  for (std::size_t place = 0; place < 200; ++place) flip(place);
  for (std::size_t place = 200; place < whole_.size() - 100; place += 4999) flip(place);
  for (std::size_t place = whole_.size() - 100; place < whole_.size(); ++place) flip(place);
}

TEST(Archive, AShapeWhoseProductOverflowsIsRefused) {
  const TemporaryFolder folder;
  ArchiveWriter writer(folder / "x", "model", 1);
  const std::int64_t shape[2] = {std::int64_t{1} << 32, std::int64_t{1} << 32};
  writer.put("m.shape", std::span<const std::int64_t>(shape));
  writer.put("m", std::span<const float>());
  writer.commit();
  EXPECT_THROW(ArchiveReader(folder / "x", "model", 1).table("m"), InputError);
}

TEST(Archive, ANewerOrOtherFileIsNamedAsSuch) {
  const TemporaryFolder folder;
  ArchiveWriter(folder / "x", "model", 2).commit();
  EXPECT_THROW(ArchiveReader(folder / "x", "model", 1), InputError);
  EXPECT_THROW(ArchiveReader(folder / "x", "study", 2), InputError);
}

TEST(Workers, EveryPieceRunsOnceAtAnyThreadCount) {
  for (const int threads : {1, 2, 5}) {
    Workers workers(threads);
    std::vector<int> visits(1003, 0);
    workers.for_pieces(visits.size(), 10, [&](const Piece& piece) {
      EXPECT_EQ(piece.begin % 10, 0U);
      for (std::size_t i = piece.begin; i < piece.end; ++i) ++visits[i];
    });
    EXPECT_TRUE(std::ranges::all_of(visits, [](int count) { return count == 1; }));
  }
}

TEST(Workers, AnExceptionComesBackAndTheCrewWorksOn) {
  Workers workers(3);
  EXPECT_THROW(workers.for_pieces(100, 1,
                                  [](const Piece& piece) {
                                    if (piece.begin == 50) throw StateError("stop");
                                  }),
               StateError);
  std::atomic<int> count{0};
  workers.for_pieces(100, 1, [&](const Piece&) { ++count; });
  EXPECT_EQ(count, 100);
}

// The caller runs out of pieces while another thread is still inside a body that loops again.
TEST(Workers, ALateNestedLoopDoesNotWaitForItself) {
  Workers workers(3);
  std::atomic<int> inner{0};
  const auto caller = std::this_thread::get_id();
  workers.for_pieces(6, 1, [&](const Piece&) {
    if (std::this_thread::get_id() == caller) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    workers.for_pieces(10, 1, [&](const Piece&) { ++inner; });
  });
  EXPECT_EQ(inner % 10, 0);
}

// Of three jobs one is long; the threads without a job must join the loop inside it, or it waits
// until the deadline in vain.
TEST(Workers, IdleThreadsHelpInsideTheLastJob) {
  Workers workers(3);
  std::atomic<int> inside{0};
  std::atomic<int> met_all{0};
  workers.for_pieces(3, 1, [&](const Piece& job) {
    if (job.begin != 1) return;
    workers.for_pieces(3, 1, [&](const Piece&) {
      ++inside;
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
      while (inside < 3 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
      if (inside == 3) ++met_all;
    });
  });
  EXPECT_EQ(met_all, 3);
}

TEST(Workers, NestedLoopsFromSeveralThreadsRunEveryPieceOnceAndShareNoWorker) {
  Workers workers(3);
  std::atomic<int> pieces{0};
  std::atomic<int> clashes{0};
  const std::function<void(int)> nest = [&](int depth) {
    std::vector<std::atomic<int>> at_work(3);
    workers.for_pieces(4, 1, [&](const Piece& piece) {
      if (at_work.at(static_cast<std::size_t>(piece.worker))++ != 0) ++clashes;
      ++pieces;
      if (depth > 0) nest(depth - 1);
      --at_work.at(static_cast<std::size_t>(piece.worker));
    });
  };
  std::thread second([&] {
    for (int i = 0; i < 50; ++i) nest(2);
  });
  for (int i = 0; i < 50; ++i) nest(2);
  second.join();
  EXPECT_EQ(pieces, 2 * 50 * (4 + 16 + 64));
  EXPECT_EQ(clashes, 0);
}

TEST(Run, SumsAreTheSameBitsAtAnyThreadCount) {
  const auto sum = [](int threads) {
    dalaup::Run run({.threads = threads});
    return run.sum_pieces(10'000, 7, [](const Piece& piece) {
      double total = 0.0;
      for (std::size_t i = piece.begin; i < piece.end; ++i)
        total += 1.0 / (1.0 + static_cast<double>(i));
      return total;
    });
  };
  EXPECT_EQ(sum(1), sum(2));
  EXPECT_EQ(sum(1), sum(7));
}

TEST(Random, StreamsAreFixedForEver) {
  Random random(1, "purpose", 2);
  Random again(1, "purpose", 2);
  Random other(1, "purpose", 3);
  const std::uint64_t first = random.next();
  EXPECT_EQ(first, again.next());
  EXPECT_NE(first, other.next());
  // xoshiro256++ seeded by splitmix64(0): the published first values of splitmix64 fill its state.
  EXPECT_EQ(Random(0).next(), 5987356902031041503ULL);
}

TEST(Random, DrawsStayInTheirRangesAndSamplesAreDistinct) {
  Random random(3);
  double mean = 0.0;
  for (int i = 0; i < 20'000; ++i) {
    const double value = random.uniform();
    ASSERT_TRUE(value >= 0.0 && value < 1.0);
    ASSERT_LT(random.below(7), 7U);
    mean += random.normal() / 20'000;
  }
  EXPECT_NEAR(mean, 0.0, 0.03);
  auto sample = random.sample(1000, 1000);
  std::ranges::sort(sample);
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_EQ(sample[i], i);
}

TEST(Text, FindsTheClosestWordAndQuotesUntrustedBytes) {
  const std::vector<std::string> known{"entropy", "cosine", "random"};
  EXPECT_EQ(closest_word("entropi", known), "entropy");
  EXPECT_EQ(closest_word("zzzzzzz", known), std::nullopt);
  EXPECT_EQ(edit_distance("abcd", "acbd", 3), 1U);
  EXPECT_EQ(quoted("a\tb\xff"), "\"a\\x09b\\xff\"");
  EXPECT_EQ(quoted("abcdef", 3), "\"abc...\"");
  EXPECT_EQ(quoted("ann\u202egnp.exe\u2028\u2066"),
            "\"ann\\xe2\\x80\\xaegnp.exe\\xe2\\x80\\xa8\\xe2\\x81\\xa6\"")
      << "nothing turns the direction of text";
  EXPECT_EQ(quoted("a\u2026b\u202f"), "\"a\u2026b\u202f\"");
  EXPECT_EQ(quoted("caf\xc3"), "\"caf\\xc3\"");
  EXPECT_EQ(quoted("caf\xc3\xa9\xc2\x9b"), "\"caf\xc3\xa9\\x9b\"") << "U+009B is ESC [";
}

TEST(Text, OnlyWellFormedUtf8Passes) {
  EXPECT_TRUE(is_utf8("plain and z\xc3\xb6"));
  for (const char* const bad :
       {"\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\x80", "\xe0\x80\x80"})
    EXPECT_FALSE(is_utf8(bad));
}

TEST(Settings, ComeBackFromJsonAndRefuseOtherThings) {
  Settings settings;
  settings.set("text", std::string("a\"b"));
  settings.set("whole", std::int64_t{3});
  settings.set("real", 0.5);
  settings.set("flag", true);
  EXPECT_EQ(Settings::from_json(settings.to_json()), settings);
  EXPECT_THROW(Settings::from_json("[1]"), InputError);
  EXPECT_THROW(Settings::from_json("{"), InputError);
}

TEST(Text, CountsInSingularAndPlural) {
  EXPECT_EQ(counted(0, "user"), "0 users");
  EXPECT_EQ(counted(1, "user"), "1 user");
  EXPECT_EQ(counted(12345, "user"), "12,345 users");
  EXPECT_EQ(counted(1, "entry", "entries"), "1 entry");
  EXPECT_EQ(counted(2, "entry", "entries"), "2 entries");
  EXPECT_EQ(by_number(1, "is", "are"), "is");
  EXPECT_EQ(by_number(0, "is", "are"), "are");
}

TEST(Text, ShortensListsOfManyWords) {
  const std::vector<std::string> words{"a", "b", "c", "d"};
  EXPECT_EQ(shortened_list(words), "a, b, c, d");
  EXPECT_EQ(shortened_list(words, 3), "a, b, c, d");  // "and 1 more" would be longer
  EXPECT_EQ(shortened_list(words, 2), "a, b and 2 more");
  EXPECT_EQ(shortened_list({}, 2), "");
}

TEST(Run, DoesEveryJobOnce) {
  dalaup::Run run({.threads = 2});
  std::vector<std::atomic<int>> visits(5);
  run.for_jobs(visits.size(), [&](std::size_t job) { ++visits[job]; });
  for (const auto& count : visits) EXPECT_EQ(count, 1);
}

TEST(Run, AThreadWithoutAJobHelpsInTheLoopsOfOthers) {
  dalaup::Run run({.threads = 2});
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::thread::id> threads;
  run.for_jobs(2, [&](std::size_t job) {
    if (job == 1) return;
    run.for_pieces(2, 1, [&](const Piece&) {  // no piece ends before the other has begun
      std::unique_lock lock(mutex);
      threads.insert(std::this_thread::get_id());
      changed.notify_all();
      changed.wait_for(lock, std::chrono::seconds(20), [&] { return threads.size() == 2; });
    });
  });
  EXPECT_EQ(threads.size(), 2U);
}

}  // namespace
}  // namespace dalaup
