#include <gmock/gmock.h>

#include "support/edge_lists.h"

namespace gs::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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

TEST(EdgeListFeatures, SmallWholeNumbersAreNotTakenForIdsUnnoticed) {
  const RawDataset named =
      read_folder_of({{"edges.csv", "0,1\n1,2\n"}, {"features.csv", "age,plan\n0,7\n2,8\n1,9\n"}});
  EXPECT_THAT(named.feature_names, ElementsAre("age", "plan"));
  EXPECT_THAT(named.features.dense_matrix().values.span(), ElementsAre(0, 7, 2, 8, 1, 9));
  EXPECT_EQ(named.treatment, "");
  const RawDataset guessed =
      read_folder_of({{"edges.csv", "0,1\n1,2\n"}, {"features.csv", "0,7\n2,8\n1,9\n"}});
  EXPECT_THAT(guessed.features.dense_matrix().values.span(), ElementsAre(7, 9, 8));
  EXPECT_EQ(guessed.treatment, "node ids from the first column of features.csv") << "it is said";
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
    expect_list_error(files,
                      "edges.csv:2: node '9' is not one of the 3 nodes, the rows of features.csv");
  }
  expect_list_error({{"edges.csv", "1,2\n2,3\n"}, {"features.csv", "0.5\n1\n3\n"}},
                    "edges.csv:2: node '3' is not one of the 3 nodes, the rows of features.csv");
  expect_list_error({{"edges.csv", gaps}, {"labels.csv", "x\ny\nx\n"}},
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
      expect_list_error(
          {{"edges.csv", edges}, {"features.csv", rows}},
          "features.csv: 3 rows for 3 nodes: is there one row per node, or node,feature[,value]?");
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
  const RawDataset raw = read_list(folder.path());
  EXPECT_EQ(raw.nodes, 4) << "the features say how many nodes there are";
  EXPECT_THAT(raw.features.dense_matrix().values.span(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  const RawDataset sparse = read_list(folder / "sparse");
  EXPECT_THAT(sparse.features.sparse_matrix().indices.span(), ElementsAre(1, 0));
  expect_data_error([&] { read_list(folder / "names"); },
                    "names/features.npy: its row i is node i");
  expect_data_error([&] { read_list(folder / "far"); },
                    "far/edges.csv:2: node '9' is not one of the 3 nodes");
  expect_data_error([&] { read_list(folder / "flat"); }, "features.npy");
  expect_data_error([&] { read_list(folder / "empty"); }, "features.npy: features without columns");
  write_text(folder / "names/ids.csv", "id\na\nb\nc\n");
  const RawDataset ordered = read_list(folder / "names");
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
  expect_list_error({{"edges.csv", "30,11\n"}, {"ids.txt", "30\n20\n10\n"}},
                    "edges.csv:1: node '11' is not one of the 3");
  expect_list_error({{"edges.csv", "a,b\n"}, {"ids.txt", "a\nc\n"}},
                    "edges.csv:1: id 'b' is not in the list");
  expect_list_error({{"edges.csv", "1,2\n"}, {"ids.txt", "1\n2\n1\n"}},
                    "ids.txt:3: id '1' is listed twice");
}

TEST(EdgeListFeatures, RefusesBadTables) {
  const std::string edges = "0,1\n1,2\n", names = "a,b\nb,c\n";
  expect_list_error({{"edges.csv", edges}, {"features.csv", ""}},
                    "features.csv: the file has no rows");
  expect_list_error({{"edges.csv", edges}, {"features.csv", "id,x\n"}}, "header but no row");
  expect_list_error(
      {{"edges.csv", names}, {"features.csv", "id,x,y,z\na,1,2,3\nb,1,2,3\na,1,2,3\nc,1,1,1\n"}},
      "features.csv:4: node 'a' is there twice");
  expect_list_error({{"edges.csv", names}, {"features.csv", "id,x,y,z\na,1,2,3\nb,1,2,3\n"}},
                    "features.csv: node 'c' has no row");
  expect_list_error({{"edges.csv", names}, {"features.csv", "id,x,y,z\na,1,2,3\nb,1,2\nc,1,1,1\n"}},
                    "features.csv:3: expected 4 fields, found 3");
  expect_list_error(
      {{"edges.csv", names}, {"features.csv", "id,x,y,z\na,1,2,3\nb,1,q,2\nc,1,1,1\n"}},
      "features.csv:3: column 3 is 'q', not a number");
  expect_list_error({{"edges.csv", edges}, {"features.csv", "0,1,0,nan\n1,2,1,3\n2,1,1,1\n"}},
                    "features.csv");
  expect_list_error({{"edges.csv", edges}, {"features.csv", "5,6,7,8\n5,5,5,5\n"}},
                    "edges.csv:2: node '2' is not one of the 2");
  expect_list_error({{"edges.csv", edges}, {"features.csv", "node,feature,value\n0,-1,1\n"}},
                    "features.csv:2: -1 is not a feature id");
  expect_list_error(
      {{"edges.csv", edges}, {"features.csv", "node,feature,value\n0,99999999999,1\n"}},
      "is not a feature id");
  expect_list_error({{"edges.csv", edges}, {"features.csv", "node,feature,value\n0,1,1\nq,1,1\n"}},
                    "features.csv:3: 'q' is not an integer id");
  expect_list_error({{"edges.csv", edges}, {"features.csv", "0,1.5\n1,0.5\n2,2.5\n2,3.5\n"}},
                    "features.csv:1: '1.5' is not a feature id");
  expect_list_error({{"edges.csv", names}, {"features.csv", "node,feature\na,\xFF\n"}},
                    "features.csv:2");
  expect_list_error(
      {{"edges.csv", names}, {"features.csv", "id,\xFF,y,z\na,1,2,3\nb,1,2,3\nc,1,2,3\n"}},
      "features.csv: the header is not UTF-8");
  expect_list_error({{"edges.csv", edges}, {"features.csv", "1,2\n"}, {"features.tsv", "1\t2\n"}},
                    "both features.csv and features.tsv");
}

}  // namespace
}  // namespace gs::test
