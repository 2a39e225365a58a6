#include <fmt/format.h>
#include <gmock/gmock.h>
#include <zlib.h>
#include <zstd.h>

#include <map>
#include <set>

#include "support/support.h"

namespace dalaup {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Reading {
  Network network;
  std::vector<std::string> warnings;
};

Reading read(const std::string& name, std::string_view content, const ReadOptions& options = {}) {
  Reading reading;
  dalaup::Run run(
      {.on_warning = [&](const std::string& words) { reading.warnings.push_back(words); }});
  reading.network = read_network(bytes_of(content), name, options, run);
  return reading;
}

// "message | hint" of the InputError that reading must end with.
std::string fault(const std::string& name, std::string_view content,
                  const ReadOptions& options = {}) {
  try {
    read(name, content, options);
  } catch (const InputError& error) {
    return std::string(error.what()) + " | " + error.hint();
  }
  return "no error";
}

std::vector<std::string> names_of(const Network& network) {
  std::vector<std::string> names;
  for (UserId user = 0; user < network.user_count(); ++user) names.emplace_back(network.name(user));
  return names;
}

// alice(0) - bob(1) - carol(2), weights 2 and 1; dave(3) has no neighbours
void expect_path_and_loner(const Network& network) {
  EXPECT_THAT(names_of(network), ElementsAre("alice", "bob", "carol", "dave"));
  EXPECT_EQ(network.edge_count(), 2U);
  EXPECT_THAT(network.neighbours(1), ElementsAre(0U, 2U));
  EXPECT_THAT(network.neighbours(3), IsEmpty());
  ASSERT_TRUE(network.has_weights());
  EXPECT_THAT(network.both().weights_of(1), ElementsAre(2.0F, 1.0F));
}

TEST(TextNetwork, TakesTabsSpacesCommasCommentsWeightsAndLoneUsers) {
  expect_path_and_loner(
      read("x.edges", "# friends\nalice\tbob\t2\r\n\n bob , carol\ndave\n").network);
}

TEST(TextNetwork, SkipsAByteOrderMarkAndTakesAnyUtf8Name) {
  EXPECT_THAT(names_of(read("x", "\xef\xbb\xbfzo\xc3\xab li\xc3\xa9\n").network),
              ElementsAre("zo\xc3\xab", "li\xc3\xa9"));
}

TEST(TextNetwork, NamesDifferingOnlyInTrailingSpacesAreOneName) {
  EXPECT_EQ(read("x", "alice bob \nalice  bob\n").network.user_count(), 2U);
}

TEST(TextNetwork, DuplicatesAndSelfLoopsAreDroppedAndCounted) {
  const Reading reading = read("x.edges", "a b 3\nb a 5\na b\na a\n");
  EXPECT_EQ(reading.network.edge_count(), 1U);
  EXPECT_THAT(reading.network.both().weights_of(0), ElementsAre(3.0F));
  EXPECT_THAT(reading.warnings,
              ElementsAre("x.edges: 1 self-loop dropped", "x.edges: 2 duplicate edges dropped"));
}

TEST(TextNetwork, DirectionIsKeptWhenAskedFor) {
  const Network network = read("x", "a b\nb a\nb c\n", {.directed = true}).network;
  EXPECT_EQ(network.arc_count(), 3U);
  EXPECT_EQ(network.edge_count(), 2U);
  EXPECT_THAT(network.out().of(1), ElementsAre(0U, 2U));
  EXPECT_THAT(network.in().of(2), ElementsAre(1U));
}

TEST(TextNetwork, EveryFaultIsNamedWithItsLine) {
  EXPECT_EQ(fault("x", ""),
            "x: found no users, expected one edge a line | such as \"alice bob\"; lines starting "
            "with # are skipped");
  EXPECT_EQ(fault("x", "a b\na b 1 2\n"),
            "x:2: found 4 columns, expected two user names and an optional weight | do the names "
            "hold spaces or commas? then separate them by tabs; --columns 1,2 reads two of many "
            "columns");
  for (const char* const weight : {"0", "-1", "nan", "inf", "1e999", "1e-300", "heavy", "1x"})
    EXPECT_EQ(
        fault("x", std::string("a b\nb c ") + weight + "\n"),
        std::string("x:2: found weight \"") + weight +
            "\", expected a positive number, 1.2e-38 to 3.4e38 | leave the third column out if "
            "the edges have no weights, or read only two with --columns");
  EXPECT_EQ(
      fault("x", "a b\nc \xff\xfe\n"),
      "x:2: found bytes that are not UTF-8 in \"c \\xff\\xfe\", expected UTF-8 text | convert "
      "the file first, for example with iconv -f latin1 -t utf-8");
  EXPECT_EQ(fault("x", std::string_view("a b\nc\0d e\n", 10)),
            "x:2: found a NUL byte, expected UTF-8 text | a binary or UTF-16 file? convert it to "
            "UTF-8 first, for example with iconv");
  EXPECT_EQ(fault("x", "a b\n" + std::string(10'000'000, 'x')),
            "x:2: found a line longer than 1,048,576 bytes, expected short lines of text | is this "
            "a text file with one record a line?");
  EXPECT_EQ(
      fault("x", "a b\nc d\n", {.most_users = 3}),
      "x: found more than 3 users, expected at most that many | split the network into parts");
}

TEST(TextNetwork, MissingFilesAndFoldersAreRefused) {
  dalaup::Run run;
  const TemporaryFolder folder;
  EXPECT_THROW(read_network(folder / "none.edges", {}, run), InputError);
  try {
    read_network(folder.path(), {}, run);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("found a folder, expected a file"));
  }
}

