// The only file that knows MPI.
#include "mpi/mpi_communicator.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

namespace dalaup {
namespace {

constexpr std::size_t kLargestMessage = std::size_t{1} << 30U;  // MPI counts in int
constexpr int kData = 1;
constexpr int kGaveUp = 2;   // of the control messages: no content
constexpr int kOutcome = 3;  // how a rank ended
constexpr int kVerdict = 4;  // how all of them end

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw StateError(fmt::format("MPI: {} failed: {}", what, text.data()));
}

// Spins for short waits and sleeps in long ones: MPI itself would spin, and take the processor
// from the rank that is waited for.
class Patience {
 public:
  void wait() {
    if (++turns_ < kSpins) return;
    std::this_thread::sleep_for(std::chrono::microseconds(turns_ < 2 * kSpins ? 20 : 200));
  }

 private:
  static constexpr int kSpins = 200;
  int turns_ = 0;
};

std::string encoded(const RankOutcome& outcome) {
  return fmt::format("{} {} {}", outcome.exit_code, outcome.is_own ? 1 : 0, outcome.message);
}

RankOutcome decoded(const std::string& text) {
  const std::size_t first = text.find(' ');
  const std::size_t second = text.find(' ', first + 1);
  return {std::stoi(text.substr(0, first)), text.substr(first + 1, second - first - 1) == "1",
          text.substr(second + 1)};
}

// Errors before interruptions before success; what others caused says nothing.
int gravity(const RankOutcome& outcome) {
  constexpr int kInterrupted = 130;
  if (outcome.exit_code == 0 || !outcome.is_own) return 0;
  return outcome.exit_code == kInterrupted ? 1 : 2;
}

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator() {
    int provided = MPI_THREAD_SINGLE;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "start");
    if (provided < MPI_THREAD_SERIALIZED)
      throw StateError("MPI: found a library without support for threads",
                       "use Open MPI 4 or newer");
    check(MPI_Comm_dup(MPI_COMM_WORLD, &data_), "start");
    check(MPI_Comm_dup(MPI_COMM_WORLD, &control_), "start");
    for (const MPI_Comm communicator : {data_, control_})
      MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
    MPI_Comm_rank(data_, &rank_);
    MPI_Comm_size(data_, &size_);
  }
  ~MpiCommunicator() override {
    // What was left unfinished when a rank gave up cannot be waited for.
    if (!is_broken_) MPI_Comm_free(&data_);
    MPI_Finalize();
  }
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string host() const override {
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    MPI_Get_processor_name(name.data(), &length);
    return name.data();
  }

  void barrier() override {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(data_, &request), "barrier");
    wait({&request, 1});
  }

  void broadcast(int from, std::span<std::byte> bytes) override {
    std::vector<MPI_Request> requests;
    begin_broadcast(from, bytes, requests);
    wait(requests);
  }

  void allreduce(std::span<std::uint64_t> sums) override {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_UINT64_T,
                         MPI_SUM, data_, &request),
          "allreduce");
    wait({&request, 1});
  }

  // MPI_Allgatherv counts places in int; broadcasts of the parts do not.
  void allgatherv(std::span<std::byte> all, std::span<const std::size_t> begins) override {
    std::vector<MPI_Request> requests;
    for (int from = 0; from < size_; ++from)
      begin_broadcast(from, part(all, begins, from), requests);
    wait(requests);
  }

  void alltoallv(std::span<const std::byte> sent, std::span<const std::size_t> sent_begins,
                 std::span<std::byte> received,
                 std::span<const std::size_t> received_begins) override {
    std::vector<MPI_Request> requests;
    for (int step = 1; step < size_; ++step) {
      const int from = (rank_ + size_ - step) % size_;
      in_messages(part(received, received_begins, from), [&](std::span<std::byte> message) {
        check(MPI_Irecv(message.data(), static_cast<int>(message.size()), MPI_BYTE, from, kData,
                        data_, &requests.emplace_back()),
              "receiving");
      });
    }
    for (int step = 1; step < size_; ++step) {
      const int to = (rank_ + step) % size_;
      in_messages(part(sent, sent_begins, to), [&](std::span<const std::byte> message) {
        check(MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_BYTE, to, kData,
                        data_, &requests.emplace_back()),
              "sending");
      });
    }
    std::ranges::copy(part(sent, sent_begins, rank_),
                      part(received, received_begins, rank_).begin());
    wait(requests);
  }

  void give_up() noexcept override {
    if (is_broken_) return;
    is_broken_ = true;
    for (int to = 0; to < size_; ++to) {
      if (to == rank_) continue;
      MPI_Request request = MPI_REQUEST_NULL;  // without content: on its way at once
      MPI_Isend(nullptr, 0, MPI_BYTE, to, kGaveUp, control_, &request);
      MPI_Request_free(&request);
    }
  }

  RankOutcome conclude(RankOutcome own) override {
    if (size_ == 1) return own;
    if (rank_ != 0) {
      send_text(0, kOutcome, encoded(own));
      return decoded(received_text(0, kVerdict));
    }
    RankOutcome verdict = std::move(own);
    for (int from = 1; from < size_; ++from) {
      RankOutcome outcome = decoded(received_text(from, kOutcome));
      if (gravity(outcome) > gravity(verdict)) verdict = std::move(outcome);
    }
    for (int to = 1; to < size_; ++to) send_text(to, kVerdict, encoded(verdict));
    return verdict;
  }

 private:
  template <class Byte>
  static std::span<Byte> part(std::span<Byte> all, std::span<const std::size_t> begins, int rank) {
    const auto place = static_cast<std::size_t>(rank);
    return all.subspan(begins[place], begins[place + 1] - begins[place]);
  }

  template <class Byte, class Visit>
  static void in_messages(std::span<Byte> bytes, Visit&& visit) {
    for (std::size_t at = 0; at < bytes.size(); at += kLargestMessage)
      visit(bytes.subspan(at, std::min(kLargestMessage, bytes.size() - at)));
  }

  void begin_broadcast(int from, std::span<std::byte> bytes, std::vector<MPI_Request>& requests) {
    in_messages(bytes, [&](std::span<std::byte> message) {
      check(MPI_Ibcast(message.data(), static_cast<int>(message.size()), MPI_BYTE, from, data_,
                       &requests.emplace_back()),
            "broadcast");
    });
  }

  void wait(std::span<MPI_Request> requests) {
    Patience patience;
    for (;;) {
      int is_done = 0;
      check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &is_done,
                        MPI_STATUSES_IGNORE),
            "waiting");
      if (is_done != 0) return;
      throw_if_another_gave_up();
      patience.wait();
    }
  }

  void throw_if_another_gave_up() {
    int is_there = 0;
    check(MPI_Iprobe(MPI_ANY_SOURCE, kGaveUp, control_, &is_there, MPI_STATUS_IGNORE), "waiting");
    if (is_there == 0) return;
    is_broken_ = true;
    throw RankFailed();
  }

  void send_text(int to, int tag, const std::string& text) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, tag, control_,
                    &request),
          "sending");
    Patience patience;
    for (int is_done = 0; is_done == 0; patience.wait())
      check(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "sending");
  }

  std::string received_text(int from, int tag) {
    MPI_Status status{};
    Patience patience;
    for (int is_there = 0; is_there == 0; patience.wait())
      check(MPI_Iprobe(from, tag, control_, &is_there, &status), "waiting");
    int size = 0;
    MPI_Get_count(&status, MPI_CHAR, &size);
    std::string text(static_cast<std::size_t>(size), '\0');
    check(MPI_Recv(text.data(), size, MPI_CHAR, from, tag, control_, MPI_STATUS_IGNORE),
          "receiving");
    return text;
  }

  MPI_Comm data_ = MPI_COMM_NULL;
  MPI_Comm control_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  bool is_broken_ = false;  // a rank gave up: operations on data_ may be unfinished
};

}  // namespace

std::unique_ptr<Communicator> make_mpi_communicator() {
  return std::make_unique<MpiCommunicator>();
}

}  // namespace dalaup
