#include "fuzz.h"
#include "labels/labels.h"

// Answers of both sides must agree, and taking every label back must leave nothing known.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dalaup;
  static const NetworkPair networks = [] {
    LineReader a(bytes_of("a b\nb c\nc d\nd e\n"), "a");
    LineReader b(bytes_of("u v\nv w\nw x\nx y\n"), "b");
    return NetworkPair{read_edges(a, {}), read_edges(b, {})};
  }();
  try {
    LabelReader rows(bytes_of(text_of(data, size)), "labels");
    LabelSet labels = read_labels(rows, networks);
    const std::vector<UserPair> anchors(labels.anchors().begin(), labels.anchors().end());
    for (const UserPair pair : anchors)
      if (labels.partner(Side::kB, pair.b) != pair.a || !labels.remove(pair)) std::abort();
    if (!labels.anchors().empty()) std::abort();
  } catch (const InputError&) {
  }
  return 0;
}