TEST(TextNetwork, ManyUsersKeepTheOrderOfFirstAppearance) {
  std::string text;
  for (int i = 0; i < 20000; ++i)
    text += "user-number-" + std::to_string(i) + " u" + std::to_string(i / 3) + "\n";
  const Network network = read("x", text).network;
  EXPECT_EQ(network.name(0), "user-number-0");
  EXPECT_EQ(network.name(1), "u0");
  EXPECT_EQ(network.name(2), "user-number-1");
  EXPECT_EQ(network.edge_count(), 20000U);
  for (UserId user = 0; user < network.user_count(); ++user)
    ASSERT_EQ(network.find(network.name(user)), user);
  EXPECT_EQ(network.find("user-number-20000"), kNoUser);
}

// The reader looks at eight bytes at a time and settles names by their first eight: names around
// and beyond that length, alike in the beginning, between all separators, against a reader that
// goes byte by byte.
TEST(TextNetwork, AgreesWithAByteByByteTwinOnNamesOfAnyLength) {
  Random random(7, "names");
  std::vector<std::string> names;
  for (std::size_t length = 1; length <= 40; ++length)
    for (int variant = 0; variant < 6; ++variant) {
      std::string name(length, 'n');
      name[random.below(length)] = static_cast<char>('a' + variant);
      names.push_back(name);
    }
  const std::vector<std::string> separators{" ", "\t", ",", " \t,", "  "};
  std::string text;
  std::vector<std::string> order;  // of first appearance
  std::set<std::pair<std::string, std::string>> edges;
  const auto meet = [&](const std::string& name) {
    if (std::ranges::find(order, name) == order.end()) order.push_back(name);
  };
  for (int line = 0; line < 20'000; ++line) {
    const std::string& from = names[random.below(names.size())];
    const std::string& to = names[random.below(names.size())];
    const auto separator = [&] { return separators[random.below(separators.size())]; };
    meet(from);
    if (random.chance(0.1)) text += separator();
    text += from;
    if (random.chance(0.9)) {
      meet(to);
      if (from != to) edges.insert(std::minmax(from, to));
      text += separator() + to;
      if (random.chance(0.1)) text += separator() + "0.5";
    }
    if (random.chance(0.1)) text += separator();
    text += random.chance(0.1) ? "\r\n" : "\n";
  }
  const Network network = read("x", text).network;
  ASSERT_EQ(network.user_count(), order.size());
  for (UserId user = 0; user < network.user_count(); ++user)
    ASSERT_EQ(network.name(user), order[user]);
  ASSERT_EQ(network.edge_count(), edges.size());
  for (const auto& [left, right] : edges)
    ASSERT_TRUE(
        std::ranges::binary_search(network.neighbours(network.find(left)), network.find(right)))
        << left << " " << right;
}

// Sorted rows with the first weight of each neighbour, the obvious way.
using Rows = std::vector<std::map<UserId, float>>;

void expect_rows(const Adjacency& rows, const Rows& expected) {
  ASSERT_EQ(rows.begins.size(), expected.size() + 1);
  for (UserId user = 0; user < expected.size(); ++user) {
    std::vector<std::pair<UserId, float>> found;
    for (std::size_t i = 0; i < rows.of(user).size(); ++i)
      found.emplace_back(rows.of(user)[i], rows.weights.empty() ? 1.0F : rows.weights_of(user)[i]);
    EXPECT_THAT(found, testing::ElementsAreArray(expected[user])) << "row " << user;
  }
}

