#include <gmock/gmock.h>

#include "dataset/readers/table.h"
#include "support/reader_laws.h"

namespace gs::test {
namespace {

using testing::ElementsAre;

RawDataset read(const fs::path& path) { return read_with(read_musae_npz, path); }

// As PyG publishes them: int64 edges in both directions and loops, float64 features, int64 targets.
const std::string kGood = R"(
good = dict(edges=np.array([[0, 1], [1, 0], [2, 2]]), features=np.arange(6.).reshape(3, 2) / 2, target=np.array([1, 0, 3]))
save = np.savez
)" + std::string(kWriteNpz);

TEST(MusaeNpz, ReadsEdgesFeaturesAndTargets) {
  TempFolder folder;
  run_python(folder.path(),
             kGood + "write('facebook'); write('github', target=np.array([1, 0, 0], 'i4'))");
  ASSERT_TRUE(detect_musae_npz(folder / "facebook.npz"));
  EXPECT_EQ(detect_reader(folder / "facebook.npz").name, "musae-npz");
  const RawDataset raw = read(folder / "facebook.npz");
  EXPECT_EQ(raw.name, "facebook");
  EXPECT_EQ(raw.nodes, 3);
  EXPECT_THAT(raw.edges.source, ElementsAre(0, 1, 2));
  EXPECT_THAT(raw.edges.target, ElementsAre(1, 0, 2));
  EXPECT_TRUE(raw.symmetrize);
  EXPECT_EQ(raw.self_loops, SelfLoops::drop);
  EXPECT_THAT(raw.features.dense_matrix().values.span(), ElementsAre(0, .5, 1, 1.5, 2, 2.5));
  EXPECT_EQ(raw.labels.task, Task::multiclass);
  EXPECT_EQ(raw.labels.classes, 4);
  EXPECT_EQ(read(folder / "github.npz").labels.task, Task::binary);
}

TEST(MusaeNpz, RefusesWrongContentByPlace) {
  TempFolder folder;
  run_python(folder.path(), kGood + R"(
write('no_target', drop=['target'])
write('no_features', drop=['features'])
write('high', edges=np.array([[0, 1], [1, 3]]))
write('low', edges=np.array([[0, 1], [-1, 0]]))
write('huge', edges=np.array([[0, 1], [2**33, 0]]))
write('three_columns', edges=np.zeros((2, 3), 'i8'))
write('flat', edges=np.zeros(4, 'i8'))
write('targets', target=np.zeros(2, 'i8'))
write('scalar_target', target=np.int64(3))
write('text', features=np.array([['a', 'b']] * 3))
write('pickle', features=np.array([[1, None]] * 3))
write('vector', features=np.zeros(3))
)");
  const Mistake cases[] = {
      {"no_target", "has no array 'target'"},
      {"no_features", "has no array 'features'"},
      {"high", "high.npz[edges]: edge 1 names node 3"},
      {"low", "low.npz[edges]: edge 1 names node -1"},
      {"huge", "huge.npz[edges]: element (1, 0)"},
      {"three_columns", "three_columns.npz[edges]: shape is (2, 3), expected (M, 2)"},
      {"flat", "flat.npz[edges]"},
      {"targets", "targets.npz[target]: 2 labels for 3 nodes"},
      {"scalar_target", "scalar_target.npz[target]"},
      {"text", "text.npz[features]"},
      {"pickle", "pickle.npz[features]"},
      {"vector", "vector.npz[features]"},
  };
  expect_refuses_mistakes({detect_musae_npz, read_musae_npz}, folder.path(), cases, ".npz");
}

TEST(MusaeNpz, SurvivesCutsAndWrongBytes) {
  expect_damage_to_npz_does_no_harm(read_musae_npz, kGood);
}

}  // namespace
}  // namespace gs::test
