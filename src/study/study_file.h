#pragma once
// A study as one file (extension .study). What is written is on disk when the call returns.
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/base.h"
#include "networks/networks.h"
#include "study/access.h"
#include "study/ledger.h"
#include "study/people.h"
#include "study/profiles.h"
#include "study/records.h"

namespace dalaup {

class StudyDatabase;

// Calls from several threads take turns. Members throw InputError naming the file for anything the
// disk or another program does to it; nothing is then changed.
class Study {
 public:
  // A new file with these networks; refuses to replace one.
  static Study create(const std::string& path, const NetworkPair& networks,
                      const Profiles& profiles_a, const Profiles& profiles_b,
                      const Settings& settings);
  // Everything is checked as it is read: a study may come from a stranger.
  static Study open(const std::string& path, Access access);
  ~Study();
  Study(Study&& other) noexcept;
  Study& operator=(Study&& other) noexcept;

  const std::string& path() const;
  const NetworkPair& networks() const { return *networks_; }
  const Profiles& profiles(Side side) const { return profiles_[index_of(side)]; }
  Settings settings() const { return settings_; }
  std::string created() const { return created_; }

  // All of them, in order. Throws InputError when they are not what was once written.
  std::vector<JournalEntry> journal() const;
  // A hash of the whole journal: two studies with the same hash have the same one.
  std::string journal_hash() const;
  // Adds entries as one transaction. Ids must continue the journal.
  void append(std::span<const JournalEntry> entries);

  std::vector<Round> rounds() const;
  // Adds the round and its questions as one transaction and gives them their ids. `rewarded`, when
  // given, is an earlier round whose reward is now known.
  void add_round(Round& round, std::span<StudyQuestion> questions, const Round* rewarded = nullptr);

  // The last fit as it was kept; nothing when there is none. It can always be made anew.
  struct KeptModel {
    std::int64_t round = 0;
    std::int64_t entries = 0;  // of the journal when it was fitted
    std::string bytes;
  };
  std::optional<KeptModel> kept_model() const;
  // Replaces the last one. Long, but never in the way of an answer for long.
  void keep_model(const KeptModel& model);

  // By name; those who may no longer answer are there too.
  std::vector<Person> people() const;
  // Who may answer at this moment: whoever was added or revoked, also by another process, counts at
  // once. Quick, and never waits for whoever writes.
  std::shared_ptr<const SignIns> sign_ins() const;
  // Gives the token, which cannot be had again. Throws ParameterError when the name may answer
  // already.
  std::string add_person(const std::string& name, Role role);
  void revoke_person(const std::string& name);

  // Call now and then while labelling: keeps the log beside the study short.
  void tidy();
  // A copy of all that is in it now, also while another process labels. `path` must not exist.
  void copy_to(const std::string& path) const;
  // Reads and checks everything; opening checks only what it needs.
  void check() const;

  std::optional<StudyQuestion> question(std::int64_t id) const;
  std::vector<StudyQuestion> questions_of_round(std::int64_t round) const;
  // Every question that the journal speaks of, by id.
  std::vector<StudyQuestion> answered_questions() const;

 private:
  explicit Study(std::unique_ptr<StudyDatabase> database);
  void load();

  // Apart, so that a study can be moved.
  struct LatestSignIns {
    std::mutex mutex;
    std::shared_ptr<const SignIns> latest;
  };
  std::unique_ptr<StudyDatabase> database_;
  std::unique_ptr<LatestSignIns> sign_ins_ = std::make_unique<LatestSignIns>();
  std::unique_ptr<NetworkPair> networks_;  // stable address: aligners point to it
  Profiles profiles_[2];
  Settings settings_;
  std::string created_;
  std::optional<std::string> journal_hash_;  // once it is known; for append()
};

// What the journal of a study amounts to. Throws InputError when another program tampered with it.
Ledger load_ledger(const Study& study);

// Deletes the file and what SQLite keeps beside it.
void remove_study(const std::string& path);

}  // namespace dalaup
