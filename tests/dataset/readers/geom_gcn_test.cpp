#include <gmock/gmock.h>

#include "dataset/load.h"
#include "dataset/readers/table.h"
#include "support/reader_laws.h"

namespace gs::test {
namespace {

using testing::ElementsAre;

RawDataset read(const fs::path& path) { return read_with(read_geom_gcn, path); }

constexpr const char* kEdges = "node_id\tnode_id\n0\t1\n1\t2\n2\t2\n0\t1\n";
constexpr const char* kFilm =
    "node_id\tfeature(feature_amount:5)\tlabel\n2\t4,1,4\t1\n0\t3\t0\n1\t\t2\n";

struct Files {
  TempFolder folder;
  Files(const std::string& edges, const std::string& nodes) {
    write_text(folder / "raw/out1_graph_edges.txt", edges);
    write_text(folder / "raw/out1_node_feature_label.txt", nodes);
  }
};

void expect_error(const std::string& edges, const std::string& nodes, const std::string& part) {
  SCOPED_TRACE(part);
  const Files files(edges, nodes);
  expect_data_error([&] { prepare(read(files.folder.path()), "geom-gcn", {}); }, part);
}

TEST(GeomGcn, ReadsFeatureIdsOfAnyOrder) {
  const Files files(kEdges, kFilm);
  ASSERT_TRUE(detect_geom_gcn(files.folder.path()));
  ASSERT_TRUE(detect_geom_gcn(files.folder / "raw/out1_graph_edges.txt"));
  const RawDataset raw = read(files.folder.path());
  EXPECT_EQ(raw.nodes, 3);
  EXPECT_THAT(raw.edges.source, ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(raw.edges.target, ElementsAre(1, 2, 2, 1));
  EXPECT_FALSE(raw.symmetrize);
  EXPECT_EQ(raw.self_loops, SelfLoops::keep);
  ASSERT_TRUE(raw.features.sparse());
  const SparseMatrix& m = raw.features.sparse_matrix();
  EXPECT_EQ(m.columns, 5);
  EXPECT_THAT(m.offsets.span(), ElementsAre(0, 1, 1, 3));
  EXPECT_THAT(m.indices.span(), ElementsAre(3, 1, 4)) << "a repeated id is one";
  EXPECT_TRUE(m.values.empty());
  EXPECT_THAT(raw.labels.single.span(), ElementsAre(0, 2, 1));
  EXPECT_TRUE(raw.splits.empty());
  EXPECT_EQ(prepare(raw, "geom-gcn", {}).graph.edges(), 3);
}

TEST(GeomGcn, ReadsVectorsOfZeroAndOneAsSparse) {
  const Files files(kEdges, "id\tfeature\tlabel\n0\t1,0,1\t0\n1\t0,0,0\t1\n2\t0,1,0\t1\n");
  const RawDataset raw = read(files.folder.path());
  const SparseMatrix& m = raw.features.sparse_matrix();
  EXPECT_EQ(m.columns, 3);
  EXPECT_THAT(m.indices.span(), ElementsAre(0, 2, 1));
}

TEST(GeomGcn, ReadsVectorsOfRealNumbersAsDense) {
  const Files files(kEdges, "id\tfeature\tlabel\n0\t1,0.5\t0\n1\t2,3\t1\n2\t-4,1e-2\t1\n");
  const RawDataset raw = read(files.folder.path());
  ASSERT_FALSE(raw.features.sparse());
  EXPECT_THAT(raw.features.dense_matrix().values.span(), ElementsAre(1, 0.5, 2, 3, -4, 1e-2f));
}

TEST(GeomGcn, ReadsIdListsThatHappenToBeOfOneLength) {
  const Files files(kEdges, "id\tfeature\tlabel\n0\t7,2\t0\n1\t2,3\t1\n2\t4,1\t1\n");
  const RawDataset raw = read(files.folder.path());
  ASSERT_TRUE(raw.features.sparse());
  EXPECT_EQ(raw.features.width(), 8);
}

TEST(GeomGcn, OrdersSplitsByNumberAndPrefersThePublishedFamily) {
  const Files files(kEdges, kFilm);
  run_python(files.folder / "raw", R"(
for k in range(12):
    m = np.roll(np.array([1, 0, 0], 'u1'), k % 3)
    np.savez('film_split_0.6_0.2_%d.npz' % k, train_mask=m, val_mask=np.roll(m, 1), test_mask=np.roll(m, 2) * 0)
np.savez('film_split_0.48_0.32_0.npz', train_mask=m, val_mask=m, test_mask=m)
)");
  const RawDataset raw = read(files.folder.path());
  ASSERT_EQ(raw.splits.size(), 12u);
  for (int k = 0; k < 12; ++k) EXPECT_THAT(raw.splits[k].train, ElementsAre(k % 3)) << k;
  EXPECT_TRUE(raw.splits[0].test.empty()) << "a node may be in no set";
}

TEST(GeomGcn, RefusesBadSplits) {
  const Files files(kEdges, kFilm);
  const std::pair<const char*, const char*> cases[] = {
      {"np.savez('x_split_0.6_0.2_0.npz', train_mask=[1, 0], val_mask=[0, 1], test_mask=[0, 0])",
       "x_split_0.6_0.2_0.npz"},
      {"np.savez('x_split_0.6_0.2_0.npz', train_mask=[1, 0, 0], val_mask=[0, 1, 0])", "test_mask"},
      {"np.savez('x_split_0.6_0.2_0.npz', train_mask=[1, 0, 0], val_mask=[1, 1, 0], test_mask=[0, "
       "0, 1])",
       "node 0 is in both train and validation"},
      {"open('x_split_0.6_0.2_0.npz', 'wb')", "x_split_0.6_0.2_0.npz"},
  };
  for (const auto& [script, message] : cases) {
    SCOPED_TRACE(script);
    run_python(files.folder / "raw", script);
    expect_data_error([&] { prepare(read(files.folder.path()), "geom-gcn", {}); }, message);
  }
}

TEST(GeomGcn, RefusesBadNodes) {
  const std::string head = "id\tfeature\tlabel\n";
  expect_error(kEdges, "", "out1_node_feature_label.txt: the file is empty");
  expect_error(kEdges, head, "header but no node");
  expect_error(kEdges, head + "0\t1,2\n", "feature_label.txt:2: expected 3 fields, found 2");
  expect_error(kEdges, head + "0\t1\t0\nx\t1\t0\n", "feature_label.txt:3: column 1 is 'x'");
  expect_error(kEdges, head + "0\t1\t0\n0\t1\t0\n", ":3: node 0 was already in line 2");
  expect_error(kEdges, head + "0\t1\t0\n5\t1\t0\n", ":3: node 5 in a file of 2 nodes");
  expect_error(kEdges, head + "-1\t1\t0\n0\t1\t0\n", ":2: node -1");
  expect_error(kEdges, head + "0\t1\tx\n", ":2: column 3 is 'x', not an integer");
  expect_error(kEdges, head + "0\t1\t99999999999\n", "is not a class");
  expect_error(kEdges, head + "0\t1,a\t0\n", ":2: feature 'a' is not a number");
  expect_error(kEdges, head + "0\t1,0.5,1\t0\n1\t1\t0\n2\t\t0\n", ":2: '0.5' is not a feature id");
  expect_error(kEdges, head + "0\t1,-2,1\t0\n1\t1\t0\n2\t\t0\n", ":2: '-2' is not a feature id");
  expect_error(kEdges, head + "0\t99999999999\t0\n1\t1,2\t0\n",
               ":2: '99999999999' is not a feature id");
  expect_error(kEdges, head + "0\t1,nan\t0\n1\t1,2\t0\n2\t0,0\t1\n", "feature_label.txt");
}

TEST(GeomGcn, RefusesBadEdges) {
  const std::string head = "a\tb\n";
  expect_error("", kFilm, "out1_graph_edges.txt: the file is empty");
  expect_error("a\tb", kFilm, "header but no edge");
  expect_error(head + "0\t1\n\n0\n", kFilm, "graph_edges.txt:4: the row is too short");
  expect_error(head + "0\t1\t2\n", kFilm, "graph_edges.txt:2: the row has more than 2 fields");
  expect_error(head + "0\t1\n1,2\t0\n", kFilm, "graph_edges.txt:3: '1,2' is not an integer id");
  expect_error(head + "0\t1\n0\t3\n", kFilm, "graph_edges.txt:3: edge 0 -> 3");
  expect_error(head + "0\t-1\n", kFilm, "graph_edges.txt:2: edge 0 -> -1");
  expect_error(head + "0\t99999999999\n", kFilm, "beyond 2^31");
  expect_error(head + "0\t\xFF\n", kFilm, "graph_edges.txt:2");
}

TEST(GeomGcn, RefusesMissingPartsAndFolders) {
  TempFolder folder;
  EXPECT_FALSE(detect_geom_gcn(folder.path()));
  expect_data_error([&] { read(folder.path()); }, folder.path().string());
  write_text(folder / "out1_graph_edges.txt", kEdges);
  EXPECT_FALSE(detect_geom_gcn(folder.path()));
  expect_data_error([&] { read(folder.path()); }, "out1_node_feature_label.txt: no such file");
  fs::create_directory(folder / "out1_node_feature_label.txt");
  expect_data_error([&] { read(folder.path()); }, "out1_node_feature_label.txt");
}

TEST(GeomGcn, SurvivesCutsAndWrongBytes) {
  const Files files(kEdges, kFilm);
  const auto read_it = [&] { prepare(read(files.folder.path()), "geom-gcn", {}); };
  expect_wrong_bytes_do_no_harm(files.folder / "raw/out1_graph_edges.txt", 40, read_it);
  expect_wrong_bytes_do_no_harm(files.folder / "raw/out1_node_feature_label.txt", 80, read_it);
}

TEST(GeomGcn, ReadsActor) {
  GS_NEEDS_SHARED_DATA();
  const fs::path path = shared_data() / "actor";
  ASSERT_TRUE(detect_geom_gcn(path));
  const Dataset data = prepare(read(path), "geom-gcn", {});
  EXPECT_EQ(data.name, "actor");
  EXPECT_EQ(data.nodes(), 7600);
  EXPECT_EQ(data.raw_edges, 33391);
  EXPECT_EQ(data.graph.edges(), 30019);
  int64_t loops = 0;
  for (int64_t v = 0; v < data.nodes(); ++v) loops += std::ranges::count(data.graph.row(v), v);
  EXPECT_EQ(loops, 93);
  ASSERT_TRUE(data.features.sparse());
  EXPECT_EQ(data.features.width(), 932);
  EXPECT_EQ(data.labels.classes, 5);
  // The file's first row: 4873 has 521, 92, 111, 77, 770 and label 3.
  const SparseMatrix& m = data.features.sparse_matrix();
  EXPECT_THAT(m.indices.slice(m.offsets[4873], m.offsets[4874]),
              ElementsAre(77, 92, 111, 521, 770));
  EXPECT_EQ(data.labels.single[4873], 3);
  ASSERT_EQ(data.splits.size(), 10u);
  EXPECT_EQ(data.splits[0].train.size(), 3648u);
  EXPECT_EQ(data.splits[0].val.size(), 2432u);
  EXPECT_EQ(data.splits[0].test.size(), 1520u);
}

}  // namespace
}  // namespace gs::test
