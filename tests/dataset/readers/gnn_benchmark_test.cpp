#include <gmock/gmock.h>

#include <algorithm>

#include "dataset/readers/table.h"
#include "support/reader_laws.h"

namespace gs::test {
namespace {

using testing::ElementsAre;

RawDataset read(const fs::path& path) { return read_with(read_gnn_benchmark, path); }

// Four nodes, edges 0->1, 0->2, 2->0, 3->3; features 4 x 3 with an unsorted row and a repeated
// entry.
constexpr const char* kGood = R"(
good = dict(
    adj_data=np.array([1, 2.5, 1, 1], 'f4'), adj_indices=np.array([1, 2, 0, 3], 'i4'),
    adj_indptr=np.array([0, 2, 2, 3, 4], 'i4'), adj_shape=np.array([4, 4]),
    attr_data=np.array([3, 1, .5, 2, 2], 'f4'), attr_indices=np.array([2, 0, 1, 0, 0], 'i4'),
    attr_indptr=np.array([0, 2, 3, 5, 5], 'i4'), attr_shape=np.array([4, 3]),
    labels=np.array([0, 1, 2, -1]))
def write(name, drop=(), compressed=True, **changes):
    arrays = {k: v for k, v in {**good, **changes}.items() if k not in drop}
    (np.savez_compressed if compressed else np.savez)(name + '.npz', **arrays)
)";

TEST(GnnBenchmark, ReadsEdgesFeaturesAndLabels) {
  TempFolder folder;
  run_python(folder.path(), std::string(kGood) + "write('tiny')");
  ASSERT_TRUE(detect_gnn_benchmark(folder / "tiny.npz"));
  const RawDataset raw = read(folder / "tiny.npz");
  EXPECT_EQ(raw.name, "tiny");
  EXPECT_EQ(raw.nodes, 4);
  EXPECT_THAT(raw.edges.source, ElementsAre(0, 0, 2, 3));
  EXPECT_THAT(raw.edges.target, ElementsAre(1, 2, 0, 3));
  EXPECT_TRUE(raw.edges.weight.empty()) << "adj_data is structure only";
  EXPECT_TRUE(raw.symmetrize);
  EXPECT_EQ(raw.self_loops, SelfLoops::drop);

  ASSERT_TRUE(raw.has_features && raw.features.sparse());
  const SparseMatrix& features = raw.features.sparse_matrix();
  EXPECT_EQ(features.columns, 3);
  EXPECT_THAT(features.offsets.span(), ElementsAre(0, 2, 3, 4, 4));
  EXPECT_THAT(features.indices.span(), ElementsAre(0, 2, 1, 0));
  EXPECT_THAT(features.values.span(), ElementsAre(1, 3, .5, 4));

  EXPECT_EQ(raw.labels.task, Task::multiclass);
  EXPECT_EQ(raw.labels.classes, 3);
  EXPECT_THAT(raw.labels.single.span(), ElementsAre(0, 1, 2, -1));
  EXPECT_TRUE(raw.splits.empty());
  EXPECT_TRUE(raw.node_ids.empty());
}

TEST(GnnBenchmark, ReadsEveryVariantOfTheFile) {
  TempFolder folder;
  run_python(folder.path(), std::string(kGood) + R"(
write('wide', compressed=False, adj_indices=good['adj_indices'].astype('i8'), adj_indptr=good['adj_indptr'].astype('i8'),
      attr_indices=good['attr_indices'].astype('i8'), attr_data=np.ones(5), labels=np.array([0, 1, 1, 0], 'u1'))
adj = sp.csr_matrix((good['adj_data'], good['adj_indices'], good['adj_indptr']), (4, 4)).toarray()
sparse = [k for k in good if k.startswith(('adj_', 'attr_'))]
np.savez('dense.npz', adj_matrix=adj, attr_matrix=np.asfortranarray(np.arange(8).reshape(4, 2)), labels=good['labels'])
names = dict(node_names=np.array(['a', 'b', 'c', 'd']), attr_names=np.array([b'x', b'y', b'z']), class_names=np.array(['p', 'q', 'r', 'unused']))
write('names', **names)
write('pickled', idx_to_node={0: 'a'}, idx_to_attr={0: 'x'}, idx_to_class=np.array(['p', 'q', 'r'], dtype=object))
write('bare', drop=['labels', 'attr_data', 'attr_indices', 'attr_indptr', 'attr_shape'])
L = sp.csr_matrix(np.array([[1, 0], [1, 1], [0, 0], [0, 1]]))
write('multi', drop=['labels'], labels_data=L.data, labels_indices=L.indices, labels_indptr=L.indptr, labels_shape=L.shape)
wide = sp.random(50, 100000, .0002, format='csr', random_state=1, dtype='f4')
wide.indices = np.concatenate([wide.indices[a:b][::-1] for a, b in zip(wide.indptr, wide.indptr[1:])])
np.savez('columns.npz', adj_data=np.ones(0), adj_indices=np.zeros(0, 'i4'), adj_indptr=np.zeros(51, 'i4'), adj_shape=[50, 50],
         attr_data=np.ones(wide.nnz, 'f4'), attr_indices=wide.indices, attr_indptr=wide.indptr, attr_shape=wide.shape)
)");
  const RawDataset wide = read(folder / "wide.npz");
  EXPECT_THAT(wide.edges.target, ElementsAre(1, 2, 0, 3));
  EXPECT_EQ(wide.labels.task, Task::binary);
  EXPECT_THAT(wide.features.sparse_matrix().values.span(), ElementsAre(1, 1, 1, 2))
      << "the repeated one is added up";

  const RawDataset dense = read(folder / "dense.npz");
  EXPECT_THAT(dense.edges.source, ElementsAre(0, 0, 2, 3));
  EXPECT_THAT(dense.edges.target, ElementsAre(1, 2, 0, 3));
  EXPECT_THAT(dense.features.dense_matrix().values.span(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));

  const RawDataset names = read(folder / "names.npz");
  EXPECT_THAT(names.node_ids, ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(names.feature_names, ElementsAre("x", "y", "z"));
  EXPECT_THAT(names.class_names, ElementsAre("p", "q", "r"));

  const RawDataset pickled = read(folder / "pickled.npz");
  EXPECT_TRUE(pickled.node_ids.empty() && pickled.feature_names.empty() &&
              pickled.class_names.empty());

  const RawDataset bare = read(folder / "bare.npz");
  EXPECT_FALSE(bare.has_features);
  EXPECT_EQ(bare.labels.task, Task::none);

  const RawDataset multi = read(folder / "multi.npz");
  EXPECT_EQ(multi.labels.task, Task::multilabel);
  EXPECT_EQ(multi.labels.classes, 2);
  EXPECT_THAT(multi.labels.multi.span(), ElementsAre(1, 0, 1, 1, 0, 0, 0, 1));

  const SparseMatrix columns = read(folder / "columns.npz").features.sparse_matrix();
  EXPECT_EQ(columns.nonzeros(), 1000);
  EXPECT_TRUE(columns.values.empty()) << "all ones are not kept";
  for (int64_t row = 0; row < 50; ++row) {
    const auto ids = columns.indices.slice(columns.offsets[row], columns.offsets[row + 1]);
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end())) << row;
  }
}

