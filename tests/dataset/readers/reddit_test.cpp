#include <gmock/gmock.h>

#include "dataset/readers/table.h"
#include "support/reader_laws.h"

namespace gs::test {
namespace {

using testing::ElementsAre;

RawDataset read(const fs::path& path) { return read_with(read_reddit, path); }

// Four nodes in the files' own layout: a scipy COO matrix, and one array a column of the node
// table.
constexpr const char* kGood = R"(
adj = sp.coo_matrix((np.ones(4), ([0, 1, 2, 3], [1, 0, 3, 2])), (4, 4))
good = dict(feature=np.arange(12, dtype='f4').reshape(4, 3), label=np.array([4, 0, 1, 2]), node_types=np.array([1, 2, 3, 1]),
            node_ids=np.arange(4))
def write(folder, drop=(), graph=adj, **changes):
    os.makedirs(folder, exist_ok=True)
    np.savez_compressed(folder + '/reddit_data.npz', **{k: v for k, v in {**good, **changes}.items() if k not in drop})
    if graph is not None: sp.save_npz(folder + '/reddit_graph.npz', graph)
def write_graph(folder, **members):
    write(folder, graph=None)
    np.savez(folder + '/reddit_graph.npz', **members)
)";

TEST(Reddit, ReadsThePairOfFilesByAnyOfTheirPaths) {
  TempFolder folder;
  run_python(folder.path(), std::string(kGood) + "write('Reddit/raw')");
  for (const char* name :
       {"Reddit", "Reddit/raw", "Reddit/raw/reddit_data.npz", "Reddit/raw/reddit_graph.npz"}) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(detect_reddit(folder / name));
    EXPECT_EQ(detect_reader(folder / name).name, "reddit");
    const RawDataset raw = read(folder / name);
    EXPECT_EQ(raw.name, "reddit");
    EXPECT_EQ(raw.nodes, 4);
    EXPECT_THAT(raw.edges.source, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(raw.edges.target, ElementsAre(1, 0, 3, 2));
    EXPECT_TRUE(raw.edges.weight.empty());
    EXPECT_FALSE(raw.symmetrize);
    EXPECT_EQ(raw.self_loops, SelfLoops::keep);
    EXPECT_EQ(raw.features.width(), 3);
    EXPECT_THAT(raw.features.dense_matrix().row(1), ElementsAre(3, 4, 5));
    EXPECT_EQ(raw.labels.classes, 5);
    ASSERT_EQ(raw.splits.size(), 1u);
    EXPECT_THAT(raw.splits[0].train, ElementsAre(0, 3));
    EXPECT_THAT(raw.splits[0].val, ElementsAre(1));
    EXPECT_THAT(raw.splits[0].test, ElementsAre(2));
    EXPECT_TRUE(raw.node_ids.empty());
  }
}

TEST(Reddit, ReadsCompressedRowsAndOriginalIds) {
  TempFolder folder;
  run_python(folder.path(), std::string(kGood) + R"(
write('csr', graph=adj.tocsr(), node_ids=np.array([7, 5, 6, 4]))
wide = adj.copy(); wide.row = wide.row.astype('i8'); wide.col = wide.col.astype('i8')
write_graph('wide', row=wide.row, col=wide.col, data=np.ones(4), shape=np.array([4, 4]), format=np.array(b'coo'))
)");
  const RawDataset csr = read(folder / "csr");
  EXPECT_THAT(csr.edges.target, ElementsAre(1, 0, 3, 2));
  EXPECT_THAT(csr.node_ids, ElementsAre("7", "5", "6", "4"));
  EXPECT_THAT(read(folder / "wide").edges.source, ElementsAre(0, 1, 2, 3));
}

TEST(Reddit, RefusesWrongContentByPlace) {
  TempFolder folder;
  run_python(folder.path(), std::string(kGood) + R"(
a = lambda *v: np.array(v)
coo = dict(row=a(0, 1), col=a(1, 0), data=np.ones(2), shape=a(4, 4), format=np.array(b'coo'))
write('no_label', drop=['label'])
write('labels', label=np.zeros(3, 'i8'))
write('features', feature=np.zeros((5, 3)))
write('types', node_types=a(1, 2, 4, 1))
write('type_count', node_types=a(1, 2, 3))
write('ids', node_ids=np.arange(5))
write('pickle', label=a(0, None, 1, 2))
write('square', graph=sp.coo_matrix((4, 5)))
write('csc', graph=adj.tocsc())
write_graph('high', **{**coo, 'row': a(0, 4)})
write_graph('low', **{**coo, 'col': a(-1, 0)})
write_graph('ragged', **{**coo, 'col': a(1, 0, 2)})
write_graph('no_col', **{k: v for k, v in coo.items() if k != 'col'})
write_graph('format_number', **{**coo, 'format': a(3)})
write_graph('nodes_huge', **{**coo, 'shape': a(2**40, 2**40)})
write_graph('nodes_many', **{**coo, 'shape': a(2**31 - 1, 2**31 - 1)})
)");
  const Mistake cases[] = {
      {"no_label", "has no array 'label'"},
      {"labels", "reddit_data.npz[label]: 3 labels for 4 nodes"},
      {"features", "reddit_data.npz[feature]: 5 rows of features for 4 nodes"},
      {"types", "reddit_data.npz[node_types]: node 2 has type 4"},
      {"type_count", "reddit_data.npz[node_types]: 3 entries for 4 nodes"},
      {"ids", "reddit_data.npz[node_ids]: 5 entries for 4 nodes"},
      {"pickle", "reddit_data.npz[label]"},
      {"square", "reddit_graph.npz[shape]"},
      {"csc", "reddit_graph.npz[format]: sparse format 'csc' is not read"},
      {"high", "reddit_graph.npz[row]: entry 1 is 4"},
      {"low", "reddit_graph.npz[col]: entry 0 is -1"},
      {"ragged", "reddit_graph.npz[col]: 3 columns for 2 rows"},
      {"no_col", "has no array 'col'"},
      {"format_number", "reddit_graph.npz[format]"},
      {"nodes_huge", "reddit_graph.npz[shape]"},
      {"nodes_many", "rows of features for 2147483647 nodes"},
  };
  expect_refuses_mistakes({detect_reddit, read_reddit}, folder.path(), cases);
}

TEST(Reddit, RefusesFilesThatAreDamagedOrNotThere) {
  TempFolder folder;
  run_python(folder.path(), std::string(kGood) + "write('good'); write('alone', graph=None)");
  for (const char* name : {"reddit_data.npz", "reddit_graph.npz"}) {
    const fs::path file = folder / "good" / name;
    expect_damage_does_no_harm(file, 100, [&] { read(folder / "good"); });
  }
  EXPECT_TRUE(detect_reddit(folder / "alone"));
  expect_data_error([&] { read(folder / "alone"); }, "reddit_graph.npz: no such file");
  fs::create_directory(folder / "alone/reddit_graph.npz");
  expect_data_error([&] { read(folder / "alone"); }, "reddit_graph.npz");
  expect_data_error([&] { read(folder.path()); }, "not the files of this format");
}

}  // namespace
}  // namespace gs::test
