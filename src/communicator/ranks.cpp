#include "communicator/communicator.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace dalaup {
namespace {

// One rank: it has what it needs, and parts that go to itself are there already.
class SingleRank final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string host() const override {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "this machine";
  }
  void barrier() override {}
  void broadcast(int, std::span<std::byte>) override {}
  void allreduce(std::span<std::uint64_t>) override {}
  void allgatherv(std::span<std::byte>, std::span<const std::size_t>) override {}
  void alltoallv(std::span<const std::byte> sent, std::span<const std::size_t>,
                 std::span<std::byte> received, std::span<const std::size_t>) override {
    std::ranges::copy(sent, received.begin());
  }
  void give_up() noexcept override {}
  RankOutcome conclude(RankOutcome own) override { return own; }
};

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

}  // namespace

Communicator& communicator_of(const Run& run) {
  static SingleRank alone;  // has no state
  return run.options().communicator == nullptr ? alone : *run.options().communicator;
}

std::uint64_t digest_of(std::string_view bytes, std::uint64_t before) {
  std::uint64_t digest = mixed(before + 0x9e3779b97f4a7c15U + bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += sizeof digest) {
    std::uint64_t next = 0;
    std::memcpy(&next, bytes.data() + at, std::min(sizeof next, bytes.size() - at));
    digest = mixed(digest ^ next) + 0x9e3779b97f4a7c15U;
  }
  return digest;
}

void require_same(Communicator& communicator, const std::string& what, std::uint64_t digest,
                  const std::string& hint) {
  if (communicator.size() == 1) return;
  const auto digests = gather_all(communicator, std::vector<std::uint64_t>{digest});
  const std::string host = communicator.host();
  const auto hosts = gather_all(communicator, std::vector<char>(host.begin(), host.end()));
  const auto ends =
      gather_all(communicator, std::vector<std::uint64_t>{host.size()});  // lengths of the names
  const auto host_of = [&](std::size_t rank) {
    std::size_t begin = 0;
    for (std::size_t before = 0; before < rank; ++before) begin += ends[before];
    return std::string(hosts.data() + begin, ends[rank]);
  };
  for (std::size_t rank = 1; rank < digests.size(); ++rank)
    if (digests[rank] != digests[0])
      throw InputError(fmt::format("rank {} on {}: found another {} than rank 0 on {}", rank,
                                   host_of(rank), what, host_of(0)),
                       hint);
}

}  // namespace dalaup
