#include "numeric/matrix.h"

#include <fmt/format.h>

#include <cstring>

namespace dalaup {

Matrix large_matrix(std::size_t rows, std::size_t columns) {
  Matrix matrix(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  advise_large_pages(matrix.data(), rows * columns * sizeof(float));
  return matrix;
}

void put_matrix(ArchiveWriter& archive, const std::string& name, const Matrix& matrix) {
  archive.put_table(name, matrix.rows(), matrix.cols(),
                    {matrix.data(), static_cast<std::size_t>(matrix.size())});
}

Matrix matrix_in(const ArchiveReader& archive, const std::string& name) {
  const ArchiveReader::Table table = archive.table(name);
  Matrix matrix(table.rows, table.columns);
  if (!table.bytes.empty()) std::memcpy(matrix.data(), table.bytes.data(), table.bytes.size());
  if (!matrix.allFinite())
    throw InputError(
        archive.path(), 0,
        fmt::format("found infinity or no number in entry \"{}\", expected numbers", name));
  return matrix;
}

void write_npy(const std::string& path, const Matrix& matrix) {
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", matrix.rows(),
                  matrix.cols());
  constexpr std::size_t kPreamble = 10;  // magic, version, header length
  header.append(63 - (kPreamble + header.size()) % 64, ' ');
  header.push_back('\n');
  AtomicFile file(path);
  file.write(std::string_view("\x93NUMPY\x01\x00", 8));
  const char length[2] = {static_cast<char>(header.size() & 0xff),
                          static_cast<char>(header.size() >> 8)};
  file.write(std::string_view(length, 2));
  file.write(header);
  file.write(std::string_view(reinterpret_cast<const char*>(matrix.data()),
                              static_cast<std::size_t>(matrix.size()) * sizeof(float)));
  file.commit();
}

}  // namespace dalaup
