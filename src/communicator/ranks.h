#pragma once
// Several processes at work on one job, called ranks: each runs the same code on the same inputs,
// owns some of the rows, and gets from the others what it needs. A Run carries the communicator;
// without one a process is alone, and everything here costs nothing. apps/mpi has the one that
// speaks MPI.
//
// Every rank must call the same operations in the same order, from one thread at a time and never
// inside a parallel loop. An operation throws RankFailed when another rank cannot go on.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/base.h"

namespace dalaup {

// Another rank failed and says why; this one only has to stop.
class RankFailed : public Error {
 public:
  RankFailed() : Error("another rank failed") {}
};

// How a rank ended: what its exit code is to be and what the user is told.
struct RankOutcome {
  int exit_code = 0;
  bool is_own = true;  // false: it stopped because another one failed
  std::string message;
};

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  bool is_first() const { return rank() == 0; }
  virtual std::string host() const = 0;  // the machine's name, for messages

  virtual void barrier() = 0;
  // Everybody gets the bytes of rank `from`.
  virtual void broadcast(int from, std::span<std::byte> bytes) = 0;
  // Sums over ranks, of whole numbers: the order of additions cannot matter.
  virtual void allreduce(std::span<std::uint64_t> sums) = 0;
  // Part r, all[begins[r]] up to all[begins[r + 1]], is rank r's; everybody gets all parts.
  virtual void allgatherv(std::span<std::byte> all, std::span<const std::size_t> begins) = 0;
  // Part r of `sent` goes to rank r; part r of `received` comes from there.
  virtual void alltoallv(std::span<const std::byte> sent, std::span<const std::size_t> sent_begins,
                         std::span<std::byte> received,
                         std::span<const std::size_t> received_begins) = 0;

  // Tells the other ranks that this one cannot go on; never blocks.
  virtual void give_up() noexcept = 0;
  // The last operation, which every rank calls however it ended: gives all of them the outcome of
  // the first rank that failed by itself, errors before interruptions; else that of rank 0.
  virtual RankOutcome conclude(RankOutcome own) = 0;
};

// That of the run, or one of a single rank.
Communicator& communicator_of(const Run& run);

// Throws InputError on every rank when the digests differ between ranks: "rank 2 on HOST: found
// another WHAT than rank 0 on HOST".
void require_same(Communicator& communicator, const std::string& what, std::uint64_t digest,
                  const std::string& hint);
// Of any bytes; not against people who want two to be alike.
std::uint64_t digest_of(std::string_view bytes, std::uint64_t before = 0);

}  // namespace dalaup