TEST(TextNetwork, RowsAgreeWithAnObviousTwin) {
  Random random(3, "rows");
  for (const bool weighted : {false, true})
    for (const UserId users : {2U, 7U, 60U}) {
      std::string text;
      for (UserId user = 0; user < users; ++user) text += fmt::format("u{}\n", user);
      Rows out(users);
      Rows in(users);
      Rows both(users);
      for (int line = 0; line < 300; ++line) {
        const auto from = static_cast<UserId>(random.below(users));
        const auto to = static_cast<UserId>(random.below(users));
        const float weight = weighted ? 1.0F + static_cast<float>(line) : 1.0F;
        text += weighted ? fmt::format("u{} u{} {}\n", from, to, weight)
                         : fmt::format("u{} u{}\n", from, to);
        if (from == to) continue;
        out[from].try_emplace(to, weight);
        in[to].try_emplace(from, weight);
        both[from].try_emplace(to, weight);
        both[to].try_emplace(from, weight);
      }
      const Network directed = read("x", text, {.directed = true}).network;
      expect_rows(directed.out(), out);
      expect_rows(directed.in(), in);
      expect_rows(directed.both(), both);
      expect_rows(read("x", text).network.both(), both);
    }
}

TEST(TextNetwork, AFileWithoutAnyEdgeIsWarnedOf) {
  EXPECT_THAT(read("x", "alice\nbob\n").warnings,
              testing::Contains(HasSubstr("found 2 users and no edge; tabs, spaces")));
  EXPECT_THAT(read("x", "a b\n").warnings, testing::IsEmpty());
}

TEST(TextNetwork, WritingAndReadingGivesTheSameNetwork) {
  const TemporaryFolder folder;
  dalaup::Run run;
  for (const bool directed : {false, true}) {
    const Network network = network_of("a b 2\nb c\nlone\nc a 0.25\n", directed);
    write_edges(folder / "n.edges", network);
    const Network again = read_network(folder / "n.edges", {.directed = directed}, run);
    ASSERT_EQ(again.user_count(), network.user_count());
    for (UserId user = 0; user < network.user_count(); ++user)
      EXPECT_EQ(again.degree(again.find(network.name(user))), network.degree(user));
  }
}

TEST(TextNetwork, ANameThatTheTextFormCannotHoldIsNotWritten) {
  const TemporaryFolder folder;
  const Network network = read("x.gml", "graph [ node [ id 1 label \"a b\" ] ]").network;
  EXPECT_THROW(write_edges(folder / "n.edges", network), InputError);
  EXPECT_FALSE(file_exists(folder / "n.edges"));
}

std::string gzip(const std::string& plain) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(plain.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd(const std::string& plain) {
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3));
  return packed;
}

constexpr const char* kGml =
    "Creator \"hand\"\ngraph [\n  directed 0\n  node [ id 10 label \"alice\" ]\n"
    "  node [ id 11 label \"bob\" graphics [ x 1.0 ] ]\n  node [ id 12 label \"carol\" ]\n"
    "  node [ id 13 label \"dave\" ]\n  edge [ source 10 target 11 weight 2 ]\n"
    "  edge [ source 11 target 12 ]\n]\n";

TEST(CompressedNetwork, EveryFormMayBeCompressed) {
  const TemporaryFolder folder;
  dalaup::Run run;
  write_file(folder / "n.gml.gz", gzip(kGml));
  write_file(folder / "n.gml.zst", zstd(kGml));
  write_file(folder / "n.edges.gz", gzip("alice bob 2\n") + gzip("bob carol\ndave\n"));
  for (const char* const name : {"n.gml.gz", "n.gml.zst", "n.edges.gz"})
    expect_path_and_loner(read_network(folder / name, {}, run));
}

TEST(CompressedNetwork, TruncationAtEveryByteIsNoticed) {
  const TemporaryFolder folder;
  dalaup::Run run;
  for (const auto& [name, packed] :
       {std::pair<std::string, std::string>{"t.gz", gzip("a b\nb c\n")},
        {"t.zst", zstd("a b\nb c\n")}}) {
    for (std::size_t size = 0; size < packed.size(); ++size) {
      write_file(folder / name, packed.substr(0, size));
      EXPECT_THROW(read_network(folder / name, {}, run), InputError) << name << " " << size;
    }
  }
}

TEST(CompressedNetwork, TruncatedDataIsNamed) {
  const TemporaryFolder folder;
  dalaup::Run run;
  write_file(folder / "t.gz", gzip("a b\n").substr(0, 15));
  try {
    read_network(folder / "t.gz", {}, run);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(),
              (folder / "t.gz") + ": found truncated gzip data, expected a whole gzip file");
    EXPECT_EQ(error.hint(), "copy or download the file again");
  }
}

