#pragma once
// What a fit goes on from after it was killed, on any number of ranks.
//
// A run takes turns of matching and evidence. After an update of everybody (Agenda) the lists
// follow from the matching before it and from little else. So a run keeps the matchings since the
// last such update, and what that took from earlier lists; to go on is to repeat one or two
// updates. Contexts and all else that does not depend on matchings are made anew.
#include <functional>
#include <map>
#include <mutex>

#include "communicator/communicator.h"
#include "methods/propagation/agenda.h"
#include "methods/propagation/propagation.h"

namespace dalaup {

// How far a run has come.
struct KeptRounds {
  std::vector<Rows<WeightedUser>> finished;  // last matchings of the members that are through
  // Candidates of attributes with the prior they were listed with, of this rank's users: before the
  // update of everybody, or at the end of the last member.
  Rows<WeightedUser> listed;
  // Before the last update of everybody:
  Agenda::State agenda;
  std::vector<float> weakest;                 // PairLists::weakest of this rank's users
  std::vector<Rows<WeightedUser>> matchings;  // from that update on; none: a member is to begin
};

// The file. Ranks call everything together.
class Checkpoint {
 public:
  // What a fit stands on, in words and as a value that is the same for the same.
  using Identity = std::vector<std::pair<std::string, std::string>>;

  // Reads the file if it exists, on rank 0. Throws InputError when it is none, or of another fit.
  Checkpoint(std::string path, Identity identity, const NetworkPair& networks,
             const PropagationParams& params, Run& run);

  // The run of that name; its address stays.
  KeptRounds& run_of(const std::string& name);
  // Changes a run and writes the file. Thread-safe.
  void update(const std::function<void()>& change);
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;

 private:
  void read(const ArchiveReader& archive, const NetworkPair& networks,
            const PropagationParams& params);
  void write();

  std::string path_;
  Identity identity_;
  Communicator& ranks_;
  RowRange own_;
  std::mutex mutex_;
  std::map<std::string, KeptRounds> runs_;
};

// That of one run; a default one keeps nothing.
class Progression {
 public:
  Progression() = default;
  Progression(Checkpoint& checkpoint, const std::string& run)
      : checkpoint_(&checkpoint), run_(&checkpoint.run_of(run)) {}

  // What an earlier process left; of a run that has not begun, nothing.
  KeptRounds found() const { return run_ == nullptr ? KeptRounds() : *run_; }
  bool has_begun() const { return run_ != nullptr && !run_->matchings.empty(); }
  void update(const std::function<void(KeptRounds&)>& change) {
    if (run_ != nullptr) checkpoint_->update([&] { change(*run_); });
  }
  // Throws InputError: the file does not fit what is to be done.
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
    checkpoint_->refuse(found, expected);
  }

 private:
  Checkpoint* checkpoint_ = nullptr;
  KeptRounds* run_ = nullptr;
};

// Of a fit from scratch.
Checkpoint::Identity identity_of(const NetworkPair& networks, const LabelSet& labels,
                                 PropagationParams params, const Run& run);

}  // namespace dalaup
