#include <chrono>
#include <filesystem>
#include <fstream>

#include "study/database.h"
#include "study/study_support.h"

// What the file format of SQLite allows and no study does: pages that stand in a table many times
// over, and a journal that deletes files.
namespace dalaup {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kLevels = 8;
constexpr std::size_t kFanOut = 500;  // 500^8 rows

void put_number(std::string& bytes, std::size_t place, std::size_t value, int size) {
  for (int byte = size - 1; byte >= 0; --byte, value >>= 8)
    bytes[place + static_cast<std::size_t>(byte)] = static_cast<char>(value & 0xff);
}

std::size_t number_at(const std::string& bytes, std::size_t place, int size) {
  std::size_t value = 0;
  for (int byte = 0; byte < size; ++byte)
    value = value << 8 | static_cast<unsigned char>(bytes[place + static_cast<std::size_t>(byte)]);
  return value;
}

// A page of a table's tree with these children, all numbers big-endian:
// kind, free blocks, cells, where cells begin, free bytes, last child, then where each cell is.
std::string inner_page(const std::vector<std::size_t>& children, std::size_t begin = 0) {
  std::string page(kPage, '\0');
  const std::size_t cells = children.size() - 1;
  std::size_t place = kPage;
  page[begin] = 5;
  put_number(page, begin + 3, cells, 2);
  put_number(page, begin + 8, children.back(), 4);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    place -= 5;  // the child, and a key of one byte
    put_number(page, place, children[cell], 4);
    page[place + 4] = 1;
    put_number(page, begin + 12 + 2 * cell, place, 2);
  }
  put_number(page, begin + 5, place, 2);
  return page;
}

// One row of the schema's table: an index that is there already, once more.
std::string leaf_page(const std::string& index, const std::string& table, std::size_t root) {
  std::string record{'\6',
                     static_cast<char>(13 + 2 * 5),
                     static_cast<char>(13 + 2 * index.size()),
                     static_cast<char>(13 + 2 * table.size()),
                     '\4',
                     '\0'};
  record += "index" + index + table + std::string(4, '\0');
  put_number(record, record.size() - 4, root, 4);
  std::string page(kPage, '\0');
  const std::size_t place = kPage - record.size() - 2;
  page[0] = 13;
  put_number(page, 3, 1, 2);
  put_number(page, 5, place, 2);
  put_number(page, 8, place, 2);
  page[place] = static_cast<char>(record.size());
  page[place + 1] = 99;
  return page.replace(place + 2, record.size(), record);
}

// The schema's table as it was, and behind it more rows than anybody can read.
std::string with_endless_schema(const std::string& study, std::size_t root) {
  std::string bytes = study;
  const std::size_t pages = bytes.size() / kPage;
  const bool is_leaf = bytes[100] == 13;
  const std::size_t head = (is_leaf ? 8 : 12) + 2 * number_at(bytes, 103, 2);
  std::string moved = bytes.substr(0, kPage);  // the first page begins with 100 bytes of the file's
  moved = moved.substr(100, head) + std::string(100, '\0') + moved.substr(100 + head);
  const std::string first =
      bytes.substr(0, 100) + inner_page({pages + 1, pages + 2}, 100).substr(100);
  bytes.replace(0, kPage, first);
  bytes += moved;
  for (std::size_t level = 0; level < kLevels; ++level)
    bytes += inner_page(std::vector<std::size_t>(kFanOut, pages + 3 + level));
  bytes += leaf_page("sqlite_autoindex_model_parts_1", "model_parts", root);
  put_number(bytes, 28, bytes.size() / kPage, 4);
  return bytes;
}

TEST(HostileFile, ATableWithoutEndIsGivenUp) {
  const TemporaryFolder folder;
  const std::string path = folder / "s.study";
  { const Study study = Study::create(path, twin_rings(10), {}, {}, {}); }
  const int root = SQLite::Database(path)
                       .execAndGet(
                           "SELECT rootpage FROM sqlite_schema WHERE name = "
                           "'sqlite_autoindex_model_parts_1'")
                       .getInt();
  std::ofstream(path, std::ios::binary | std::ios::in)
      << with_endless_schema(content_of(path), static_cast<std::size_t>(root));
  const auto begun = std::chrono::steady_clock::now();
  for (const Access access : {Access::kRead, Access::kLabel}) {
    try {
      const StudyDatabase study(path, access, schema_scripts(), 0.3);
      FAIL() << "was read to an end that is not there";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("longer than a file of its size"), std::string::npos)
          << error.what();
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30));
}

// A rollback journal without a page, which belongs to a transaction over several files: SQLite
// rolls it back and then deletes the file that is said to list them.
std::string journal_that_deletes(const std::string& victim, std::size_t pages) {
  const std::string magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  std::string journal = magic + std::string(504, '\0');
  put_number(journal, 16, pages, 4);
  put_number(journal, 20, 512, 4);
  put_number(journal, 24, kPage, 4);
  std::size_t sum = 0;
  for (const char letter : victim) sum += static_cast<unsigned char>(letter);
  std::string end(12, '\0');
  put_number(end, 0, 0x40000000 / kPage + 1, 4);
  put_number(end, 4, victim.size(), 4);
  put_number(end, 8, sum, 4);
  return journal + end.substr(0, 4) + victim + end.substr(4) + magic;
}

TEST(HostileFile, AJournalBesideAStudyDeletesNothing) {
  const TemporaryFolder folder;
  const std::string path = folder / "s.study";
  const std::string victim = folder / "diary.txt";
  { const Study study = Study::create(path, twin_rings(10), {}, {}, {}); }
  for (const Access access : {Access::kRead, Access::kLabel}) {
    std::ofstream(victim) << "dear diary";
    std::ofstream(path + "-journal", std::ios::binary)
        << journal_that_deletes(victim, content_of(path).size() / kPage);
    EXPECT_THROW(Study::open(path, access), InputError);
    EXPECT_TRUE(file_exists(victim));
  }
  std::filesystem::remove(path + "-journal");
  EXPECT_NO_THROW(Study::open(path, Access::kLabel));
}

}  // namespace
}  // namespace dalaup