struct Published {
  const char* file;
  int64_t nodes, entries, width, nonzeros, classes;
  bool binary;
};

TEST(GnnBenchmark, ReadsThePublishedFiles) {
  GS_NEEDS_SHARED_DATA();
  for (const Published& known :
       {Published{"amazon_electronics_photo", 7650, 143663, 745, 1979909, 8, true},
        {"ms_academic_cs", 18333, 163788, 6805, 1092079, 15, false},
        {"dblp", 17716, 105734, 1639, 92192, 4, false},
        {"pubmed", 19717, 88648, 500, 988031, 3, false}}) {
    const fs::path path = shared_data() / (std::string(known.file) + ".npz");
    ASSERT_TRUE(detect_gnn_benchmark(path)) << path;
    EXPECT_EQ(detect_reader(path).name, "gnn-benchmark");
    const RawDataset raw = read(path);
    EXPECT_EQ(raw.name, known.file);
    EXPECT_EQ(raw.nodes, known.nodes);
    EXPECT_EQ(raw.edges.size(), known.entries);
    EXPECT_EQ(raw.labels.classes, known.classes);
    EXPECT_EQ(raw.labels.single.size(), known.nodes);
    const SparseMatrix& features = raw.features.sparse_matrix();
    EXPECT_EQ(features.columns, known.width);
    EXPECT_EQ(features.nonzeros(), known.nonzeros);
    EXPECT_EQ(features.values.empty(), known.binary);
    bool ascending = true;
    for (int64_t row = 0; row < features.rows; ++row) {
      for (int64_t i = features.offsets[row] + 1; i < features.offsets[row + 1]; ++i) {
        ascending &= features.indices[i - 1] < features.indices[i];
      }
    }
    EXPECT_TRUE(ascending);
  }
}

