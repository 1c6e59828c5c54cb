#include <gmock/gmock.h>

#include "dataset/readers/table.h"
#include "support/reader_laws.h"

namespace gs::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

RawDataset read(const fs::path& path) { return read_with(read_heterophilous, path); }

// Four nodes, two splits; each undirected edge once, as the originals have it.
const std::string kGood = R"(
def masks(*rows): return np.array([[c == '1' for c in row] for row in rows])
good = dict(node_features=np.arange(8, dtype='f4').reshape(4, 2), node_labels=np.array([0, 1, 1, 0]),
            edges=np.array([[0, 1], [2, 1], [3, 3]]), train_masks=masks('1100', '0010'),
            val_masks=masks('0010', '1000'), test_masks=masks('0001', '0000'))
save = np.savez_compressed
)" + std::string(kWriteNpz);

TEST(Heterophilous, ReadsGraphAndEverySplit) {
  TempFolder folder;
  run_python(folder.path(), kGood + R"(
write('tolokers')
write('one', train_masks=good['train_masks'][0], val_masks=good['val_masks'][0], test_masks=good['test_masks'][0].astype('i8'))
write('fortran', train_masks=np.asfortranarray(good['train_masks']))
)");
  ASSERT_TRUE(detect_heterophilous(folder / "tolokers.npz"));
  EXPECT_EQ(detect_reader(folder / "tolokers.npz").name, "heterophilous");
  const RawDataset raw = read(folder / "tolokers.npz");
  EXPECT_EQ(raw.name, "tolokers");
  EXPECT_EQ(raw.nodes, 4);
  EXPECT_THAT(raw.edges.source, ElementsAre(0, 2, 3));
  EXPECT_THAT(raw.edges.target, ElementsAre(1, 1, 3));
  EXPECT_TRUE(raw.symmetrize);
  EXPECT_EQ(raw.self_loops, SelfLoops::keep);
  EXPECT_EQ(raw.features.width(), 2);
  EXPECT_EQ(raw.labels.task, Task::binary);
  ASSERT_EQ(raw.splits.size(), 2u);
  EXPECT_THAT(raw.splits[0].train, ElementsAre(0, 1));
  EXPECT_THAT(raw.splits[0].val, ElementsAre(2));
  EXPECT_THAT(raw.splits[0].test, ElementsAre(3));
  EXPECT_THAT(raw.splits[1].train, ElementsAre(2));
  EXPECT_THAT(raw.splits[1].val, ElementsAre(0));
  EXPECT_THAT(raw.splits[1].test, IsEmpty());

  const RawDataset one = read(folder / "one.npz");
  ASSERT_EQ(one.splits.size(), 1u);
  EXPECT_THAT(one.splits[0].test, ElementsAre(3));
  EXPECT_THAT(read(folder / "fortran.npz").splits[0].train, ElementsAre(0, 1));
}

TEST(Heterophilous, RefusesWrongContentByPlace) {
  TempFolder folder;
  run_python(folder.path(), kGood + R"(
write('no_labels', drop=['node_labels'])
write('no_features', drop=['node_features'])
write('no_masks', drop=['val_masks'])
write('mask_nodes', train_masks=np.zeros((2, 5), bool))
write('mask_transposed', train_masks=good['train_masks'].T)
write('mask_count', test_masks=np.zeros((3, 4), bool))
write('mask_values', val_masks=np.array([[0, 1, 2, 0]] * 2))
write('mask_cube', val_masks=np.zeros((2, 2, 4), bool))
write('mask_scalar', val_masks=np.bool_(True))
write('mask_pickle', val_masks=np.array([[None] * 4] * 2))
write('high', edges=np.array([[0, 1], [4, 1]]))
write('half', edges=np.array([[0, 1], [.5, 1]]))
write('labels', node_labels=np.zeros(5, 'i8'))
)");
  const Mistake cases[] = {
      {"no_labels", "has no array 'node_labels'"},
      {"no_features", "has no array 'node_features'"},
      {"no_masks", "has no array 'val_masks'"},
      {"mask_nodes", "mask_nodes.npz[train_masks]: masks of shape (2, 5) for 4 nodes"},
      {"mask_transposed", "mask_transposed.npz[train_masks]: masks of shape (4, 2) for 4 nodes"},
      {"mask_count", "mask_count.npz[test_masks]: 3 masks, but 'train_masks' has 2"},
      {"mask_values", "mask_values.npz[val_masks]: entry 2 is 2"},
      {"mask_cube", "mask_cube.npz[val_masks]"},
      {"mask_scalar", "mask_scalar.npz[val_masks]"},
      {"mask_pickle", "mask_pickle.npz[val_masks]"},
      {"high", "high.npz[edges]: edge 1 names node 4"},
      {"half", "half.npz[edges]: element (1, 0)"},
      {"labels", "labels.npz[node_labels]: 5 labels for 4 nodes"},
  };
  expect_refuses_mistakes({detect_heterophilous, read_heterophilous}, folder.path(), cases, ".npz");
}

TEST(Heterophilous, SurvivesCutsAndWrongBytes) {
  expect_damage_to_npz_does_no_harm(read_heterophilous, kGood);
}

}  // namespace
}  // namespace gs::test
