#pragma once
// Attribute tables from words.
#include <fmt/format.h>

#include "attributes/attributes.h"
#include "support/support.h"

namespace dalaup {

// Networks of `users` people each, in a ring, with attributes given as CSV rows without header.
struct People {
  NetworkPair networks;
  std::shared_ptr<PairAttributes> attributes = std::make_shared<PairAttributes>();

  explicit People(int users) {
    std::string edges;
    for (int user = 0; user < users; ++user)
      edges += fmt::format("{} {}\n", user, (user + 1) % users);
    networks.a = network_of(edges);
    networks.b = network_of(edges);
    networks.attributes = attributes;
  }
  // One more field; the value of each user by its number, "" where nothing is known.
  template <class ValueA, class ValueB>
  void add_field(const std::string& name, ValueA&& of_a, ValueB&& of_b) {
    add(attributes->a, networks.a, name, of_a);
    add(attributes->b, networks.b, name, of_b);
  }

 private:
  template <class Value>
  static void add(AttributeTable& table, const Network& network, const std::string& name,
                  Value&& value) {
    table.fields.push_back(name);
    TextColumn column(network.user_count());
    for (UserId user = 0; user < network.user_count(); ++user)
      column.set(user, value(std::stoi(std::string(network.name(user)))));
    table.columns.push_back(std::move(column));
  }
};

}  // namespace dalaup