TEST(GmlNetwork, LabelsBecomeNames) { expect_path_and_loner(read("x.gml", kGml).network); }

TEST(GmlNetwork, IdsAreNamesWhenLabelsRepeatOrAreMissing) {
  const Reading repeated =
      read("x.gml", "graph [ node [ id 1 label \"x\" ]\nnode [ id 2 label \"x\" ] ]");
  EXPECT_THAT(names_of(repeated.network), ElementsAre("1", "2"));
  EXPECT_THAT(repeated.warnings,
              ElementsAre("x.gml:2: the label \"x\" repeats, so labels are not used as names"));
  const Reading missing = read("x.gml", "graph [ node [ id 1 label \"x\" ] node [ id 2 ] ]");
  EXPECT_THAT(names_of(missing.network), ElementsAre("1", "2"));
  EXPECT_THAT(missing.warnings,
              ElementsAre("x.gml: not every node has a label, so labels are not used as names"));
}

TEST(GmlNetwork, FaultsAreNamed) {
  EXPECT_THAT(fault("x.gml", "a b\n"), HasSubstr("x.gml: found no graph, expected"));
  EXPECT_THAT(fault("x.gml", "graph [\n node [ id 1 ]\n"),
              HasSubstr("x.gml:1: found a list without its end"));
  EXPECT_THAT(fault("x.gml", "graph [ node [ label \"a\" ] ]"),
              HasSubstr("x.gml:1: found a node without an id"));
  EXPECT_THAT(fault("x.gml", "graph [ node [ id 1 ]\nnode [ id 1 ] ]"),
              HasSubstr("x.gml:2: found the node \"1\" again, first declared in line 1"));
  EXPECT_THAT(fault("x.gml", "graph [ node [ id 1 ]\nedge [ source 1 target 2 ] ]"),
              HasSubstr("x.gml:2: found an edge to \"2\", expected a declared node"));
  EXPECT_THAT(
      fault("x.gml", "graph [ node [ id 1 ] edge [ source 1 target 1 weight -2 ] ]"),
      HasSubstr("x.gml:1: found weight \"-2\", expected a positive number, 1.2e-38 to 3.4e38"));
  EXPECT_THAT(fault("x.gml", "graph [ node [ id 1 label \"a"), HasSubstr("without its end"));
  EXPECT_THAT(fault("x.gml", "graph [ ]"), HasSubstr("x.gml: found no users"));
  std::string deep = "graph [ ";
  for (int i = 0; i < 10000; ++i) deep += "x [ ";
  EXPECT_THAT(fault("x.gml", deep), HasSubstr("nested deeper than 64"));
}

TEST(PajekNetwork, LabelsBecomeNames) {
  expect_path_and_loner(read("x.net",
                             "% hand\n*Vertices 4\n1 \"alice\" 0.1 0.2\n2 bob\n3 \"carol\"\n"
                             "4 \"dave\"\n*Edges\n1 2 2.0\n*Arcslist\n2 3\n")
                            .network);
}

TEST(PajekNetwork, VerticesWithoutLinesAreNamedByNumber) {
  EXPECT_THAT(names_of(read("x.net", "*vertices 3\n*edges\n1 3\n").network),
              ElementsAre("1", "2", "3"));
}

TEST(PajekNetwork, EdgesGoBothWaysAndArcsOneWay) {
  const Network network =
      read("x.net", "*Vertices 3\n*Edges\n1 2\n*Arcs\n2 3\n", {.directed = true}).network;
  EXPECT_EQ(network.arc_count(), 3U);
  EXPECT_THAT(network.out().of(2), IsEmpty());
}

TEST(PajekNetwork, FaultsAreNamed) {
  EXPECT_THAT(fault("x.net", "1 2\n"), HasSubstr("x.net:1: found \"1\", expected \"*Vertices\""));
  EXPECT_THAT(fault("x.net", ""), HasSubstr("found no *Vertices line"));
  EXPECT_THAT(fault("x.net", "*Vertices 2\n*Edges\n1 3\n"),
              HasSubstr("x.net:3: found vertex \"3\", expected a number from 1 to 2"));
  EXPECT_THAT(fault("x.net", "*Vertices 2\n1 \"a\n"), HasSubstr("without its end"));
  EXPECT_THAT(fault("x.net", "*Vertices 2\n*Matrix\n0 1\n"),
              HasSubstr("x.net:2: found the section \"*matrix\""));
  EXPECT_THAT(fault("x.net", "*Vertices 88888883888\n"), HasSubstr("found more than"));
}

