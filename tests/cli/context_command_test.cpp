#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>

#include "support/support.h"

namespace dalaup {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(ContextCommand, WritesANumPyFileByteForByteAndTheNamesBesideIt) {
  const TemporaryFolder folder;
  write_file(folder / "path.edges", "alice bob\nbob carol\n");
  const CommandResult result = run_dalaup(fmt::format("context --network {} --out {} --steps 1",
                                                      folder / "path.edges", folder / "c.npy"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("3 users, 2 edges, 1 step with restart 0.6\n"));
  EXPECT_EQ(content_of(folder / "c.users.txt"), "alice\nbob\ncarol\n");

  const std::string file = content_of(folder / "c.npy");
  ASSERT_EQ(file.size(), 128 + 9 * sizeof(float));
  EXPECT_EQ(file.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));  // 118 bytes follow
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3), }";
  EXPECT_EQ(file.substr(10, header.size()), header);
  EXPECT_EQ(file.substr(10 + header.size(), 118 - header.size()),
            std::string(117 - header.size(), ' ') + "\n");
  float values[9];
  std::memcpy(values, file.data() + 128, sizeof values);
  const float expected[9] = {0.6F, 0.4F, 0.0F, 0.2F, 0.6F, 0.2F, 0.0F, 0.4F, 0.6F};
  for (int i = 0; i < 9; ++i) EXPECT_FLOAT_EQ(values[i], expected[i]) << i;
}

TEST(ContextCommand, NumPyLoadsWhatItWrites) {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0)
    GTEST_SKIP() << "NumPy is not there to read the file";
  const TemporaryFolder folder;
  write_file(folder / "star.edges", "hub a\nhub b\nhub c\nhub d\nloner\n");
  ASSERT_EQ(run_dalaup(fmt::format("context --network {} --out {}", folder / "star.edges",
                                   folder / "c.npy"))
                .exit_code,
            0);
  const std::string program = fmt::format(
      "import numpy; m = numpy.load('{}'); assert m.shape == (6, 6) and m.dtype == numpy.float32; "
      "assert abs(m.sum(1) - 3).max() < 1e-6; assert m[5, 5] == 3",
      folder / "c.npy");
  EXPECT_EQ(std::system(fmt::format("/usr/bin/python3 -c \"{}\"", program).c_str()), 0);
}

TEST(ContextCommand, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  write_file(folder / "a.edges", "alice bob\n");
  const std::string network = fmt::format("context --network {} ", folder / "a.edges");

  const CommandResult no_npy = run_dalaup(network + "--out c.csv");
  EXPECT_EQ(no_npy.exit_code, 2);
  EXPECT_THAT(no_npy.err,
              StartsWith("error: --out: found \"c.csv\", expected a name ending in .npy\nhint: "));

  const CommandResult restart = run_dalaup(network + "--out c.npy --restart 1.5");
  EXPECT_EQ(restart.exit_code, 2);
  EXPECT_THAT(restart.err, HasSubstr("found \"1.5\", expected a number from 0.01 to 0.99"));

  const CommandResult no_folder = run_dalaup(network + "--out " + folder.path() + "/x/c.npy");
  EXPECT_EQ(no_folder.exit_code, 1);
  EXPECT_THAT(no_folder.err, HasSubstr("cannot be created (No such file or directory)"));

  const CommandResult no_network = run_dalaup("context --network nowhere.edges --out c.npy");
  EXPECT_EQ(no_network.exit_code, 1);
  EXPECT_THAT(no_network.err, StartsWith("error: nowhere.edges: cannot be opened"));
}

TEST(ContextCommand, PlansItsMemoryFirst) {
  const TemporaryFolder folder;
  std::string users;
  for (int user = 0; user < 2'000'000; ++user) users += fmt::format("{}\n", user);
  write_file(folder / "many.edges", users);
  const CommandResult result = run_dalaup(
      fmt::format("context --network {} --out {}", folder / "many.edges", folder / "c.npy"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("error: the dense context needs 16000."));
  EXPECT_THAT(result.err, HasSubstr("\nhint: "));
  EXPECT_FALSE(file_exists(folder / "c.npy"));
}

}  // namespace
}  // namespace dalaup
