#pragma once
// Users by the names of a label file, and what to say of names that no user has. Private to labels.
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "labels/labels.h"

namespace dalaup {

class UserLookup {
 public:
  UserLookup(const NetworkPair& networks, bool ignore_case);

  // kNoUser when there is none; remembered for throw_if_unknown.
  UserId find(std::string_view name, Side side, std::size_t line);
  void count_unknown_row() { ++unknown_rows_; }
  std::size_t unknown_rows() const { return unknown_rows_; }
  std::size_t found_by_case() const { return found_by_case_; }
  // Throws InputError that lists the first ten unknown names with the closest ones.
  void throw_if_unknown(const std::string& file, const TableForm& form) const;

 private:
  struct Unknown {
    std::string name;
    Side side;
    std::size_t line;
  };
  using Folded = std::unordered_map<std::string, UserId>;
  static Folded folded_names(const Network& network);
  std::string words_of(const Unknown& unknown, const std::vector<std::string>& known) const;
  bool is_swapped() const;
  std::string hint_for(const TableForm& form) const;
  bool are_names_cut() const;

  const NetworkPair& networks_;
  bool ignore_case_;
  Folded folded_[2];  // names in lower case; kNoUser where several users have one
  std::vector<Unknown> unknown_;
  std::size_t found_ = 0;
  std::size_t unknown_rows_ = 0;
  std::size_t found_by_case_ = 0;
};

}  // namespace dalaup
