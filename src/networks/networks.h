#pragma once
// Networks: users with names, edges between them, and where they come from.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/base.h"
#include "networks/network.h"
#include "networks/network_builder.h"

namespace dalaup {

enum class Side : std::uint8_t { kA, kB };
constexpr Side other(Side side) { return side == Side::kA ? Side::kB : Side::kA; }
constexpr std::size_t index_of(Side side) { return side == Side::kA ? 0 : 1; }
constexpr std::string_view name_of(Side side) { return side == Side::kA ? "A" : "B"; }

struct NetworkPair {
  Network a;
  Network b;
  const Network& on(Side side) const { return side == Side::kA ? a : b; }
};

struct ReadOptions {
  bool directed = false;
  UserId most_users = UserNames::kMostUsers;  // more are refused
};

// Reads any form of docs/use/files.md, told apart by the file's name. Throws InputError with file
// and line; a bad line is never skipped. Self-loops and duplicates are dropped and reported to
// run.warn.
Network read_network(const std::string& path, const ReadOptions& options, Run& run);
// The same from any source; the end of `name` tells the form.
Network read_network(std::unique_ptr<ByteSource> source, const std::string& name,
                     const ReadOptions& options, Run& run);
// The plain text form, from memory or any source; `name` is used in messages.
Network read_edges(LineReader& lines, const ReadOptions& options, Dropped* dropped = nullptr);

// Throws InputError when a name cannot stand in the text form.
void write_edges(const std::string& path, const Network& network);

// The user of that name, or InputError at path:line with the closest known name as a hint.
UserId require_user(const Network& network, std::string_view name, Side side,
                    const std::string& path, std::size_t line);

void save_network(ArchiveWriter& archive, const std::string& prefix, const Network& network);
Network load_network(const ArchiveReader& archive, const std::string& prefix);

}  // namespace dalaup
