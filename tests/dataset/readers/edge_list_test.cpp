#include <gmock/gmock.h>

#include "support/edge_lists.h"

namespace gs::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(EdgeList, KeepsIntegersFromZero) {
  const RawDataset raw = read_edges_text("0,1\n2,1\n1,1\n");
  EXPECT_EQ(raw.name, "graph");
  EXPECT_EQ(raw.nodes, 3);
  EXPECT_THAT(raw.edges.source, ElementsAre(0, 2, 1));
  EXPECT_THAT(raw.edges.target, ElementsAre(1, 1, 1));
  EXPECT_THAT(raw.edges.weight, IsEmpty());
  EXPECT_THAT(raw.node_ids, IsEmpty());
  EXPECT_FALSE(raw.has_features);
  EXPECT_TRUE(raw.symmetrize) << "unless the user says otherwise";
  EXPECT_EQ(raw.labels.task, Task::none);
}

TEST(EdgeList, IsUndirectedUnlessACommentSaysOtherwise) {
  for (const char* text : {"0,1\n1,2\n", "# Undirected graph: web.txt\n0 1\n1 2\n",
                           "# Nodes: 3 Edges: 2\n0 1\n1 2\n", "0,1\n# a directed graph\n1,2\n"})
    EXPECT_TRUE(read_edges_text(text, "graph.txt").symmetrize) << text;
  for (const char* text :
       {"# Directed graph (each unordered pair of nodes is saved once): web.txt\n"
        "# FromNodeId ToNodeId\n0 1\n1 2\n",
        "# web\n# directed graph\n0,1\n"})
    EXPECT_FALSE(read_edges_text(text, "graph.txt").symmetrize) << text;
}

TEST(EdgeList, NumbersOtherIntegersInAscendingOrder) {
  for (const char* text : {"10,-5\n7,10\n", "10\t-5\n7\t10\n", "10;-5\n7;10\n", "10 -5\n7   10\n",
                           "10, -5\r\n 7, 10"}) {
    SCOPED_TRACE(text);
    const RawDataset raw = read_edges_text(text, "graph.txt");
    EXPECT_THAT(raw.node_ids, ElementsAre("-5", "7", "10"));
    EXPECT_THAT(raw.edges.source, ElementsAre(2, 1));
    EXPECT_THAT(raw.edges.target, ElementsAre(0, 2));
  }
}

TEST(EdgeList, TakesIdsOf64Bits) {
  const RawDataset raw = read_edges_text("9223372036854775807,5\n-9223372036854775808,5\n");
  EXPECT_THAT(raw.node_ids, ElementsAre("-9223372036854775808", "5", "9223372036854775807"));
  EXPECT_THAT(raw.edges.source, ElementsAre(2, 0));
  EXPECT_THAT(raw.edges.target, ElementsAre(1, 1));
  std::string late;
  for (int i = 0; i < 200; ++i) late += "1,2\n";
  expect_list_error({{"edges.csv", late + "1,99999999999999999999\n"}},
                    "edges.csv:201: an id does not fit 64 bits");
}

TEST(EdgeList, NumbersNamesInOrderOfAppearance) {
  const RawDataset raw = read_edges_text("bob,\"Ann, B.\"\neve,bob\nJörg,5\n");
  EXPECT_THAT(raw.node_ids, ElementsAre("bob", "Ann, B.", "eve", "Jörg", "5"));
  EXPECT_THAT(raw.edges.source, ElementsAre(0, 2, 3));
  EXPECT_THAT(raw.edges.target, ElementsAre(1, 0, 4));
}

TEST(EdgeList, ReadsWeights) {
  const RawDataset raw = read_edges_text("0,1,0.5\n1,0,2e1\n");
  EXPECT_THAT(raw.edges.weight, ElementsAre(0.5, 20));
  const RawDataset named = read_edges_text("a b 1\nb a 3\n", "g.txt");
  EXPECT_THAT(named.edges.weight, ElementsAre(1, 3));
}

