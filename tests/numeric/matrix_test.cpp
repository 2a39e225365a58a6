#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "numeric/numeric.h"
#include "support/support.h"

namespace dalaup {
namespace {

TEST(Matrix, ComesBackFromAnArchive) {
  const TemporaryFolder folder;
  const Matrix matrix = Matrix::Random(3, 4);
  ArchiveWriter writer(folder / "x", "model", 1);
  put_matrix(writer, "m", matrix);
  put_matrix(writer, "empty", Matrix(0, 4));
  writer.commit();
  const ArchiveReader reader(folder / "x", "model", 1);
  EXPECT_EQ(matrix_in(reader, "m"), matrix);
  EXPECT_EQ(matrix_in(reader, "empty").cols(), 4);
  EXPECT_THROW(matrix_in(reader, "absent"), InputError);
}

#if defined(__x86_64__)
TEST(FlushDenormals, HoldsInLoopsBegunMeanwhile) {
  Workers workers(3);
  const auto zeros = [&] {  // a small wait lets every thread take part
    std::atomic<int> count = 0;
    workers.for_pieces(60, 1, [&](const Piece&) {
      volatile float tiny = 1e-38F;
      tiny = tiny * 0.1F;
      if (tiny == 0.0F) ++count;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    });
    return count.load();
  };
  EXPECT_EQ(zeros(), 0);
  {
    const FlushDenormals fast;
    EXPECT_EQ(zeros(), 60);
  }
  EXPECT_EQ(zeros(), 0);
}
#endif

}  // namespace
}  // namespace dalaup
