#pragma once
// A model's file of which little is read: for questions about a few of its users.
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/base.h"
#include "labels/labels.h"
#include "networks/networks.h"
#include "ranking/ranking.h"

namespace dalaup {

struct StoredLists {
  RankedLists candidates;
  RankedLists probabilities;  // the same candidates
};

// Throws InputError where what is asked for is damaged; the rest of the file may be.
class StoredModel {
 public:
  // Null where the file cannot be read in parts: load_model tells what it is.
  static std::unique_ptr<StoredModel> open(const std::string& path);

  ArchiveFile& file() { return *file_; }
  std::string method() { return file_->text("method"); }
  UserId user_count(Side side) const { return users_[index_of(side)]; }
  const LabelSet& labels() const { return labels_; }
  // Calls visit(user, name) for all users of the side, in order.
  void for_names(Side side, const std::function<void(UserId, std::string_view)>& visit);

 private:
  explicit StoredModel(std::unique_ptr<ArchiveFile> file);
  std::unique_ptr<ArchiveFile> file_;
  UserId users_[2];
  LabelSet labels_;
};

}  // namespace dalaup
