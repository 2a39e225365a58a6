#include <fmt/format.h>

#include <algorithm>

#include "labels/labels.h"

namespace dalaup {

std::optional<LabelSet::Conflict> LabelSet::add(UserPair pair, Label label) {
  if (is_no_partner(pair)) {
    const Side side = pair.a == kNoUser ? Side::kB : Side::kA;
    const UserId user = pair.on(side);
    if (is_anchored(side, user))
      return Conflict{pair_of(side, user, partner(side, user)), Label::kAnchor};
    if (alone_[index(side)].insert(user).second) alone_list_[index(side)].push_back(user);
    return std::nullopt;
  }
  if (label == Label::kNotAnchor) {
    if (partners_[0][pair.a] == pair.b) return Conflict{pair, Label::kAnchor};
    if (negatives_.insert(key_of(pair)).second) negative_list_.push_back(pair);
    return std::nullopt;
  }
  if (is_negative(pair)) return Conflict{pair, Label::kNotAnchor};
  for (const Side side : {Side::kA, Side::kB})
    if (has_no_partner(side, pair.on(side)))
      return Conflict{no_partner(side, pair.on(side)), Label::kNotAnchor};
  const UserId partner_of_a = partners_[0][pair.a];
  if (partner_of_a == pair.b) return std::nullopt;
  if (partner_of_a != kNoUser) return Conflict{{pair.a, partner_of_a}, Label::kAnchor};
  const UserId partner_of_b = partners_[1][pair.b];
  if (partner_of_b != kNoUser) return Conflict{{partner_of_b, pair.b}, Label::kAnchor};
  partners_[0][pair.a] = pair.b;
  partners_[1][pair.b] = pair.a;
  anchors_.push_back(pair);
  return std::nullopt;
}

bool LabelSet::remove(UserPair pair) {
  if (is_no_partner(pair)) {
    const Side side = pair.a == kNoUser ? Side::kB : Side::kA;
    if (alone_[index(side)].erase(pair.on(side)) == 0) return false;
    std::erase(alone_list_[index(side)], pair.on(side));
    return true;
  }
  if (negatives_.erase(key_of(pair)) > 0) {
    std::erase(negative_list_, pair);
    return true;
  }
  if (partners_[0][pair.a] != pair.b) return false;
  partners_[0][pair.a] = kNoUser;
  partners_[1][pair.b] = kNoUser;
  std::erase(anchors_, pair);
  return true;
}

std::optional<Label> LabelSet::answer(UserPair pair) const {
  if (partners_[0][pair.a] == pair.b) return Label::kAnchor;
  if (!is_open(Side::kA, pair.a) || !is_open(Side::kB, pair.b) || is_negative(pair))
    return Label::kNotAnchor;
  return std::nullopt;
}

void save_labels(ArchiveWriter& archive, const LabelSet& labels) {
  archive.put("labels.users_a", std::int64_t{labels.user_count(Side::kA)});
  archive.put("labels.users_b", std::int64_t{labels.user_count(Side::kB)});
  archive.put("labels.anchors", labels.anchors());
  archive.put("labels.negatives", labels.negatives());
  archive.put("labels.without_partner_a", labels.without_partner(Side::kA));
  archive.put("labels.without_partner_b", labels.without_partner(Side::kB));
}

namespace {

template <class Archive>
LabelSet labels_in(Archive& archive, UserId users_a, UserId users_b) {
  if (archive.whole_number("labels.users_a") != std::int64_t{users_a} ||
      archive.whole_number("labels.users_b") != std::int64_t{users_b})
    throw InputError(archive.path(), 0, "found labels of other networks than the model's");
  LabelSet labels(users_a, users_b);
  const auto add_all = [&](const std::string& name, Label label) {
    for (const UserPair pair : archive.template values<UserPair>(name))
      if (pair.a >= users_a || pair.b >= users_b || labels.add(pair, label))
        throw InputError(archive.path(), 0, "found labels that do not fit together");
  };
  add_all("labels.anchors", Label::kAnchor);
  add_all("labels.negatives", Label::kNotAnchor);
  for (const Side side : {Side::kA, Side::kB}) {
    const std::string name =
        side == Side::kA ? "labels.without_partner_a" : "labels.without_partner_b";
    if (!archive.has(name)) continue;  // of a version that did not know them
    for (const UserId user : archive.template values<UserId>(name))
      if (user >= labels.user_count(side) || labels.add(no_partner(side, user), Label::kNotAnchor))
        throw InputError(archive.path(), 0, "found labels that do not fit together");
  }
  return labels;
}

}  // namespace

LabelSet load_labels(const ArchiveReader& archive, const NetworkPair& networks) {
  return labels_in(archive, networks.a.user_count(), networks.b.user_count());
}

LabelSet load_labels(ArchiveFile& archive, UserId users_a, UserId users_b) {
  return labels_in(archive, users_a, users_b);
}

Split split_truth(std::span<const UserPair> truth, const SplitSizes& sizes, Random random) {
  const std::size_t wanted = sizes.initial + sizes.validation + sizes.test;
  if (wanted > truth.size())
    throw ParameterError(fmt::format("found {} in the truth, expected at least {} "
                                     "({} initial + {} validation + {} test)",
                                     counted(truth.size(), "anchor pair"), wanted, sizes.initial,
                                     sizes.validation, sizes.test),
                         "lower --initial, --validation or --test");
  std::vector<UserPair> order(truth.begin(), truth.end());
  std::ranges::sort(order);  // the split must not depend on the order of the file
  random.shuffle(std::span(order));
  Split split;
  std::size_t place = 0;
  const auto take = [&](std::vector<UserPair>& part, std::size_t size) {
    part.assign(order.begin() + static_cast<std::ptrdiff_t>(place),
                order.begin() + static_cast<std::ptrdiff_t>(place + size));
    place += size;
  };
  take(split.initial, sizes.initial);
  take(split.validation, sizes.validation);
  take(split.test, sizes.test);
  take(split.pool, order.size() - place);
  return split;
}

std::vector<UserId> unanchored_users(const LabelSet& labels, Side side) {
  std::vector<UserId> users;
  for (UserId user = 0; user < labels.user_count(side); ++user)
    if (labels.is_open(side, user)) users.push_back(user);
  return users;
}

std::vector<bool> open_users(const LabelSet& labels, Side side) {
  std::vector<bool> open(labels.user_count(side));
  for (UserId user = 0; user < open.size(); ++user) open[user] = labels.is_open(side, user);
  return open;
}

}  // namespace dalaup
