#pragma once
// What is known of users besides their edges, as it was read: tables of values and similarities of
// pairs. What the values mean is settled by src/attributes.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/base.h"
#include "networks/table.h"

namespace dalaup {

class Network;
struct NetworkPair;
using UserId = std::uint32_t;

// Values of one field, one per user; an empty value is not known.
class TextColumn {
 public:
  TextColumn() = default;
  explicit TextColumn(std::size_t users) : begins_(users, 0), sizes_(users, 0) {}
  std::string_view operator[](UserId user) const {
    return std::string_view(letters_).substr(begins_[user], sizes_[user]);
  }
  std::size_t size() const { return sizes_.size(); }
  void set(UserId user, std::string_view value);

 private:
  std::string letters_;
  std::vector<std::uint64_t> begins_;
  std::vector<std::uint32_t> sizes_;
};

struct AttributeTable {
  std::vector<std::string> fields;  // the header without its first column
  std::vector<TextColumn> columns;  // beside fields; every column has a value for each user
};

// Similarities that somebody else computed, by user of A; a pair that is absent says nothing.
struct PairSimilarities {
  struct Entry {
    UserId b = 0;
    float value = 0.0F;
  };
  std::vector<std::uint64_t> begins;  // empty: none were given
  std::vector<Entry> entries;         // of each user of A sorted by b
  std::span<const Entry> of(UserId a) const {
    return std::span(entries).subspan(begins[a], begins[a + 1] - begins[a]);
  }
};

struct PairAttributes {
  AttributeTable a;
  AttributeTable b;
  std::string compare;  // which fields belong together, see parse_compare; empty: equal headers
  PairSimilarities similarity;
};

struct AttributeReading {
  bool strict = false;      // a user the network does not have is an error
  TableOptions table = {};  // delimiter and quotes, where they cannot be seen
};

// A table with a header whose first column is the user. `understood`, when given, receives how it
// was read, such as "comma-separated, header, user in column id, fields name, city". Throws
// InputError with the line for a row of another length, a user that comes twice, an empty or
// doubled field name, bad UTF-8 and more text than fits; a user the network does not have is
// counted and named in a warning.
AttributeTable read_attributes(const std::string& path, const Network& network,
                               const AttributeReading& reading, Run& run,
                               std::string* understood = nullptr);
AttributeTable read_attributes(std::unique_ptr<ByteSource> source, const std::string& name,
                               const Network& network, const AttributeReading& reading, Run& run,
                               std::string* understood = nullptr);

// The form that read_attributes reads, one row for each user with a known value.
void write_attributes(const std::string& path, const AttributeTable& table, const Network& network);

// A table of a, b and value, with or without a header; .gz and .zst by name. Of a pair that comes
// twice the higher value counts.
PairSimilarities read_similarities(const std::string& path, const NetworkPair& networks,
                                   const AttributeReading& reading, Run& run,
                                   std::string* understood = nullptr);

void save_attributes(ArchiveWriter& archive, const PairAttributes& attributes);
// Null when the archive holds none, as those of earlier versions.
std::shared_ptr<const PairAttributes> load_attributes(const ArchiveReader& archive,
                                                      const NetworkPair& networks);

}  // namespace dalaup
