#include <fmt/format.h>
#include <gmock/gmock.h>

#include "networks/networks.h"
#include "support/samples.h"
#include "support/support.h"

// Files as they lie around (tests/networks/samples): how each is understood, or refused.
namespace dalaup {
namespace {

using testing::HasSubstr;

std::string sample(const std::string& file) { return sample_path("networks", file); }

struct Reading {
  Network network;
  std::string understood;
};

Reading read(const std::string& file, const ReadOptions& options = {}) {
  Reading reading;
  dalaup::Run run;
  reading.network = read_network(sample(file), options, run, &reading.understood);
  return reading;
}

// "ann-bob 2, bob-cid; lone" in order of users; > for directed edges.
std::string drawing_of(const Network& network) {
  std::string edges;
  std::string lone;
  const Adjacency& rows = network.is_directed() ? network.out() : network.both();
  for (UserId user = 0; user < network.user_count(); ++user) {
    if (network.degree(user) == 0) lone += fmt::format("; {}", network.name(user));
    for (std::size_t i = 0; i < rows.of(user).size(); ++i) {
      const UserId other = rows.of(user)[i];
      if (!network.is_directed() && other < user) continue;
      edges += fmt::format("{}{}{}{}", edges.empty() ? "" : ", ", network.name(user),
                           network.is_directed() ? ">" : "-", network.name(other));
      if (!rows.weights.empty() && rows.weights_of(user)[i] != 1.0F)
        edges += fmt::format(" {}", rows.weights_of(user)[i]);
    }
  }
  return edges + lone;
}

struct Expected {
  const char* file;
  const char* understood;
  const char* drawing;
};

class Samples : public testing::TestWithParam<Expected> {};

TEST_P(Samples, AreReadAsAPersonWould) {
  const Reading reading = read(GetParam().file);
  EXPECT_EQ(reading.understood, GetParam().understood);
  EXPECT_EQ(drawing_of(reading.network), GetParam().drawing);
}

INSTANTIATE_TEST_SUITE_P(
    Files, Samples,
    testing::Values(
        Expected{"excel-german.csv", "semicolon-separated, header, columns Quelle, Ziel, Gewicht",
                 "Müller, Anna-Øystein 0.5, Øystein-Agent 47 1.25"},
        Expected{"german-header.csv", "semicolon-separated, header, columns Quelle, Ziel",
                 "Müller, Anna-Øystein, Øystein-Bo"},
        Expected{"spanish-header.csv", "comma-separated, header, columns origen, destino",
                 "Ana-José, José-Bo"},
        Expected{"excel-sep.csv",
                 "semicolon-separated as its first line says, header, columns Quelle, Ziel",
                 "Müller, Anna-Øystein, Øystein-Agent 47"},
        Expected{"excel-sep-quoted.csv",
                 "comma-separated as its first line says, quoted, header, columns source, target",
                 "Smith, John-Lee, Lee-Bo"},
        Expected{"gephi-edges.csv",
                 "comma-separated, header, columns Source, Target, Weight "
                 "(not read: Type, Id, Label, timeset)",
                 "1-2, 2-3 2.5"},
        Expected{"names-with-spaces.tsv", "tab-separated, no header, columns 1, 2",
                 "Agent 47-James Bond, James Bond-M, M-Miss Moneypenny; Q"},
        Expected{"quoted.csv", "comma-separated, quoted, header, columns source, target",
                 "Smith, John-O\"Neil, Pat, O\"Neil, Pat-Lee"},
        Expected{"soc-snap.txt",
                 "tab-separated, no header, columns 1, 2; its SNAP header says directed: "
                 "--directed uses that",
                 "0-1, 1-2"},
        Expected{"out.konect",
                 "KONECT, separated by spaces, no header, columns 1, 2, 3; its KONECT header says "
                 "directed: --directed uses that",
                 "1-2, 1-4, 2-3 2"},
        Expected{"networkx-weighted.edgelist", "NetworkX edge list, no header, columns 1, 2, 3",
                 "ann-bob 3, bob-carl 5"},
        Expected{"zero-targets.txt", "separated by spaces, no header, columns 1, 2",
                 "1-0, 1-3, 2-3"},
        Expected{"node-data.json", "JSON, nodes and links", "ann-bob"},
        Expected{"node-elements.json", "JSON, nodes and links", "ann-bob"},
        Expected{"magic-names.txt", "separated by spaces, no header, columns 1, 2",
                 "BZhang-ann, ann-PAR1"},
        Expected{"films.tsv", "tab-separated, no header, columns 1, 2",
                 "Alien-Heat, Heat-From Dusk to Dawn, Heat-Speed"},
        Expected{"bracket-names.tsv", "tab-separated, no header, columns 1, 2",
                 "[ann]-[bob], [bob]-[cid]"},
        Expected{"letters-cpe.txt", "separated by spaces, no header, columns 1, 2",
                 "p-e, p-f, e-f"},
        Expected{"yed-lines.graphml", "GraphML", "Ann Lee-Bob"},
        Expected{"pairs.graph", "separated by spaces, no header, columns 1, 2", "ann-bob, bob-cid"},
        Expected{"networkx.edgelist", "NetworkX edge list, no header, columns 1, 2, 3",
                 "ann-bob, bob-cid 0.5"},
        Expected{"networkx.adjlist", "adjacency lists",
                 "ann-bob, ann-cid, ann-dan, ann-eve, bob-cid, cid-dan, cid-eve, cid-fay"},
        Expected{"node-link.json",
                 "JSON, nodes and links; the file says directed: --directed uses that",
                 "ann-bob 2, bob-7"},
        Expected{"gephi.gexf", "GEXF; the file says directed: --directed uses that",
                 "ann-bob 2, bob-cid"},
        Expected{"directed.graphml", "GraphML; the file says directed: --directed uses that",
                 "ann-bob, bob-cid"},
        Expected{"header-ids.csv", "comma-separated, header, columns user_id, friend_id",
                 "1-2, 2-3, 3-4"},
        Expected{"unsure-but-named.csv", "comma-separated, no header, columns 1, 2",
                 "Agent 47-Bond 7, Bond 7-Q 1"},
        Expected{"commas-in-names.txt", "separated by spaces, no header, columns 1, 2",
                 "Smith,J-Miller,K, Miller,K-Jones,P"},
        Expected{"with-times.csv",
                 "comma-separated, header, columns source, target (not read: timestamp)",
                 "ann-bob, bob-cid"},
        Expected{"swapped-header.csv", "comma-separated, header, columns source, target",
                 "bob-ann, bob-cid"},
        Expected{"users-in-a-row.txt", "separated by spaces, no header, columns 1, 2",
                 "user1-user2, user1-user5, user3-user4"},
        Expected{"comma-and-space.txt", "comma-separated, no header, columns 1, 2",
                 "ann-bob, bob-cid"},
        Expected{"quoted-with-spaces.txt", "separated by spaces, quoted, no header, columns 1, 2",
                 "Agent 47-James Bond, James Bond-M"},
        Expected{"excel-utf8.csv", "comma-separated, header, columns user_a, user_b",
                 "José-Ann Lee, Ann Lee-Bo"},
        Expected{"directed.gml", "GML; the file says directed: --directed uses that",
                 "ann-bob 2, bob-cid"},
        Expected{"pajek.net", "Pajek", "ann lee-bob 0.5, bob-cid"},
        Expected{"matrix.mtx", "Matrix Market", "1-2, 2-3"},
        Expected{"mixed.graphml", "GraphML; the file says directed: --directed uses that",
                 "ann-bob 0.5, bob-cid"},
        Expected{"node-link-edges.json", "JSON, nodes and links", "0-1, 1-2 3"},
        Expected{"packed.tsv.gz", "tab-separated, header, columns source, target",
                 "ann-bob, bob-cid"},
        Expected{"weights-later.edges", "separated by spaces, no header, columns 1, 2, 3",
                 "ann-bob, bob-cid, dan-eve 2"},
        Expected{"pandas-index.csv",
                 "comma-separated, header, columns source, target (not read: column 1)",
                 "ann-bob, bob-cid"},
        Expected{"single-letters.txt", "separated by spaces, no header, columns 1, 2",
                 "a-b, c-d, e-f"},
        Expected{"decimal-commas.txt", "semicolon-separated, no header, columns 1, 2, 3",
                 "1-2 3.5, 1-3 1.25, 2-3 0.5"},
        Expected{"bom-crlf.csv",
                 "semicolon-separated, quoted, header, columns source, target, weight",
                 "Müller; A-Bob 0.5, Bob-Cle\"o 1.25"},
        Expected{"one-column.txt", "separated by tabs, spaces or commas, no header, columns 1, 2",
                 "; ann; bob"},
        Expected{"networkx-tabs.edgelist", "NetworkX edge list, no header, columns 1, 2, 3",
                 "Ann Lee-Bob, Bob-Cid Fox 2"},
        Expected{"networkx.gml", "GML", "Müller & Co-Łukasz 😀; R&D &#; &#x;"},
        Expected{"yed.graphml", "GraphML", "Ann Lee-Bob"},
        Expected{"d3.json", "JSON, nodes and links", "ann-bob, bob-cid"},
        Expected{"vis.json", "JSON, nodes and links", "ann-bob"},
        Expected{"cytoscape.json", "JSON, nodes and links", "ann-bob"},
        Expected{"pandas-ab.csv",
                 "comma-separated, header, columns member, contact "
                 "(not read: column 1)",
                 "ann-bob, ann-cid, bob-cid"},
        Expected{"quoted-hashtags.csv", "comma-separated, quoted, header, columns from, to",
                 "#golang-ann, ann-bob"},
        Expected{"semicolons.txt", "semicolon-separated, no header, columns 1, 2",
                 "Smith, John-Miller, Kate, Miller, Kate-Lee"}),
    [](const auto& sample_info) {
      std::string name = sample_info.param.file;
      std::ranges::replace_if(
          name, [](char c) { return c == '-' || c == '.'; }, '_');
      return name;
    });

std::string fault(const std::string& file, const ReadOptions& options = {}) {
  return complaint_of([&] { read(file, options); });
}

TEST(Samples, WithDirectedKeepWhatTheFileSaysOfEveryEdge) {
  const auto directed = [](const char* file) { return read(file, {.directed = true}); };
  EXPECT_EQ(drawing_of(directed("directed.graphml").network), "ann>bob, bob>ann, bob>cid");
  EXPECT_EQ(drawing_of(directed("gephi.gexf").network), "ann>bob 2, bob>cid");
  EXPECT_EQ(drawing_of(directed("directed.gml").network), "ann>bob 2, cid>bob");
  EXPECT_EQ(drawing_of(directed("node-link.json").network), "ann>bob 2, bob>7");
  EXPECT_EQ(drawing_of(directed("pajek.net").network), "ann lee>bob 0.5, bob>cid, cid>bob");
  const Reading mixed = directed("mixed.graphml");
  EXPECT_EQ(mixed.understood, "GraphML; 1 edge goes both ways, as the file says");
  EXPECT_EQ(drawing_of(mixed.network), "ann>bob 0.5, bob>ann 0.5, cid>bob");
  const Reading undirected = directed("node-link-edges.json");
  EXPECT_EQ(undirected.understood,
            "JSON, nodes and links; all edges go both ways, as the file says");
  EXPECT_EQ(drawing_of(undirected.network), "0>1, 1>0, 1>2 3, 2>1 3");
}

TEST(SampleFaults, NameWhatAFileLooksLike) {
  EXPECT_EQ(fault("graphml-named-edges.edges"),
            "graphml-named-edges.edges: found what looks like GraphML, expected one edge a line | "
            "give the file a name that ends in .graphml");
  EXPECT_EQ(fault("adjacency.txt"),
            "adjacency.txt: found what looks like adjacency lists (a user and its neighbours a "
            "line), expected one edge a line | give the file a name that ends in .adjlist");
  EXPECT_EQ(fault("sheet.xlsx"),
            "sheet.xlsx: found a zip archive or an Excel file, expected a network | save the table "
            "as CSV first");
  EXPECT_THAT(fault("edges.parquet"), HasSubstr("found a Parquet file, expected a network"));
  EXPECT_THAT(fault("not-found.csv"), HasSubstr("found a web page, expected a network"));
  EXPECT_THAT(fault("graphviz.txt"),
              HasSubstr("found what looks like Graphviz, which is not read"));
  EXPECT_EQ(fault("excel-unicode.txt"),
            "excel-unicode.txt: found text in UTF-16, expected UTF-8 | convert the file first, for "
            "example with iconv -f utf-16 -t utf-8");
}

// Its users stand behind #, as comments do elsewhere: two of its three edges would be missing.
TEST(SampleFaults, RefuseIgraphsLglByItsName) {
  EXPECT_EQ(fault("igraph.lgl"),
            "igraph.lgl: found a name that ends in .lgl (LGL), which is not read | write one edge "
            "a line, for example with igraph: write_graph(g, \"a.edges\", \"ncol\")");
}

TEST(SampleFaults, ANumberBeyondDoublesIsAFaultOfTheFile) {
  EXPECT_THAT(fault("too-large-number.json"),
              HasSubstr("too-large-number.json: found a number of JSON that is too large, expected "
                        "numbers up to 1.8e308"));
}

TEST(SampleFaults, SayWhatSettlesThemWhenTwoReadingsArePossible) {
  EXPECT_EQ(fault("unsure-delimiter.txt"),
            "unsure-delimiter.txt: cannot tell whether columns are separated by comma (\"Agent "
            "47\" and \"Bond 7\") or by space (\"Agent\" and \"47,Bond\" and \"7\") | say which: "
            "--delimiter comma or --delimiter space");
  EXPECT_THAT(fault("unsure-weight.txt"), HasSubstr("--delimiter tab or --delimiter space"));
  EXPECT_EQ(
      fault("unsure-header.csv"),
      "unsure-header.csv: cannot tell whether the first line (\"foo\" and \"bar\") holds names "
      "of columns or of users | say which: --header yes or --header no");
  for (const char* const file : {"pandas-numbers.csv", "letters-above.csv", "german-words.csv"})
    EXPECT_THAT(fault(file), HasSubstr("holds names of columns or of users | say which: --header "
                                       "yes or --header no"))
        << file;
  EXPECT_THAT(fault("text-after-quote.csv"),
              HasSubstr("text-after-quote.csv:1: found text after a closing quote, expected the "
                        "next column | a quote inside a quoted cell is written twice; --quotes no "
                        "takes quotes for a part of the names"));
  EXPECT_THAT(fault("broken-name.csv"),
              HasSubstr("broken-name.csv:3: found a tab or line end inside the name"));
}

// A comma in one of the cells must not make users of "ann;bob;May 2" and "2019".
TEST(SampleFaults, AskWhichOfManyColumnsNameUsers) {
  EXPECT_EQ(fault("three-columns.csv"),
            "three-columns.csv: found 3 columns in every line, separated by semicolon; cannot tell "
            "which two of them name users | say which: --delimiter semicolon --columns 1,2, and "
            "--header yes if the first line names them");
  EXPECT_THAT(fault("attributes-german.csv"), HasSubstr("found 3 columns in every line"));
  const ReadOptions settled{
      .table = {.delimiter = "semicolon", .header = "yes", .columns = "who,whom"}};
  EXPECT_EQ(drawing_of(read("three-columns.csv", settled).network), "ann-bob, bob-cid, cid-dan");
}

TEST(SampleFaults, NameWhatNoReaderTakesApart) {
  EXPECT_EQ(fault("bars-only.txt"),
            "bars-only.txt: found no tabs, commas, semicolons or spaces, but \"|\" in every line | "
            "if it separates the names give --delimiter '|', else --delimiter tab");
  EXPECT_THAT(fault("old-mac.csv"),
              HasSubstr("old-mac.csv:1: found carriage returns and no line ends"));
  EXPECT_EQ(fault("single-quotes.csv"),
            "single-quotes.csv: found all names in single quotes, such as \"'ann'\" | only double "
            "quotes are taken off; --quotes no leaves these in the names");
  EXPECT_THAT(fault("header-only.csv"), HasSubstr("header-only.csv: found no users"));
  EXPECT_THAT(fault("missing-name.tsv"), HasSubstr("missing-name.tsv:3: found an empty name"));
  EXPECT_THAT(fault("missing-name.csv"), HasSubstr("missing-name.csv:3: found an empty name"));
  EXPECT_THAT(fault("missing-target.txt"), HasSubstr("missing-target.txt:2: found an empty name"));
}

// Their lines would pass for edges, or for nothing that can be mended.
TEST(SampleFaults, NameWhatProgramsWriteAndNobodyReads) {
  const auto refused = [](const char* file, const char* words) {
    EXPECT_THAT(fault(file), HasSubstr(words)) << file;
  };
  refused("edges.tsv.bz2", "found bzip2 data, expected a network | unpack it first with bzip2 -d");
  refused("edges.tsv.xz", "found xz data, expected a network | unpack it first with xz -d");
  refused("edges.tar", "found a tar archive, expected a network");
  refused("old-excel.xls", "found an Excel file, expected a network | save the table as CSV first");
  refused("plain-named.tsv.gz",
          "found data that is not gzip, expected gzip as its name says | was it unpacked already? "
          "then take .gz off its name");
  refused("plain-named.tsv.zst", "found data that is not zstd, expected zstd as its name says");
  refused("networkx-multiline.adjlist",
          "found what looks like NetworkX's multi-line adjacency lists, which is not read | write "
          "them with networkx.write_adjlist");
  refused("metis.graph", "found a name that ends in .graph (METIS), which is not read");
  refused("dimacs.txt", "found what looks like DIMACS, which is not read");
  refused("ucinet.txt", "found what looks like UCINET DL, which is not read");
  refused("other.xml", "found what looks like XML other than GraphML and GEXF");
  refused("igraph-graphviz.txt", "found what looks like Graphviz");
  refused("dump.sql", "found SQL, expected a network");
  refused("table.md", "found a table in Markdown, expected a network");
  refused("adjacency.json", "networkx.adjacency_data wrote this");
  refused("edge-list.json",
          "found an array, expected an object with nodes and links | a list of "
          "edges?");
  refused("one-a-line.json", "| one object a line?");
  refused("one-a-line.jsonl", "found what looks like JSON, expected one edge a line");
  refused("matrix.csv", "found what looks like an adjacency matrix, expected one edge a line");
  refused("matrix.txt", "found what looks like an adjacency matrix, expected one edge a line");
}

TEST(SampleFaults, NameTablesThatAreNoEdges) {
  EXPECT_EQ(fault("gephi-nodes.csv"),
            "gephi-nodes.csv:1: found the columns Id, Label, expected two that name the users of "
            "an edge | is this a list of users instead of edges? to read it all the same give "
            "--columns 1,2");
  EXPECT_EQ(fault("row-numbers.csv"),
            "row-numbers.csv: cannot tell whether the first column, which counts the rows, is one "
            "of users | say which columns to read: --columns 2,3 without it, --columns 1,2,3 with "
            "it");
  EXPECT_EQ(fault("arrows.txt"),
            "arrows.txt: found \" -> \" between the names of every line, expected a tab or comma | "
            "put tabs there first, for example with sed 's/ -> /\\t/'");
  EXPECT_THAT(fault("dashes.txt"), HasSubstr("--delimiter '-' reads them"));
  EXPECT_THAT(fault("tuples.txt"),
              HasSubstr("found every row in brackets, such as \"(0\" and \"1)\""));
  EXPECT_EQ(fault("title-lines.csv"),
            "title-lines.csv:4: found what looks like the header (Source, Target, Weight), "
            "expected it in the first line | take the 3 lines above it out, or give --header no if "
            "all are data");
  EXPECT_EQ(fault("thousands.csv"),
            "thousands.csv:2: found weight \"1.234,5\", expected a positive number, 1.2e-38 to "
            "3.4e38 | weights have no separators of thousands");
  EXPECT_THAT(fault("attributes-as-network.csv"),
              HasSubstr("found 3 columns in every line, separated by comma"));
  const auto columns = [](const char* file, const char* named) {
    return drawing_of(read(file, {.table = {.columns = named}}).network);
  };
  EXPECT_EQ(columns("row-numbers.csv", "2,3"), "3-4, 3-5, 3-6, 4-5, 4-6, 5-6");
  EXPECT_EQ(columns("gephi-nodes.csv", "Id,Label"), "0-ann, 1-bob, 2-cid");
  EXPECT_EQ(drawing_of(read("dashes.txt", {.table = {.delimiter = "-", .columns = {}}}).network),
            "Ann Lee-bob, bob-cid");
}

// What is read as it stands, and what nobody wants without knowing.
TEST(Samples, AreReadWithAWarningWhereSomethingIsOdd) {
  const auto warning = [](const char* file) {
    std::string all;
    dalaup::Run run({.on_warning = [&](const std::string& words) {
      const std::size_t folder = words.rfind("samples/");
      all += words.substr(folder == std::string::npos ? 0 : folder + 8) + "\n";
    }});
    read_network(sample(file), {}, run);
    return all;
  };
  EXPECT_EQ(warning("comments-behind-names.tsv"),
            "comments-behind-names.tsv: 1 name holds \" #\", such as \"bob # school\"; comments "
            "have a line of their own, what stands behind a name belongs to it\n");
  EXPECT_THAT(warning("shortened-ids.csv"),
              HasSubstr("3 names are numbers in scientific notation, such as \"1.23457E+11\""));
  EXPECT_EQ(warning("hashtags.csv"),
            "hashtags.csv: 2 lines below the first begin with # and were left out as comments; if "
            "# belongs to names, put these in quotes: \"#name\"\n");
  EXPECT_THAT(warning("alike.csv"), HasSubstr("2 names look like others, such as \"Ann\u00a0Lee\" "
                                              "and \"Ann Lee\""));
  EXPECT_EQ(warning("unknown-header.csv"),
            "unknown-header.csv: the users of the first line, \"Vertreter\" and \"Kunde\", are "
            "found nowhere else; if it is a header, give --header yes\n");
  EXPECT_THAT(warning("pairs.tsv"), HasSubstr("no user has more than one neighbour; is this a list "
                                              "of pairs or of users, instead of a network?"));
  for (const char* const fine : {"names-with-spaces.tsv", "excel-german.csv", "single-letters.txt"})
    EXPECT_EQ(warning(fine), "") << fine;
}

TEST(Samples, ReadWithDirectionCanStillTellWhatTheFileSays) {
  const auto told = [](const char* file) {
    return read(file, {.directed = true, .tells_direction = true}).understood;
  };
  EXPECT_THAT(told("soc-snap.txt"), HasSubstr("its SNAP header says directed: --directed"));
  EXPECT_EQ(told("mixed.graphml"), "GraphML; the file says directed: --directed uses that");
  EXPECT_EQ(told("node-link-edges.json"), "JSON, nodes and links");
}

TEST(SampleFaults, AreSettledByTheOptionsTheyName) {
  EXPECT_EQ(
      drawing_of(read("pandas-numbers.csv", {.table = {.header = "yes", .columns = {}}}).network),
      "ann lee-bob, bob-cid, cid-dan");
  EXPECT_EQ(
      drawing_of(read("single-quotes.csv", {.table = {.quotes = "no", .columns = {}}}).network),
      "'ann'-'bob', 'bob'-'cid'");
  EXPECT_EQ(drawing_of(read("bars-only.txt", {.table = {.delimiter = "|", .columns = {}}}).network),
            "ann-bob, bob-cid");
  EXPECT_EQ(
      drawing_of(
          read("unsure-delimiter.txt", {.table = {.delimiter = "comma", .columns = {}}}).network),
      "Agent 47-Bond 7, Bond 7-Q 1");
  EXPECT_EQ(
      drawing_of(
          read("unsure-weight.txt", {.table = {.delimiter = "space", .columns = {}}}).network),
      "ann-bob 0.5, bob-cid 2");
  EXPECT_EQ(
      drawing_of(read("unsure-header.csv", {.table = {.header = "yes", .columns = {}}}).network),
      "1-2, 2-3");
  EXPECT_EQ(
      drawing_of(read("unsure-header.csv", {.table = {.header = "no", .columns = {}}}).network),
      "foo-bar, 1-2, 2-3");
  EXPECT_EQ(
      drawing_of(read("text-after-quote.csv", {.table = {.quotes = "no", .columns = {}}}).network),
      "\"Bob\" Smith-Ann, \"Al\" Lee-Bob");
  EXPECT_EQ(drawing_of(read("bars.txt", {.table = {.delimiter = "|", .columns = {}}}).network),
            "ann-bob, bob-cid");
  EXPECT_EQ(
      drawing_of(
          read("bars.txt", {.table = {.delimiter = "|", .columns = "from,to,calls"}}).network),
      "ann-bob 3, bob-cid");
  EXPECT_EQ(
      drawing_of(read("bars.txt", {.table = {.delimiter = "|", .header = "no", .columns = "2,3"}})
                     .network),
      "from-to, ann-bob, bob-cid");
  EXPECT_THAT(fault("bars.txt", {.table = {.delimiter = "|", .columns = "from,whom"}}),
              HasSubstr("found no column \"whom\"; its columns are day, from, to, calls"));
  EXPECT_THAT(fault("bars.txt", {.table = {.delimiter = "bar", .columns = {}}}),
              HasSubstr("--delimiter: found \"bar\", expected auto, tab, comma"));
}

}  // namespace
}  // namespace dalaup