TEST(EdgeList, KnowsAHeader) {
  for (const char* text : {"source,target\n0,1\n1,2\n", "from,to\n0,1\n1,2\n", "x,y\n0,1\n1,2\n",
                           "\"u\",\"v\"\n\"0\",\"1\"\n1,2\n", "paper a,paper b\n0,1\n1,2\n",
                           "# made by hand\n\nid_1,id_2\n0,1\n# more\n1,2\n"}) {
    SCOPED_TRACE(text);
    const RawDataset raw = read_edges_text(text);
    EXPECT_THAT(raw.edges.source, ElementsAre(0, 1));
    EXPECT_THAT(raw.edges.target, ElementsAre(1, 2));
    EXPECT_THAT(raw.node_ids, IsEmpty());
  }
  const RawDataset names = read_edges_text("Source,Target,Weight\na,b,1\nb,c,2\n");
  EXPECT_THAT(names.node_ids, ElementsAre("a", "b", "c"));
  const RawDataset bare = read_edges_text("a,b,weight\nx,y,1\n");
  EXPECT_THAT(bare.node_ids, ElementsAre("x", "y"));
  const RawDataset none = read_edges_text("a,b\nb,c\n");
  EXPECT_THAT(none.node_ids, ElementsAre("a", "b", "c")) << "names without a header";
}

TEST(EdgeList, ReadsSnapFilesAndGzip) {
  const std::string snap = "# Directed graph\n# FromNodeId\tToNodeId\n0\t4\n4\t7\n7\t0\n";
  const RawDataset raw = read_edges_text(snap, "web.txt");
  EXPECT_THAT(raw.node_ids, ElementsAre("0", "4", "7"));
  TempFolder folder;
  run_python(folder.path(), "gzip.open('g.tsv.gz', 'wt').write('0\\t1\\n1\\t0\\n')");
  ASSERT_TRUE(detect_edge_list(folder / "g.tsv.gz"));
  const RawDataset packed = read_list(folder / "g.tsv.gz");
  EXPECT_EQ(packed.name, "g");
  EXPECT_THAT(packed.edges.source, ElementsAre(0, 1));
}

TEST(EdgeList, ReadsABigFileInPieces) {
  std::string text = "# comment\nsource,target,weight\n";
  const int64_t rows = 900000;
  for (int64_t i = 0; i < rows; ++i) {
    text += fmt::format("{},{},{}\n", i % 1000, (i * 31) % 1000, i % 64);
    if (i % 1000 == 0) text += "\n# a comment between\n";
  }
  ASSERT_GT(text.size(), size_t{8} << 20) << "more than two pieces";
  TempFolder folder;
  write_text(folder / "big.csv", text);
  const RawDataset raw = read_list(folder / "big.csv");
  ASSERT_EQ(raw.edges.size(), rows);
  EXPECT_EQ(raw.nodes, 1000);
  for (int64_t i = 0; i < rows; ++i) {
    ASSERT_EQ(raw.edges.source[i], i % 1000);
    ASSERT_EQ(raw.edges.target[i], (i * 31) % 1000);
    ASSERT_EQ(raw.edges.weight[i], i % 64);
  }
  EXPECT_EQ(raw.edge_place(0), (folder / "big.csv").string() + ":3");
  EXPECT_EQ(raw.edge_place(1), (folder / "big.csv").string() + ":6");
  write_text(folder / "big.csv", text + "5,6,x\n");
  const auto lines = std::count(text.begin(), text.end(), '\n');
  expect_data_error([&] { read_list(folder / "big.csv"); },
                    fmt::format("big.csv:{}: 'x' is not a number", lines + 1));
}

