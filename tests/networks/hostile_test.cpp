#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <ctime>

#include "support/support.h"

// Network files made to take forever, or to be read as something else than they look like.
namespace dalaup {
namespace {

using testing::HasSubstr;

Network read(const std::string& name, std::string_view content) {
  dalaup::Run run;
  return read_network(bytes_of(content), name, {}, run);
}

std::string fault(const std::string& name, std::string_view content) {
  try {
    read(name, content);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string graphml(const std::string& inner, const std::string& declaration = {}) {
  return declaration + "<graphml>\n<graph>\n" + inner + "\n</graph></graphml>";
}

std::string attributes(int count) {
  std::string text;
  for (int number = 0; number < count; ++number) text += fmt::format(" a{}=\"\"", number);
  return text;
}

// libxml2 compares all of them with each other: half a million took more than nine minutes.
TEST(HostileXml, ElementsWithThousandsOfAttributesAreRefusedAtOnce) {
  const std::string words = "found an element with more than 1,000 attributes";
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_THAT(fault("x.graphml", graphml("<node id='a'" + attributes(500000) + "/>")),
              HasSubstr("x.graphml:3: " + words));
  EXPECT_THAT(fault("x.gexf", "<gexf><graph><nodes><node id='a'" + attributes(2000) + "/>"),
              HasSubstr(words));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
  EXPECT_EQ(read("x.graphml", graphml("<node id='a'" + attributes(900) + "/>")).user_count(), 1U);
}

// Whoever finds a way to make the guard believe that it is in a comment or a text passes it.
TEST(HostileXml, CommentsAndTextsHideNoAttributes) {
  const std::string many = "<node id='a'" + attributes(2000) + "/>";
  for (const char* const before :
       {"<!---> <x y=\" -->", "<!-- - -- -->", "<!-- \" -->", "<![CDATA[<x y=\"]]>", "<?x y=\" ?>",
        "<data key='>\"'/>", "<data key=\"'>\"></data>", "<!----><!---->"})
    EXPECT_NE(fault("x.graphml", graphml(before + many)), "no error") << before;
  const std::string harmless = attributes(5000);
  for (const std::string& text :
       {"<!--" + harmless + "-->", "<data key='x'>" + harmless + "</data>",
        "<data key='x'><![CDATA[<y" + harmless + ">]]></data>", "<?x " + harmless + "?>"})
    EXPECT_EQ(fault("x.graphml", graphml("<node id='a'/>" + text)), "no error");
}

TEST(HostileXml, EncodingsThatHideMarkupAreRefused) {
  const auto with = [](const std::string& encoding) {
    return graphml("<node id='\xe4'/>", "<?xml version='1.0' encoding='" + encoding + "'?>");
  };
  EXPECT_THAT(fault("x.graphml", with("UTF-7")), HasSubstr("found the encoding \"UTF-7\""));
  EXPECT_THAT(fault("x.graphml", with("UTF-16")), HasSubstr("found the encoding"));
  EXPECT_THAT(fault("x.graphml", std::string("<\0g\0r\0", 6)), HasSubstr("found UTF-16"));
  EXPECT_THAT(fault("x.graphml", with("utf-8")), HasSubstr("found XML that cannot be read"));
  EXPECT_EQ(read("x.graphml", with("ISO-8859-1")).name(0), "\xc3\xa4");
}

// Of the processor: others may be using it as well.
double seconds_to_read(const std::string& name, const std::string& content) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begun = now();
  read(name, content);
  return now() - begun;
}

// Eight times the size takes eight times as long, not 64 times.
TEST(HostileNetworks, TakeAsLongAsTheyAreLarge) {
  const auto repeated = [](int count, const auto& one) {
    std::string text;
    for (int number = 0; number < count; ++number) text += one(number);
    return text;
  };
  const auto of_size = [&](const std::string& name, int count) -> std::string {
    if (name == "data.graphml")
      return graphml(
          "<node id='a'>" +
          repeated(count,
                   [](int number) { return fmt::format("<data key='k{}'>v</data>", number); }) +
          "</node>");
    if (name == "keys.graphml")
      return graphml(repeated(count,
                              [](int number) {
                                return fmt::format("<key for='node' id='k{}' attr.name='n'/>",
                                                   number);
                              }) +
                     "<node id='a'/>");
    if (name == "values.gexf")
      return "<gexf><graph><nodes><node id='a'><attvalues>" +
             repeated(
                 count,
                 [](int number) { return fmt::format("<attvalue for='{}' value='v'/>", number); }) +
             "</attvalues></node></nodes></graph></gexf>";
    return "{\"nodes\":[{\"id\":1" +
           repeated(count, [](int number) { return fmt::format(",\"k{}\":\"v\"", number); }) +
           "}],\"links\":[]}";
  };
  for (const char* const name : {"data.graphml", "keys.graphml", "values.gexf", "fields.json"}) {
    const double small = seconds_to_read(name, of_size(name, 10000));
    const double large = seconds_to_read(name, of_size(name, 80000));
    EXPECT_LT(large, 25.0 * std::max(small, 0.01)) << name << ": " << small << " s, " << large;
  }
}

// A source that is interrupted after the first bytes were read, and never ends by itself.
class EndlessSource final : public ByteSource {
 public:
  EndlessSource(std::string beginning, std::string rest, std::atomic<bool>& cancelled)
      : text_(std::move(beginning)), rest_(std::move(rest)), cancelled_(cancelled) {}
  std::size_t read(std::span<char> buffer) override {
    if (++reads_ > 100) cancelled_ = true;
    if (reads_ > 100000) return 0;
    while (text_.size() < buffer.size()) text_ += rest_;
    text_.copy(buffer.data(), buffer.size());
    text_.erase(0, buffer.size());
    return buffer.size();
  }

 private:
  std::string text_;
  std::string rest_;
  std::atomic<bool>& cancelled_;
  int reads_ = 0;
};

TEST(HostileNetworks, ReadingCanBeInterrupted) {
  const std::tuple<const char*, const char*, const char*> forms[] = {
      {"x.graphml", "<graphml><graph>", "<key id='x'/>  <!-- -->"},
      {"x.graphml", "<graphml><graph><node id='a'>", "<data key='x'>y</data>"},
      {"x.gexf", "<gexf>", "<meta/>"},
      {"x.json", "{\"nodes\":[", "[1,2,3],"},
      {"x.gml", "graph [\n", "  comment \"x\"\n"},
      {"x.net", "*Vertices 1\n", "% comment\n"},
      {"x.edges", "a b\n", "b c\n"},
      {"x.adjlist", "a b\n", "b c\n"},
      {"x.mtx", "%%MatrixMarket matrix coordinate pattern general\n", "% comment\n"},
  };
  for (const auto& [name, beginning, rest] : forms) {
    std::atomic<bool> cancelled = false;
    dalaup::Run run({.cancelled = &cancelled});
    EXPECT_THROW(
        read_network(std::make_unique<EndlessSource>(beginning, rest, cancelled), name, {}, run),
        Cancelled)
        << name;
    EXPECT_TRUE(cancelled) << name;
  }
}

TEST(HostileJson, DeepNestingIsRefusedInWords) {
  const std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
  EXPECT_THAT(fault("x.json", "{\"nodes\":[{\"id\":" + deep + "}],\"links\":[]}"),
              HasSubstr("found an array for \"id\" of node 1"));
  EXPECT_THAT(
      fault("x.json", "{\"nodes\":[{\"id\":1}],\"links\":[{\"source\":1,\"target\":1,\"weight\":" +
                          deep + "}]}"),
      HasSubstr("found an array for \"weight\" of link 1"));
  EXPECT_THAT(fault("x.json", "{\"elements\":{\"nodes\":[],\"edges\":[],\"x\":" + deep + "}}"),
              HasSubstr("found no users"));
}

}  // namespace
}  // namespace dalaup
