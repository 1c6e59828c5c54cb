#include <gmock/gmock.h>

#include <map>

#include "dataset/load.h"
#include "dataset/readers/table.h"
#include "support/reader_laws.h"

namespace gs::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Texts = std::map<std::string, std::string>;

RawDataset read(const fs::path& path) { return read_with(read_edge_list, path); }

RawDataset read_folder_of(const Texts& files) {
  TempFolder folder;
  for (const auto& [name, text] : files) write_text(folder / name, text);
  return read(folder.path());
}

RawDataset read_edges_text(const std::string& text, const std::string& name = "graph.csv") {
  TempFolder folder;
  write_text(folder / name, text);
  EXPECT_TRUE(detect_edge_list(folder / name));
  return read(folder / name);
}

void expect_error(const Texts& files, const std::string& part) {
  SCOPED_TRACE(part);
  TempFolder folder;
  for (const auto& [name, text] : files) write_text(folder / name, text);
  expect_data_error([&] { prepare(read(folder.path()), "edge-list", {}); }, part);
}

TEST(EdgeList, KeepsIntegersFromZero) {
  const RawDataset raw = read_edges_text("0,1\n2,1\n1,1\n");
  EXPECT_EQ(raw.name, "graph");
  EXPECT_EQ(raw.nodes, 3);
  EXPECT_THAT(raw.edges.source, ElementsAre(0, 2, 1));
  EXPECT_THAT(raw.edges.target, ElementsAre(1, 1, 1));
  EXPECT_THAT(raw.edges.weight, IsEmpty());
  EXPECT_THAT(raw.node_ids, IsEmpty());
  EXPECT_FALSE(raw.has_features);
  EXPECT_FALSE(raw.symmetrize);
  EXPECT_EQ(raw.labels.task, Task::none);
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
  expect_error({{"edges.csv", late + "1,99999999999999999999\n"}},
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
  const RawDataset packed = read(folder / "g.tsv.gz");
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
  const RawDataset raw = read(folder / "big.csv");
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
  expect_data_error([&] { read(folder / "big.csv"); },
                    fmt::format("big.csv:{}: 'x' is not a number", lines + 1));
}

TEST(EdgeList, RefusesBadEdges) {
  expect_error({{"edges.csv", ""}}, "edges.csv: the file has no rows");
  expect_error({{"edges.csv", "# nothing\n\n"}}, "edges.csv: the file has no rows");
  expect_error({{"edges.csv", "source,target\n"}}, "header but no edge");
  expect_error({{"edges.csv", "1\n2\n"}}, "edges.csv:1: 1 columns");
  expect_error({{"edges.csv", "1,2,3,4\n"}}, "edges.csv:1: 4 columns");
  expect_error({{"edges.csv", "source,target,time\n1,2,3\n"}},
               "edges.csv:1: column 'time' is not a weight");
  expect_error({{"edges.csv", "0,1\n\n2\n"}}, "edges.csv:3: ");
  expect_error({{"edges.csv", "a,b\nc\n"}}, "edges.csv:2: expected 2 fields, found 1");
  expect_error({{"edges.csv", "0,1\n2,1,5\n"}}, "edges.csv:2: the row has more than 2 fields");
  expect_error({{"edges.csv", "0,1,\n"}}, "edges.csv:1: '' is not a number");
  expect_error({{"edges.csv", "0,1,0.5\n1,2,x\n"}}, "edges.csv:2: 'x' is not a number");
  expect_error({{"edges.csv", "0,1,0.5\n1,2,-1\n"}}, "edges.csv:2: edge weight -1");
  expect_error({{"edges.csv", "s,t,w\n0,1,0.5\n1,2,nan\n"}}, "edges.csv:3: edge weight nan");
  expect_error({{"edges.csv", "a,b\n\xFF,c\n"}}, "edges.csv:2: an id is not UTF-8");
  expect_error({{"edges.csv", "a,b\n,c\n"}}, "edges.csv:2: an id is empty");
  expect_error({{"edges.csv", "a,\"b\n"}}, "edges.csv:1: a quote is never closed");
  expect_error({{"edges.csv", "0,1\n"}, {"edges.tsv", "0\t1\n"}}, "both edges.csv and edges.tsv");
  expect_error({{"graph.csv", "0,1\n"}}, "no edges.csv");
  std::string late;
  for (int i = 0; i < 200; ++i) late += "1,2\n";
  expect_error({{"edges.csv", late + "1,x2\n"}}, "edges.csv:201: 'x2' is not an integer id");
  TempFolder folder;
  fs::create_directory(folder / "edges.csv");
  expect_data_error([&] { read(folder.path()); }, "edges.csv");
  expect_data_error([&] { read(folder / "absent.csv"); }, "absent.csv");
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

TEST(EdgeListFeatures, ReadsADenseTableById) {
  const RawDataset raw =
      read_folder_of({{"edges.csv", "a,b\nb,c\n"},
                      {"features.csv", "id,age,size\nc,1,2\nb,0.5,0\na,-1,3\nlone,7,8\n"}});
  EXPECT_THAT(raw.node_ids, ElementsAre("a", "b", "c", "lone")) << "a node without edges";
  EXPECT_THAT(raw.feature_names, ElementsAre("age", "size"));
  EXPECT_THAT(raw.features.dense_matrix().values.span(), ElementsAre(-1, 3, 0.5, 0, 1, 2, 7, 8));
}

TEST(EdgeListFeatures, KnowsAnIdColumnWithoutAHeader) {
  const RawDataset by_id = read_folder_of(
      {{"edges.csv", "0,1\n1,2\n"}, {"features.csv", "2,0.5,1\n0,1,2\n1,3,4\n3,5,6\n"}});
  EXPECT_EQ(by_id.nodes, 4);
  EXPECT_THAT(by_id.features.dense_matrix().values.span(), ElementsAre(1, 2, 3, 4, 0.5, 1, 5, 6));
  const RawDataset by_row = read_folder_of(
      {{"edges.csv", "0,1\n1,2\n"}, {"features.csv", "2,0.5,1,1\n0,1,2,1\n7,3,4,1\n9,3,4,1\n"}});
  EXPECT_EQ(by_row.nodes, 4);
  EXPECT_EQ(by_row.features.width(), 4);
  EXPECT_THAT(by_row.node_ids, IsEmpty());
}

TEST(EdgeListFeatures, ReadsSparseTables) {
  const Texts tables[] = {{{"features.csv", "node,feature,value\n1,3,0.5\n0,0,2\n1,1,1\n"}},
                          {{"features.csv", "1,3,0.5\n0,0,2\n1,1,1\n"}},
                          {{"features.tsv", "1\t3\t0.5\n0\t0\t2\n1\t1\t1\n"}}};
  for (Texts files : tables) {
    files["edges.csv"] = "0,1\n1,2\n2,3\n";
    const RawDataset raw = read_folder_of(files);
    ASSERT_TRUE(raw.features.sparse());
    const SparseMatrix& m = raw.features.sparse_matrix();
    EXPECT_EQ(m.rows, 4);
    EXPECT_EQ(m.columns, 4);
    EXPECT_THAT(m.offsets.span(), ElementsAre(0, 1, 3, 3, 3));
    EXPECT_THAT(m.indices.span(), ElementsAre(0, 1, 3));
    EXPECT_THAT(m.values.span(), ElementsAre(2, 1, 0.5));
  }
}

TEST(EdgeListFeatures, RefusesRowsWithoutIdsBesideIdsWithGaps) {
  const std::string gaps = "0,1\n1,9\n";
  for (const char* rows : {"0.5,1.5\n1,2\n3,4\n", "0.5\n1\n3\n", "a,b\n5,1\n6,2\n7,2\n",
                           "1,0,1,1\n0,1,1,0\n1,1,0,0\n"}) {
    SCOPED_TRACE(rows);
    const Texts files{{"edges.csv", gaps}, {"features.csv", rows}};
    expect_error(files,
                 "edges.csv:2: node '9' is not one of the 3 nodes, the rows of features.csv");
  }
  expect_error({{"edges.csv", "1,2\n2,3\n"}, {"features.csv", "0.5\n1\n3\n"}},
               "edges.csv:2: node '3' is not one of the 3 nodes, the rows of features.csv");
  expect_error({{"edges.csv", gaps}, {"labels.csv", "x\ny\nx\n"}},
               "edges.csv:2: node '9' is not one of the 3 nodes, the rows of labels.csv");
  try {
    read_folder_of({{"edges.csv", gaps}, {"features.csv", "0.5\n1\n3\n"}});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(
        error.hint(),
        "it has no ids, so row i is node i: number the nodes 0 to 2, or give it an id column");
  }
}

TEST(EdgeListFeatures, RefusesATableThatMayBeSparseOrRowsWithoutIds) {
  for (const char* edges : {"0,1\n1,9\n", "0,1\n1,2\n"}) {
    for (const char* rows : {"1,0\n0,1\n1,1\n", "a,b\n1,0\n0,1\n1,1\n", "1,0,1\n0,1,0\n1,1,0\n",
                             "30,180\n30,175\n41,170\n"}) {
      SCOPED_TRACE(rows);
      expect_error({{"edges.csv", edges}, {"features.csv", rows}},
                   "features.csv: 3 rows for 3 nodes: is a row a node, or node,feature[,value]?");
    }
  }
  const std::string entries = "1,0\n0,1\n1,1\n";
  for (const Texts& files : {Texts{{"features.csv", "node,feature\n" + entries}},
                             Texts{{"features.csv", "node,x\n" + entries}},
                             Texts{{"features.csv", entries + "0,0\n"}}}) {
    Texts folder = files;
    folder["edges.csv"] = "0,1\n1,9\n";
    const RawDataset raw = read_folder_of(folder);
    EXPECT_TRUE(raw.features.sparse());
    EXPECT_THAT(raw.node_ids, ElementsAre("0", "1", "9"));
  }
}

TEST(EdgeListFeatures, TakesIdsWithGapsFromAnIdColumnOrAnIdsFile) {
  const RawDataset named = read_folder_of(
      {{"edges.csv", "0,1\n1,9\n"}, {"features.csv", "id,a,b\n9,1,1\n0,1,0\n1,0,1\n"}});
  EXPECT_THAT(named.node_ids, ElementsAre("0", "1", "9"));
  EXPECT_THAT(named.features.dense_matrix().values.span(), ElementsAre(1, 0, 0, 1, 1, 1));
  const RawDataset bare =
      read_folder_of({{"edges.csv", "0,1\n1,9\n"}, {"features.csv", "9,5\n4,6\n0,7\n1,8\n"}});
  EXPECT_THAT(bare.node_ids, ElementsAre("0", "1", "4", "9")) << "4 has no edges";
  EXPECT_THAT(bare.features.dense_matrix().values.span(), ElementsAre(7, 8, 6, 5));
  const RawDataset listed = read_folder_of(
      {{"edges.csv", "0,1\n1,9\n"}, {"ids.csv", "id\n9\n0\n1\n"}, {"features.csv", "0.5\n1\n3\n"}});
  EXPECT_THAT(listed.node_ids, ElementsAre("9", "0", "1"));
  EXPECT_THAT(listed.features.dense_matrix().values.span(), ElementsAre(0.5, 1, 3));
  const RawDataset lone =
      read_folder_of({{"edges.csv", "0,1\n1,3\n"}, {"features.csv", "0.5\n1\n3\n4\n6\n"}});
  EXPECT_EQ(lone.nodes, 5) << "2 and 4 have a row and no edges";
  EXPECT_THAT(lone.node_ids, IsEmpty());
}

TEST(EdgeListFeatures, ReadsSparseTablesOfNames) {
  const RawDataset raw = read_folder_of(
      {{"edges.csv", "a,b\n"}, {"features.csv", "node,word\nb,graph\na,tree\nb,tree\nz,leaf\n"}});
  EXPECT_THAT(raw.node_ids, ElementsAre("a", "b", "z"));
  EXPECT_THAT(raw.feature_names, ElementsAre("graph", "tree", "leaf"));
  const SparseMatrix& m = raw.features.sparse_matrix();
  EXPECT_THAT(m.offsets.span(), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(m.indices.span(), ElementsAre(1, 0, 1, 2));
  EXPECT_TRUE(m.values.empty());
}

TEST(EdgeListFeatures, ReadsArraysByRow) {
  TempFolder folder;
  write_text(folder / "edges.csv", "0,1\n1,2\n");
  run_python(folder.path(), R"(
np.save('features.npy', np.arange(8, dtype='f4').reshape(4, 2))
os.mkdir('sparse'); open('sparse/edges.csv', 'w').write('0,1\n1,2\n')
sp.save_npz('sparse/features.npz', sp.csr_matrix(np.array([[0, 2.], [0, 0], [1, 0]])))
os.mkdir('names'); open('names/edges.csv', 'w').write('b,a\na,c\n')
np.save('names/features.npy', np.eye(3, dtype='f4'))
os.mkdir('far'); open('far/edges.csv', 'w').write('0,1\n1,9\n')
np.save('far/features.npy', np.eye(3, dtype='f4'))
os.mkdir('flat'); open('flat/edges.csv', 'w').write('0,1\n')
np.save('flat/features.npy', np.arange(3))
os.mkdir('empty'); open('empty/edges.csv', 'w').write('0,1\n')
np.save('empty/features.npy', np.zeros((2**30, 0), 'f4'))
)");
  const RawDataset raw = read(folder.path());
  EXPECT_EQ(raw.nodes, 4) << "the features say how many nodes there are";
  EXPECT_THAT(raw.features.dense_matrix().values.span(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  const RawDataset sparse = read(folder / "sparse");
  EXPECT_THAT(sparse.features.sparse_matrix().indices.span(), ElementsAre(1, 0));
  expect_data_error([&] { read(folder / "names"); }, "names/features.npy: its row i is node i");
  expect_data_error([&] { read(folder / "far"); },
                    "far/edges.csv:2: node '9' is not one of the 3 nodes");
  expect_data_error([&] { read(folder / "flat"); }, "features.npy");
  expect_data_error([&] { read(folder / "empty"); }, "features.npy: features of no columns");
  write_text(folder / "names/ids.csv", "id\na\nb\nc\n");
  const RawDataset ordered = read(folder / "names");
  EXPECT_THAT(ordered.node_ids, ElementsAre("a", "b", "c"));
  EXPECT_THAT(ordered.edges.source, ElementsAre(1, 0));
  EXPECT_THAT(ordered.edges.target, ElementsAre(0, 2));
}

TEST(EdgeListFeatures, TakesIntegersInTheOrderOfTheIdsFile) {
  const RawDataset raw = read_folder_of(
      {{"edges.csv", "30,10\n"}, {"ids.txt", "30\n20\n10\n"}, {"labels.csv", "x\ny\nx\n"}});
  EXPECT_THAT(raw.node_ids, ElementsAre("30", "20", "10"));
  EXPECT_THAT(raw.edges.source, ElementsAre(0));
  EXPECT_THAT(raw.edges.target, ElementsAre(2));
  EXPECT_THAT(raw.labels.single.span(), ElementsAre(0, 1, 0));
  expect_error({{"edges.csv", "30,11\n"}, {"ids.txt", "30\n20\n10\n"}},
               "edges.csv:1: node '11' is not one of the 3");
  expect_error({{"edges.csv", "a,b\n"}, {"ids.txt", "a\nc\n"}},
               "edges.csv:1: id 'b' is not in the list");
  expect_error({{"edges.csv", "1,2\n"}, {"ids.txt", "1\n2\n1\n"}},
               "ids.txt:3: id '1' is listed twice");
}

TEST(EdgeListFeatures, RefusesBadTables) {
  const std::string edges = "0,1\n1,2\n", names = "a,b\nb,c\n";
  expect_error({{"edges.csv", edges}, {"features.csv", ""}}, "features.csv: the file has no rows");
  expect_error({{"edges.csv", edges}, {"features.csv", "id,x\n"}}, "header but no row");
  expect_error(
      {{"edges.csv", names}, {"features.csv", "id,x,y,z\na,1,2,3\nb,1,2,3\na,1,2,3\nc,1,1,1\n"}},
      "features.csv:4: node 'a' is there twice");
  expect_error({{"edges.csv", names}, {"features.csv", "id,x,y,z\na,1,2,3\nb,1,2,3\n"}},
               "features.csv: node 'c' has no row");
  expect_error({{"edges.csv", names}, {"features.csv", "id,x,y,z\na,1,2,3\nb,1,2\nc,1,1,1\n"}},
               "features.csv:3: expected 4 fields, found 3");
  expect_error({{"edges.csv", names}, {"features.csv", "id,x,y,z\na,1,2,3\nb,1,q,2\nc,1,1,1\n"}},
               "features.csv:3: column 3 is 'q', not a number");
  expect_error({{"edges.csv", edges}, {"features.csv", "0,1,0,nan\n1,2,1,3\n2,1,1,1\n"}},
               "features.csv");
  expect_error({{"edges.csv", edges}, {"features.csv", "5,6,7,8\n5,5,5,5\n"}},
               "edges.csv:2: node '2' is not one of the 2");
  expect_error({{"edges.csv", edges}, {"features.csv", "node,feature,value\n0,-1,1\n"}},
               "features.csv:2: -1 is not a feature id");
  expect_error({{"edges.csv", edges}, {"features.csv", "node,feature,value\n0,99999999999,1\n"}},
               "is not a feature id");
  expect_error({{"edges.csv", edges}, {"features.csv", "node,feature,value\n0,1,1\nq,1,1\n"}},
               "features.csv:3: 'q' is not an integer id");
  expect_error({{"edges.csv", edges}, {"features.csv", "0,1.5\n1,0.5\n2,2.5\n2,3.5\n"}},
               "features.csv:1: '1.5' is not a feature id");
  expect_error({{"edges.csv", names}, {"features.csv", "node,feature\na,\xFF\n"}},
               "features.csv:2");
  expect_error({{"edges.csv", names}, {"features.csv", "id,\xFF,y,z\na,1,2,3\nb,1,2,3\nc,1,2,3\n"}},
               "features.csv: the header is not UTF-8");
  expect_error({{"edges.csv", edges}, {"features.csv", "1,2\n"}, {"features.tsv", "1\t2\n"}},
               "both features.csv and features.tsv");
}

TEST(EdgeListLabels, ReadsIdsAndClasses) {
  const RawDataset raw = read_folder_of(
      {{"edges.csv", "0,1\n1,2\n"}, {"labels.csv", "id,label\n2,1\n0,0\n4,2\n3,-1\n"}});
  EXPECT_EQ(raw.nodes, 5) << "nodes that only the labels name are isolated";
  EXPECT_THAT(raw.labels.single.span(), ElementsAre(0, -1, 1, -1, 2));
  EXPECT_EQ(raw.labels.classes, 3);
  EXPECT_EQ(raw.labels.task, Task::multiclass);
  EXPECT_THAT(raw.class_names, IsEmpty());
}

TEST(EdgeListLabels, NumbersOtherClassesInOrder) {
  const RawDataset gaps =
      read_folder_of({{"edges.csv", "0,1\n1,2\n"}, {"labels.csv", "0,20\n1,3\n2,20.0\n"}});
  EXPECT_THAT(gaps.labels.single.span(), ElementsAre(1, 0, 1));
  EXPECT_THAT(gaps.class_names, ElementsAre("3", "20"));
  EXPECT_EQ(gaps.labels.task, Task::binary);
  const RawDataset words = read_folder_of(
      {{"edges.csv", "a,b\nb,c\n"}, {"labels.tsv", "node\tclass\na\tpear\nb\t\nc\tapple\n"}});
  EXPECT_THAT(words.labels.single.span(), ElementsAre(1, -1, 0));
  EXPECT_THAT(words.class_names, ElementsAre("apple", "pear"));
}

TEST(EdgeListLabels, ReadsOneColumnByRow) {
  const RawDataset raw =
      read_folder_of({{"edges.csv", "0,1\n1,2\n"}, {"labels.txt", "label\n1\n0\n1\n0\n"}});
  EXPECT_EQ(raw.nodes, 4);
  EXPECT_THAT(raw.labels.single.span(), ElementsAre(1, 0, 1, 0));
  expect_error({{"edges.csv", "0,1\n1,2\n"}, {"labels.txt", "1\n\n0\n1\n"}},
               "labels.txt:3: blank or comment lines");
}

TEST(EdgeListLabels, ReadsSeveralLabels) {
  const RawDataset lists =
      read_folder_of({{"edges.csv", "0,1\n1,2\n2,3\n"}, {"labels.csv", "0,b;a\n1,\n2,c\n"}});
  EXPECT_EQ(lists.labels.task, Task::multilabel);
  EXPECT_THAT(lists.class_names, ElementsAre("a", "b", "c"));
  EXPECT_THAT(lists.labels.multi.span(),
              ElementsAre(1, 1, 0, 255, 255, 255, 0, 0, 1, 255, 255, 255));
  const RawDataset columns = read_folder_of(
      {{"edges.csv", "0,1\n1,2\n"}, {"labels.csv", "id,red,blue\n1,0,1\n0,1,1.0\n2,,\n"}});
  EXPECT_THAT(columns.class_names, ElementsAre("red", "blue"));
  EXPECT_THAT(columns.labels.multi.span(), ElementsAre(1, 1, 0, 1, 255, 255));
}

TEST(EdgeListLabels, ReadsArrays) {
  TempFolder folder;
  run_python(folder.path(), R"(
for name, labels in {'ints': np.array([2, 0, -1, 1]), 'words': np.array(['y', 'x', '', 'x']), 'multi': np.array([[1, 0], [0, 1], [1, 1], [0, 0]])}.items():
    os.mkdir(name); open(name + '/edges.csv', 'w').write('0,1\n1,2\n'); np.save(name + '/labels.npy', labels)
)");
  EXPECT_THAT(read(folder / "ints").labels.single.span(), ElementsAre(2, 0, -1, 1));
  const RawDataset words = read(folder / "words");
  EXPECT_THAT(words.labels.single.span(), ElementsAre(1, 0, -1, 0));
  EXPECT_THAT(words.class_names, ElementsAre("x", "y"));
  EXPECT_THAT(read(folder / "multi").labels.multi.span(), ElementsAre(1, 0, 0, 1, 1, 1, 0, 0));
}

TEST(EdgeListLabels, RefusesBadTables) {
  const std::string edges = "0,1\n1,2\n";
  expect_error({{"edges.csv", edges}, {"labels.csv", ""}}, "labels.csv: the file has no rows");
  expect_error({{"edges.csv", edges}, {"labels.csv", "0,1\n1,1\n0,2\n"}},
               "labels.csv:3: node '0' is there twice");
  expect_error({{"edges.csv", edges}, {"labels.csv", "0,1\n1\n2,1\n"}},
               "labels.csv:2: expected 2 fields, found 1");
  expect_error({{"edges.csv", edges}, {"labels.csv", "0,1\nx,1\n2,1\n"}},
               "labels.csv:2: 'x' is not an integer id");
  expect_error({{"edges.csv", edges}, {"labels.csv", "0,1\n1,-3\n2,1\n"}},
               "labels.csv:2: label -3 is negative");
  expect_error({{"edges.csv", edges}, {"labels.csv", "0,a\n1,\xFF\n2,b\n"}},
               "labels.csv:2: the label is not UTF-8");
  expect_error({{"edges.csv", edges}, {"labels.csv", "0,1,0\n1,2,0\n2,0,0\n"}},
               "labels.csv:2: '2' is neither 0 nor 1");
  expect_error({{"edges.csv", edges}, {"labels.csv", "0,1,0\n1,,0\n2,0,0\n"}},
               "labels.csv:2: some labels of the row are unknown");
  expect_error({{"edges.csv", edges}, {"labels.csv", "1\n2\n"}},
               "edges.csv:2: node '2' is not one of the 2 nodes");
  expect_error(
      {{"edges.csv", edges}, {"labels.csv", "1\n2\n1\n"}, {"features.csv", "5,6,7,8\n5,5,5,5\n"}},
      "labels.csv: 3 rows, but");
  TempFolder folder;
  write_text(folder / "edges.csv", edges);
  fs::create_directory(folder / "labels.csv");
  expect_data_error([&] { read(folder.path()); }, "labels.csv");
}

TEST(EdgeListSplits, ReadsATableOfOneOrMoreSplits) {
  const Texts base{{"edges.csv", "a,b\nb,c\nc,d\n"}, {"labels.csv", "a,x\nb,y\nc,x\nd,y\n"}};
  Texts files = base;
  files["splits.csv"] = "id,split\nc,Train\na,val\nb,test\nd,\n";
  const RawDataset one = read_folder_of(files);
  ASSERT_EQ(one.splits.size(), 1u);
  EXPECT_THAT(one.splits[0].train, ElementsAre(2));
  EXPECT_THAT(one.splits[0].val, ElementsAre(0));
  EXPECT_THAT(one.splits[0].test, ElementsAre(1));
  files["splits.csv"] = "a,train,test\nb,valid,train\nc,test,validation\n";
  const RawDataset two = read_folder_of(files);
  ASSERT_EQ(two.splits.size(), 2u);
  EXPECT_THAT(two.splits[1].train, ElementsAre(1));
  EXPECT_THAT(two.splits[1].val, ElementsAre(2));
}

TEST(EdgeListSplits, ReadsJson) {
  Texts files{{"edges.csv", "10,20\n20,30\n"},
              {"splits.json", R"({"train": [10], "valid": ["20"], "test": [30]})"}};
  const RawDataset raw = read_folder_of(files);
  ASSERT_EQ(raw.splits.size(), 1u);
  EXPECT_THAT(raw.splits[0].val, ElementsAre(1));
  files["splits.json"] =
      R"([{"train": [10], "val": [20], "test": []}, {"train": [30], "val": [10], "test": [20]}])";
  EXPECT_THAT(read_folder_of(files).splits[1].train, ElementsAre(2));
}

TEST(EdgeListSplits, ReadsArraysByRow) {
  TempFolder folder;
  run_python(folder.path(), R"(
for name in ['one', 'many', 'words', 'wide', 'short', 'ints', 'mapped', 'none']:
    os.mkdir(name); open(name + '/edges.csv', 'w').write('5,6\n6,9\n' if name == 'mapped' else '0,1\n1,2\n')
m = np.eye(3, dtype=bool)
np.savez('one/splits.npz', train_mask=m[0], val_mask=m[1], test_mask=m[2])
np.savez('mapped/splits.npz', train_mask=m[0], val_mask=m[1], test_mask=m[2])
np.savez('short/splits.npz', train_mask=m[0][:2], val_mask=m[1][:2], test_mask=m[2][:2])
np.savez('many/splits.npz', train_masks=m[[0, 2]], val_masks=m[[1, 1]], test_masks=m[[2, 0]])
np.savez('none/splits.npz', x=m)
np.save('words/splits.npy', np.array(['train', 'test', 'val']))
np.save('wide/splits.npy', np.array([['train', 'test'], ['test', 'val'], ['val', '']]))
np.save('ints/splits.npy', np.array([0, 1, 2]))
)");
  EXPECT_THAT(read(folder / "one").splits[0].val, ElementsAre(1));
  const auto many = read(folder / "many").splits;
  ASSERT_EQ(many.size(), 2u);
  EXPECT_THAT(many[1].train, ElementsAre(2));
  EXPECT_THAT(read(folder / "words").splits[0].val, ElementsAre(2));
  const auto wide = read(folder / "wide").splits;
  ASSERT_EQ(wide.size(), 2u);
  EXPECT_THAT(wide[1].test, ElementsAre(0));
  EXPECT_THAT(wide[1].train, IsEmpty());
  expect_data_error([&] { read(folder / "short"); }, "splits.npz");
  expect_data_error([&] { read(folder / "ints"); }, "splits.npy: not an array of the words");
  expect_data_error([&] { read(folder / "mapped"); }, "splits.npz: its row i is node i");
  expect_data_error([&] { read(folder / "none"); }, "splits.npz: no train_mask");
}

TEST(EdgeListSplits, RefusesBadOnes) {
  const std::string edges = "0,1\n1,2\n";
  expect_error({{"edges.csv", edges}, {"splits.csv", "0,train\n5,val\n"}},
               "splits.csv:2: node '5' is not in the graph");
  expect_error({{"edges.csv", edges}, {"splits.csv", "0,train\n0,val\n"}},
               "splits.csv:2: node '0' is there twice");
  expect_error({{"edges.csv", edges}, {"splits.csv", "0,train\n1,other\n"}},
               "splits.csv:2: 'other' is not a part");
  expect_error({{"edges.csv", edges}, {"splits.csv", "0,train\n1\n"}},
               "splits.csv:2: expected 2 fields");
  expect_error({{"edges.csv", edges}, {"splits.csv", "train\nval\n"}},
               "splits.csv: 2 rows for 3 nodes");
  expect_error({{"edges.csv", edges}, {"splits.csv", "train\nval\ntest\ntest\n"}},
               "splits.csv:4: 4 rows for 3 nodes");
  expect_error({{"edges.csv", edges}, {"splits.csv", ""}}, "splits.csv: the file has no rows");
  expect_error(
      {{"edges.csv", edges}, {"splits.json", R"({"train": [0], "val": [0], "test": [1]})"}},
      "node 0 is in both train and validation");
  expect_error(
      {{"edges.csv", edges}, {"splits.json", R"({"train": [0], "val": [7], "test": [1]})"}},
      "splits.json[val[0]]: node '7'");
  expect_error({{"edges.csv", edges}, {"splits.json", R"({"train": [0], "test": [1]})"}},
               "train, val or test is missing");
  expect_error({{"edges.csv", edges}, {"splits.json", R"({"train": [0], "foo": [1]})"}},
               "splits.json[foo]: not a part");
  expect_error({{"edges.csv", edges}, {"splits.json", R"({"train": [0], "train": [1]})"}},
               "the part is there twice");
  expect_error({{"edges.csv", edges}, {"splits.json", R"({"train": [0.5]})"}},
               "splits.json[train[0]]");
  expect_error({{"edges.csv", edges}, {"splits.json", ""}}, "splits.json");
}

TEST(EdgeList, TakesFilesThatAreAskedFor) {
  TempFolder folder;
  write_text(folder / "graph.csv", "0,1\n1,2\n");
  write_text(folder / "labels.csv", "0,1\n1,0\n2,1\n9,1\n");
  EXPECT_EQ(read(folder / "graph.csv").nodes, 3) << "labels.csv may be of something else";
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
  const auto read_it = [&] { prepare(read(folder.path()), "edge-list", {}); };
  ASSERT_EQ(data_error_of(read_it), "");
  for (const auto& [name, text] : files) expect_wrong_bytes_do_no_harm(folder / name, 80, read_it);
}

}  // namespace
}  // namespace gs::test