TEST(GnnBenchmark, RefusesWrongContentByPlace) {
  TempFolder folder;
  run_python(folder.path(), std::string(kGood) + R"(
i = lambda *v: np.array(v, 'i4')
write('missing', drop=['adj_indices'])
write('no_attr_shape', drop=['attr_shape'])
write('no_attr_data', drop=['attr_data'])
write('column_high', adj_indices=i(1, 2, 0, 4))
write('column_low', adj_indices=i(1, -2, 0, 3))
write('column_huge', adj_indices=np.array([1, 2, 0, 2**40]))
write('offset_down', adj_indptr=i(0, 3, 2, 3, 4))
write('offset_end', adj_indptr=i(0, 2, 2, 3, 5))
write('offset_start', adj_indptr=i(1, 2, 2, 3, 4))
write('offset_count', adj_indptr=i(0, 2, 4))
write('offset_huge', adj_indptr=np.array([0, 2, 2, 2**62, 4]))
write('not_square', adj_shape=i(4, 5))
write('shape_three', adj_shape=i(4, 4, 1))
write('shape_negative', attr_shape=i(4, -3))
write('shape_huge', attr_shape=np.array([4, 2**40]))
write('attr_column', attr_indices=i(2, 0, 3, 0, 0))
write('attr_rows', attr_indptr=i(0, 2, 3, 5), attr_shape=i(3, 3))
write('attr_values', attr_data=np.ones(4))
write('float_index', adj_indices=np.array([1, 2, .5, 3]))
write('text_index', adj_indices=np.array(['1', '2', '0', '3']))
write('pickle_index', adj_indices=np.array([1, 2, 0, 3], dtype=object))
write('two_dims', adj_indices=i(1, 2, 0, 3).reshape(2, 2))
write('labels_count', labels=i(0, 1, 2))
write('labels_half', labels=np.array([0, .5, 1, 1]))
write('labels_nan', labels=np.array([0, np.nan, 1, 1]))
write('labels_huge', labels=i(0, 1, 2, 2**31 - 1))
write('labels_pickle', labels=np.array([0, 1, None, 2], dtype=object))
write('labels_multi', labels=np.array([[0, 1], [1, 1], [0, 2], [0, 0]]))
write('names_count', node_names=np.array(['a', 'b']))
write('names_more', node_names=np.array(list('abcde')))
write('classes_few', class_names=np.array(['a', 'b']))
dense = [k for k in good if k.startswith(('adj_', 'attr_'))]
write('dense_adj', drop=dense, adj_matrix=np.ones((3, 4)))
write('dense_attr', drop=dense[4:], attr_matrix=np.ones((3, 4)))
write('dense_flat', drop=dense[4:], attr_matrix=np.ones(4))
write('label_columns', drop=['labels'], labels_data=np.ones(1), labels_indices=i(5), labels_indptr=i(0, 1, 1, 1, 1), labels_shape=i(4, 2**30))
)");
  const Mistake cases[] = {
      {"missing", "has no array 'adj_indices'"},
      {"no_attr_shape", "has no array 'attr_shape'"},
      {"no_attr_data", "has no array 'attr_data'"},
      {"column_high", "column_high.npz[adj_indices]: entry 3 is 4"},
      {"column_low", "column_low.npz[adj_indices]: entry 1 is -2"},
      {"column_huge", "column_huge.npz[adj_indices]: element 3"},
      {"offset_down", "offset_down.npz[adj_indptr]: offset 2 is 2"},
      {"offset_end", "offset_end.npz[adj_indptr]: the last offset is 5"},
      {"offset_start", "offset_start.npz[adj_indptr]: the first offset is 1"},
      {"offset_count", "offset_count.npz[adj_indptr]: 3 offsets for 4 rows"},
      {"offset_huge", "offset_huge.npz[adj_indptr]: offset 4"},
      {"not_square", "not_square.npz[adj_shape]"},
      {"shape_three", "shape_three.npz[adj_shape]: a shape has two numbers"},
      {"shape_negative", "shape_negative.npz[attr_shape]"},
      {"shape_huge", "shape_huge.npz[attr_shape]"},
      {"attr_column", "attr_column.npz[attr_indices]: entry 2 is 3"},
      {"attr_rows", "attr_rows.npz[attr_shape]: 3 rows of features for 4 nodes"},
      {"attr_values", "attr_values.npz[attr_data]: 4 values for 5 entries"},
      {"float_index", "float_index.npz[adj_indices]: element 2"},
      {"text_index", "text_index.npz[adj_indices]"},
      {"pickle_index", "pickle_index.npz[adj_indices]"},
      {"two_dims", "two_dims.npz[adj_indices]"},
      {"labels_count", "labels_count.npz[labels]: 3 labels for 4 nodes"},
      {"labels_half", "labels_half.npz[labels]: element 1"},
      {"labels_nan", "labels_nan.npz[labels]: element 1"},
      {"labels_huge", "labels_huge.npz[labels]: label 2147483647 of node 3"},
      {"labels_pickle", "labels_pickle.npz[labels]"},
      {"labels_multi", "labels_multi.npz[labels]: label 1 of node 2 is 2"},
      {"names_count", "names_count.npz[node_names]: 2 names, 4 are needed"},
      {"names_more", "names_more.npz[node_names]: 5 names, 4 are needed"},
      {"classes_few", "classes_few.npz[class_names]: 2 names, 3 are needed"},
      {"dense_adj", "dense_adj.npz[adj_matrix]"},
      {"dense_attr", "dense_attr.npz[attr_matrix]: 3 rows of features for 4 nodes"},
      {"dense_flat", "dense_flat.npz[attr_matrix]"},
      {"label_columns", "label_columns.npz[labels_shape]"},
  };
  expect_refuses_mistakes({detect_gnn_benchmark, read_gnn_benchmark}, folder.path(), cases, ".npz");
}

