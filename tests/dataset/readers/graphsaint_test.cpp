#include <gmock/gmock.h>

#include "dataset/readers/table.h"
#include "support/reader_laws.h"

namespace gs::test {
namespace {

using testing::ElementsAre;

RawDataset read(const fs::path& path) { return read_with(read_graphsaint, path); }

// Four nodes, written as GraphSAINT's own preparation does: scipy, numpy (float64), json with the
// ids as keys.
constexpr const char* kGood = R"(
adj = sp.csr_matrix((np.ones(4, bool), ([0, 0, 1, 3], [1, 3, 0, 3])), (4, 4))
def write(folder, graph=adj, feats=np.arange(8.).reshape(4, 2), classes={'0': 3, '1': 0, '2': 1, '3': 0},
          role={'tr': [3, 0], 'va': [1], 'te': [2]}):
    os.makedirs(folder, exist_ok=True)
    if isinstance(graph, dict): np.savez(folder + '/adj_full.npz', **graph)
    else: sp.save_npz(folder + '/adj_full.npz', graph)
    np.save(folder + '/feats.npy', feats)
    for name, value in (('class_map', classes), ('role', role)):
        with open(folder + '/' + name + '.json', 'wb') as file:
            file.write(value if isinstance(value, bytes) else json.dumps(value).encode())
)";

TEST(GraphSaint, ReadsTheFourFiles) {
  TempFolder folder;
  run_python(folder.path(), std::string(kGood) + "write('Flickr/raw')");
  for (const char* name : {"Flickr", "Flickr/", "Flickr/raw", "Flickr/raw/adj_full.npz"}) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(detect_graphsaint(folder / name));
    EXPECT_EQ(detect_reader(folder / name).name, "graphsaint");
    const RawDataset raw = read(folder / name);
    EXPECT_EQ(raw.name, "Flickr");
    EXPECT_EQ(raw.nodes, 4);
    EXPECT_THAT(raw.edges.source, ElementsAre(0, 0, 1, 3));
    EXPECT_THAT(raw.edges.target, ElementsAre(1, 3, 0, 3));
    EXPECT_FALSE(raw.symmetrize);
    EXPECT_EQ(raw.self_loops, SelfLoops::keep);
    EXPECT_THAT(raw.features.dense_matrix().values.span(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    EXPECT_EQ(raw.labels.task, Task::multiclass);
    EXPECT_THAT(raw.labels.single.span(), ElementsAre(3, 0, 1, 0));
    ASSERT_EQ(raw.splits.size(), 1u);
    EXPECT_THAT(raw.splits[0].train, ElementsAre(0, 3));
    EXPECT_THAT(raw.splits[0].val, ElementsAre(1));
    EXPECT_THAT(raw.splits[0].test, ElementsAre(2));
  }
}

TEST(GraphSaint, ReadsSeveralLabelsANodeAndMissingOnes) {
  TempFolder folder;
  run_python(folder.path(), std::string(kGood) + R"(
write('Yelp', classes={'3': [0, 1, 1], '0': [1, 0, 0], '1': [0, 0, 0]})
write('some', classes={'2': 1, '0': 0, '1': None, '3': -1})
write('none', classes={})
wide = dict(indices=adj.indices.astype('i8'), indptr=adj.indptr.astype('i8'), data=adj.data, shape=adj.shape, format=b'csr')
write('wide', graph=wide, feats=np.ones((4, 2), 'f4'))
)");
  const RawDataset yelp = read(folder / "Yelp");
  EXPECT_EQ(yelp.labels.task, Task::multilabel);
  EXPECT_EQ(yelp.labels.classes, 3);
  EXPECT_THAT(yelp.labels.multi.span(), ElementsAre(1, 0, 0, 0, 0, 0, 255, 255, 255, 0, 1, 1));
  const RawDataset some = read(folder / "some");
  EXPECT_EQ(some.labels.task, Task::binary);
  EXPECT_THAT(some.labels.single.span(), ElementsAre(0, -1, 1, -1));
  EXPECT_EQ(read(folder / "none").labels.task, Task::none);
  EXPECT_THAT(read(folder / "wide").edges.target, ElementsAre(1, 3, 0, 3));
}

TEST(GraphSaint, RefusesWrongContentByPlace) {
  TempFolder folder;
  run_python(folder.path(), std::string(kGood) + R"(
csr = dict(indices=adj.indices, indptr=adj.indptr, data=adj.data, shape=adj.shape, format=b'csr')
write('column', graph={**csr, 'indices': np.array([1, 3, 0, 4])})
write('offsets', graph={**csr, 'indptr': np.array([0, 2, 3, 2, 4])})
write('no_indptr', graph={k: v for k, v in csr.items() if k != 'indptr'})
write('square', graph=sp.csr_matrix((4, 3)))
write('rows', feats=np.zeros((3, 2)))
write('vector', feats=np.zeros(4))
write('text', feats=np.array([['a', 'b']] * 4))
write('pickle', feats=np.array([[1, None]] * 4))
write('overflow', feats=np.array([[1, 1e300]] * 4))
write('class_high', classes={'0': 1, '4': 0})
write('class_low', classes={'-1': 1})
write('class_key', classes={'zero': 1})
write('class_twice', classes=b'{"0": 1, "0": 2}')
write('class_half', classes={'0': 1.5})
write('class_text', classes={'0': 'blue'})
write('class_huge', classes={'0': 2**40})
write('class_many', classes={'0': 2**31 - 1})
write('class_beyond', classes={'0': 2**70})
write('class_mixed', classes={'0': 1, '1': [0, 1]})
write('class_mixed2', classes={'0': [0, 1], '1': 1})
write('class_ragged', classes={'0': [0, 1], '1': [0, 1, 1]})
write('class_two', classes={'0': [0, 2]})
write('class_nested', classes={'0': [0, [1]]})
write('class_empty', classes={'0': []})
write('class_object', classes={'0': {'a': 1}})
write('class_array', classes=[1, 0, 1, 0])
write('class_scalar', classes=3)
write('class_latin', classes=b'{"0": 1, "1": "caf\xe9"}')
write('class_none', classes=b'')
write('class_blank', classes=b' \n')
write('class_more', classes=b'{"0": 1} {"1": 2}')
write('class_open', classes=b'{"0": 1, "1"')
write('class_comma', classes=b'{"0": 1 "1": 2}')
write('class_atom', classes=b'{"0": nul}')
write('class_deep', classes=b'{"0": ' + b'[' * 100000 + b']' * 100000 + b'}')
write('role_none', role={'tr': [0], 'va': [1]})
write('role_high', role={'tr': [0, 4], 'va': [], 'te': []})
write('role_low', role={'tr': [0], 'va': [-1], 'te': []})
write('role_twice', role={'tr': [2, 0, 2], 'va': [], 'te': []})
write('role_text', role={'tr': ['0'], 'va': [], 'te': []})
write('role_kind', role={'tr': 0, 'va': [], 'te': []})
write('role_key', role=b'{"tr": [0], "tr": [1], "va": [], "te": []}')
write('role_list', role=[[0], [1], [2]])
)");
  const Mistake cases[] = {
      {"column", "adj_full.npz[indices]: entry 3 is 4"},
      {"offsets", "adj_full.npz[indptr]: offset 3 is 2"},
      {"no_indptr", "has no array 'indptr'"},
      {"square", "adj_full.npz[shape]"},
      {"rows", "feats.npy: 3 rows of features for 4 nodes"},
      {"vector", "feats.npy"},
      {"text", "feats.npy"},
      {"pickle", "feats.npy"},
      {"overflow", "feats.npy: element (0, 1)"},
      {"class_high", "class_map.json[4]: node 4 does not exist"},
      {"class_low", "class_map.json[-1]: node -1 does not exist"},
      {"class_key", "class_map.json[zero]: 'zero' is not a node number"},
      {"class_twice", "class_map.json[0]: the node has a label already"},
      {"class_half", "class_map.json[0]: expected an integer, found '1.5' at byte 6"},
      {"class_text", "class_map.json[0]: expected an integer, found '\"blue\"' at byte 6"},
      {"class_huge", "class_map.json[0]: class 1099511627776 is too large"},
      {"class_many", "class_map.json: label 2147483647 of node 0 is too large"},
      {"class_beyond", "class_map.json[0]"},
      {"class_mixed", "class_map.json[1]: a class number and a list"},
      {"class_mixed2", "class_map.json[1]: a class number and a list"},
      {"class_ragged", "class_map.json[1]: 3 labels, but the first node has 2"},
      {"class_two", "class_map.json[0[1]]: label is 2"},
      {"class_nested", "class_map.json[0[1]]: expected an integer"},
      {"class_empty", "class_map.json[0]: 0 classes"},
      {"class_object", "class_map.json[0]: expected an integer"},
      {"class_array", "class_map.json: expected an object"},
      {"class_scalar", "class_map.json: expected an object"},
      {"class_latin", "class_map.json: not UTF-8 at byte 18"},
      {"class_none", "class_map.json"},
      {"class_blank", "class_map.json: the file is empty"},
      {"class_more", "class_map.json: more text after the end"},
      {"class_open", "class_map.json"},
      {"class_comma", "class_map.json"},
      {"class_atom", "class_map.json[0]"},
      {"class_deep", "class_map.json[0"},
      {"role_none", "role.json: no key 'te'"},
      {"role_high", "role.json[tr]: node 4 does not exist"},
      {"role_low", "role.json[va]: node -1 does not exist"},
      {"role_twice", "role.json[tr]: node 2 is listed twice"},
      {"role_text", "role.json[tr[0]]: expected an integer"},
      {"role_kind", "role.json[tr]: expected an array"},
      {"role_key", "role.json[tr]: the key occurs twice"},
      {"role_list", "role.json: expected an object"},
  };
  expect_refuses_mistakes({detect_graphsaint, read_graphsaint}, folder.path(), cases);
}

TEST(GraphSaint, RefusesFilesThatAreDamagedOrNotThere) {
  TempFolder folder;
  run_python(
      folder.path(),
      std::string(kGood) + "write('good')\nwrite('lists', classes={'0': [0, 1], '1': [1, 1]})");
  for (const char* data : {"good", "lists"}) {
    for (const char* name : {"adj_full.npz", "feats.npy", "class_map.json", "role.json"}) {
      const fs::path file = folder / data / name;
      expect_damage_does_no_harm(file, 80, [&] { read(folder / data); });
    }
  }
  for (const char* name : {"role.json", "class_map.json", "feats.npy"}) {
    const fs::path file = folder / "good" / name;
    fs::remove(file);
    EXPECT_TRUE(detect_graphsaint(folder / "good"));
    expect_data_error([&] { read(folder / "good"); }, std::string(name) + ": no such file");
    fs::create_directory(file);
    expect_data_error([&] { read(folder / "good"); }, name);
    fs::remove(file);
    fs::copy_file(folder / "lists" / name, file);
  }
  fs::remove(folder / "good/adj_full.npz");
  EXPECT_FALSE(detect_graphsaint(folder / "good"));
  expect_data_error([&] { read(folder / "good"); }, "adj_full.npz: no such file");
}

}  // namespace
}  // namespace gs::test
