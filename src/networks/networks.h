#pragma once
// Networks: users with names, edges between them, and where they come from.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/base.h"
#include "networks/attributes_input.h"
#include "networks/network.h"
#include "networks/network_builder.h"
#include "networks/table.h"

namespace dalaup {

enum class Side : std::uint8_t { kA, kB };
constexpr Side other(Side side) { return side == Side::kA ? Side::kB : Side::kA; }
constexpr std::size_t index_of(Side side) { return side == Side::kA ? 0 : 1; }
constexpr std::string_view name_of(Side side) { return side == Side::kA ? "A" : "B"; }

struct NetworkPair {
  Network a;
  Network b;
  std::shared_ptr<const PairAttributes> attributes = nullptr;  // null: nothing else is known
  const Network& on(Side side) const { return side == Side::kA ? a : b; }
};

struct ReadOptions {
  bool directed = false;                      // what a file says of its edges is told, not used
  bool tells_direction = false;               // names --directed although it is read with it
  UserId most_users = UserNames::kMostUsers;  // more are refused
  TableOptions table = {};                    // of text files
};

// Reads any form of docs/use/files.md, told apart by the file's name; a file whose first bytes look
// like another form is refused. Throws InputError with file and line; a bad line is never skipped.
// Self-loops and duplicates are dropped and reported to run.warn. `understood`, when given,
// receives how the file was read, such as "comma-separated, header, columns source, target".
Network read_network(const std::string& path, const ReadOptions& options, Run& run,
                     std::string* understood = nullptr);
// The same from any source; the end of `name` tells the form.
Network read_network(std::unique_ptr<ByteSource> source, const std::string& name,
                     const ReadOptions& options, Run& run, std::string* understood = nullptr);
// Both networks of a pair, at the same time if the run has threads for it; the results, warnings
// and errors are those of reading A and then B. on_read(side, network, understood) is called in
// that order, behind the warnings of the network.
using OnRead =
    std::function<void(Side side, const Network& network, const std::string& understood)>;
NetworkPair read_networks(const std::string& path_a, const std::string& path_b,
                          const ReadOptions& options, Run& run, const OnRead& on_read = nullptr);
// Text without header and quotes, where tabs, spaces or commas separate; for what programs write.
Network read_edges(LineReader& lines, const ReadOptions& options, Dropped* dropped = nullptr);

// Throws InputError when a name cannot stand in the text form.
void write_edges(const std::string& path, const Network& network);

// The user of that name, or InputError at path:line with the closest known name as a hint.
UserId require_user(const Network& network, std::string_view name, Side side,
                    const std::string& path, std::size_t line);

void save_network(ArchiveWriter& archive, const std::string& prefix, const Network& network);
Network load_network(const ArchiveReader& archive, const std::string& prefix);

}  // namespace dalaup