TEST(GnnBenchmark, SurvivesCutsAndWrongBytes) {
  TempFolder folder;
  run_python(folder.path(),
             std::string(kGood) + "write('good'); write('stored', compressed=False)");
  for (const char* name : {"good.npz", "stored.npz"})
    expect_damage_does_no_harm(folder / name, 150, [&] { read(folder / name); });
}

TEST(GnnBenchmark, ValuesOfTheAdjacencyAreChecked) {
  const TempFolder folder;
  run_python(folder.path(), R"(
def write(name, data):
    np.savez(name, adj_data=data, adj_indices=[1, 2, 0], adj_indptr=[0, 1, 2, 3], adj_shape=[3, 3],
             labels=[0, 1, 0])
write('zero.npz', [1., 0., 1.])
write('nan.npz', [1., np.nan, 1.])
write('short.npz', [1., 1.])
np.savez('labels.npz', adj_indices=[1], adj_indptr=[0, 1, 1], adj_shape=[2, 2], labels=[0, -2])
)");
  const auto read = [&](const char* name) {
    ReadRequest request;
    request.path = folder / name;
    return read_gnn_benchmark(request).edges;
  };
  EXPECT_EQ(read("zero.npz").source, (std::vector<int32_t>{0, 2}));
  EXPECT_EQ(read("zero.npz").target, (std::vector<int32_t>{1, 0}));
  EXPECT_TRUE(read("zero.npz").weight.empty());
  expect_data_error([&] { read("nan.npz"); }, "adj_data");
  expect_data_error([&] { read("short.npz"); }, "2 values for 3 entries");
  expect_data_error([&] { read("labels.npz"); }, "label -2 of node 1");
}

}  // namespace
}  // namespace gs::test