TEST(MatrixMarketNetwork, NumbersBecomeNames) {
  const Network network =
      read("x.mtx",
           "%%MatrixMarket matrix coordinate real symmetric\n% hand\n4 4 2\n2 1 2.0\n3 2 1\n")
          .network;
  EXPECT_THAT(names_of(network), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(network.neighbours(1), ElementsAre(0U, 2U));
  EXPECT_THAT(network.both().weights_of(1), ElementsAre(2.0F, 1.0F));
}

TEST(MatrixMarketNetwork, FaultsAreNamed) {
  const std::string banner = "%%MatrixMarket matrix coordinate pattern general\n";
  EXPECT_THAT(fault("x.mtx", "1 2\n"),
              HasSubstr("x.mtx:1: found \"1 2\", expected a Matrix Market"));
  EXPECT_THAT(fault("x.mtx", "%%MatrixMarket matrix array real general\n"),
              HasSubstr("found the form \"array\", expected coordinate"));
  EXPECT_THAT(fault("x.mtx", banner + "2 3 1\n"), HasSubstr("found 2 rows and 3 columns"));
  EXPECT_THAT(fault("x.mtx", banner + "2 2 1\n1 3\n"),
              HasSubstr("x.mtx:3: found user 3, expected a number from 1 to 2"));
  EXPECT_THAT(fault("x.mtx", banner + "2 2 2\n1 2\n"), HasSubstr("found 1 entry, expected 2"));
  EXPECT_THAT(fault("x.mtx", banner + "2 2 1\n1 2 3\n"), HasSubstr("found 3 columns, expected 2"));
}

constexpr const char* kGraphml =
    "<?xml version=\"1.0\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
    "<key id=\"d0\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n"
    "<key id=\"d1\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
    "<graph edgedefault=\"undirected\">\n"
    "<node id=\"n0\"><data key=\"d0\"> alice </data></node>\n"
    "<node id=\"n1\"><data key=\"d0\">bob</data></node>\n"
    "<node id=\"n2\"><data key=\"d0\"><![CDATA[carol]]></data></node>\n"
    "<node id=\"n3\"><data key=\"d0\">d&#97;ve</data></node>\n"
    "<edge source=\"n0\" target=\"n1\"><data key=\"d1\">2.0</data></edge>\n"
    "<edge source=\"n1\" target=\"n2\"/>\n</graph></graphml>\n";

TEST(GraphmlNetwork, NamesAndWeightsAreTaken) {
  expect_path_and_loner(read("x.graphml", kGraphml).network);
}

TEST(GraphmlNetwork, FaultsAreNamed) {
  const auto graph = [](const std::string& inner) {
    return "<graphml>\n<graph>\n" + inner + "\n</graph></graphml>";
  };
  EXPECT_THAT(fault("x.graphml", ""), HasSubstr("x.graphml"));
  EXPECT_THAT(fault("x.graphml", "alice bob\n"), HasSubstr("found XML that cannot be read"));
  EXPECT_THAT(fault("x.graphml", "<html/>"), HasSubstr("found <html>, expected <graphml>"));
  EXPECT_THAT(fault("x.graphml", std::string(kGraphml).substr(0, 500)),
              HasSubstr("found XML that cannot be read"));
  EXPECT_THAT(fault("x.graphml", graph("")), HasSubstr("x.graphml: found no users"));
  EXPECT_THAT(fault("x.graphml", graph("<node/>")),
              HasSubstr("x.graphml:3: found a <node> without an id"));
  EXPECT_THAT(fault("x.graphml", graph("<node id='a'/><edge source='a' target='b'/>")),
              HasSubstr("x.graphml:3: found an edge to \"b\", expected a declared node"));
  EXPECT_THAT(
      fault("x.graphml", "<!DOCTYPE graphml [<!ENTITY a \"x\">]>\n" + graph("<node id='&a;'/>")),
      HasSubstr("found a document type"));
}

TEST(GraphmlNetwork, ReadersRunInSeveralThreadsAtOnce) {
  dalaup::Run run({.threads = 4});
  run.for_pieces(64, 1, [](const Piece& piece) {
    if (piece.begin % 2 == 0)
      EXPECT_EQ(read("x.graphml", kGraphml).network.edge_count(), 2U);
    else
      EXPECT_NE(fault("x.graphml", "<graphml><"), "no error");
  });
}

}  // namespace
}  // namespace dalaup