TEST(EdgeList, RefusesBadEdges) {
  expect_list_error({{"edges.csv", ""}}, "edges.csv: the file has no rows");
  expect_list_error({{"edges.csv", "# nothing\n\n"}}, "edges.csv: the file has no rows");
  expect_list_error({{"edges.csv", "source,target\n"}}, "header but no edge");
  expect_list_error({{"edges.csv", "1\n2\n"}}, "edges.csv:1: 1 columns");
  expect_list_error({{"edges.csv", "1,2,3,4\n"}}, "edges.csv:1: 4 columns");
  expect_list_error({{"edges.csv", "source,target,time\n1,2,3\n"}},
                    "edges.csv:1: column 'time' is not a weight");
  expect_list_error({{"edges.csv", "0,1\n\n2\n"}}, "edges.csv:3: ");
  expect_list_error({{"edges.csv", "a,b\nc\n"}}, "edges.csv:2: expected 2 fields, found 1");
  expect_list_error({{"edges.csv", "0,1\n2,1,5\n"}}, "edges.csv:2: the row has more than 2 fields");
  expect_list_error({{"edges.csv", "0,1,\n"}}, "edges.csv:1: '' is not a number");
  expect_list_error({{"edges.csv", "0,1,0.5\n1,2,x\n"}}, "edges.csv:2: 'x' is not a number");
  expect_list_error({{"edges.csv", "0,1,0.5\n1,2,-1\n"}}, "edges.csv:2: edge weight -1");
  expect_list_error({{"edges.csv", "s,t,w\n0,1,0.5\n1,2,nan\n"}}, "edges.csv:3: edge weight nan");
  expect_list_error({{"edges.csv", "a,b\n\xFF,c\n"}}, "edges.csv:2: an id is not UTF-8");
  expect_list_error({{"edges.csv", "a,b\n,c\n"}}, "edges.csv:2: an id is empty");
  expect_list_error({{"edges.csv", "a,\"b\n"}}, "edges.csv:1: a quote is never closed");
  expect_list_error({{"edges.csv", "0,1\n"}, {"edges.tsv", "0\t1\n"}},
                    "both edges.csv and edges.tsv");
  expect_list_error({{"graph.csv", "0,1\n"}}, "no edges.csv");
  std::string late;
  for (int i = 0; i < 200; ++i) late += "1,2\n";
  expect_list_error({{"edges.csv", late + "1,x2\n"}}, "edges.csv:201: 'x2' is not an integer id");
  TempFolder folder;
  fs::create_directory(folder / "edges.csv");
  expect_data_error([&] { read_list(folder.path()); }, "edges.csv");
  expect_data_error([&] { read_list(folder / "absent.csv"); }, "absent.csv");
}

TEST(EdgeList, IsNotTakenForOtherFiles) {
  TempFolder folder;
  write_text(folder / "wide.csv", "1,2,3,4\n");
  write_text(folder / "data.json", "{}");
  write_text(folder / "empty.csv", "");
  for (const char* name : {"wide.csv", "data.json", "empty.csv", "absent.csv", ""}) {
    EXPECT_FALSE(detect_edge_list(folder / name)) << name;
  }
  write_text(folder / "edges.txt", "0 1\n");
  EXPECT_TRUE(detect_edge_list(folder.path()));
}

TEST(EdgeList, TakesFilesThatAreAskedFor) {
  TempFolder folder;
  write_text(folder / "graph.csv", "0,1\n1,2\n");
  write_text(folder / "labels.csv", "0,1\n1,0\n2,1\n9,1\n");
  EXPECT_EQ(read_list(folder / "graph.csv").nodes, 3) << "labels.csv may be of something else";
  ReadRequest request;
  request.path = folder / "graph.csv";
  request.labels = folder / "labels.csv";
  const RawDataset raw = read_edge_list(request);
  EXPECT_EQ(raw.nodes, 4);
  EXPECT_THAT(raw.node_ids, ElementsAre("0", "1", "2", "9"));
  request.splits = folder / "absent.csv";
  expect_data_error([&] { read_edge_list(request); }, "absent.csv");
}

TEST(EdgeList, SurvivesWrongBytes) {
  TempFolder folder;
  const Texts files{{"edges.csv", "source,target,weight\n0,1,1\n1,2,0.5\n2,0,3\n"},
                    {"features.csv", "id,a,b,c\n0,1,2,3\n1,0.5,0,0\n2,1,1,1\n"},
                    {"labels.csv", "id,label\n0,1\n1,0\n2,1\n"},
                    {"splits.csv", "id,split\n0,train\n1,val\n2,test\n"}};
  for (const auto& [name, text] : files) write_text(folder / name, text);
  const auto read_it = [&] { prepare(read_list(folder.path()), "edge-list", {}); };
  ASSERT_EQ(data_error_of(read_it), "");
  for (const auto& [name, text] : files) expect_wrong_bytes_do_no_harm(folder / name, 80, read_it);
}

}  // namespace
}  // namespace gs::test
