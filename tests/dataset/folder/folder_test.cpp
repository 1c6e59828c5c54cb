#include "dataset/folder/folder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/npy.h"
#include "dataset/generate/generate.h"
#include "dataset/load.h"
#include "support/dataset_folder.h"

namespace gs::test {
namespace {

void expect_same_graph(const Csr& a, const Csr& b) {
  EXPECT_EQ(to_vector(a.offsets), to_vector(b.offsets));
  EXPECT_EQ(to_vector(a.neighbors), to_vector(b.neighbors));
  EXPECT_EQ(to_vector(a.weights), to_vector(b.weights));
  EXPECT_EQ(a.symmetric, b.symmetric);
}

TEST(Folder, RoundTripsEverything) {
  const TempFolder temp;
  const Dataset data = rich();
  save_dataset(data, temp / "toy", false);
  const RawDataset raw = reread(temp / "toy");
  EXPECT_EQ(raw.name, "toy");
  EXPECT_EQ(raw.nodes, 4);
  EXPECT_EQ(raw.raw_edges, 7);
  EXPECT_EQ(raw.dropped.self_loops, 1);
  EXPECT_EQ(raw.dropped.duplicates, 3);
  EXPECT_EQ(raw.treatment, "duplicates merged");
  expect_same_graph(raw.graph, data.graph);
  ASSERT_TRUE(raw.has_features && raw.features.sparse());
  const SparseMatrix &m = raw.features.sparse_matrix(), &before = data.features.sparse_matrix();
  EXPECT_EQ(m.rows, 4);
  EXPECT_EQ(m.columns, 5);
  EXPECT_EQ(to_vector(m.offsets), to_vector(before.offsets));
  EXPECT_EQ(to_vector(m.indices), to_vector(before.indices));
  EXPECT_EQ(to_vector(m.values), to_vector(before.values));
  EXPECT_EQ(raw.labels.task, Task::multiclass);
  EXPECT_EQ(raw.labels.classes, 3);
  EXPECT_EQ(to_vector(raw.labels.single), to_vector(data.labels.single));
  ASSERT_EQ(raw.splits.size(), 2);
  EXPECT_EQ(raw.splits[0].train, (std::vector<int32_t>{0}));
  EXPECT_EQ(raw.splits[0].val, (std::vector<int32_t>{1}));
  EXPECT_EQ(raw.splits[0].test, (std::vector<int32_t>{3}));
  EXPECT_EQ(raw.splits[1].train, (std::vector<int32_t>{1, 3}));
  EXPECT_TRUE(raw.splits[1].val.empty());
  EXPECT_EQ(raw.node_ids, data.node_ids);
  EXPECT_EQ(raw.feature_names, data.feature_names);
  EXPECT_EQ(raw.class_names, data.class_names);
}

TEST(Folder, FeaturesOfARecipeAreNotTreatedAgainAndKeepIt) {
  const TempFolder temp;
  Dataset data = rich();
  data.feature_treatment.recipe = "{\"version\": 1}";
  save_dataset(data, temp / "one", false);
  const RawDataset raw = reread(temp / "one");
  EXPECT_EQ(raw.recipe, data.feature_treatment.recipe);
  const Dataset again = prepare(reread(temp / "one"), "folder", {});
  EXPECT_EQ(again.feature_treatment.rule, FeatureRule::raw);
  EXPECT_EQ(again.feature_treatment.recipe, data.feature_treatment.recipe);
  save_dataset(again, temp / "one", true);
  LoadOptions scaled;
  scaled.features = FeatureRule::row_norm;
  save_dataset(prepare(reread(temp / "one"), "folder", scaled), temp / "two", false);
  EXPECT_FALSE(fs::exists(temp / "two/recipe.json")) << "it no longer describes the features";
}

TEST(Folder, SavingWhatWasReadGivesTheSameBytes) {
  const TempFolder temp;
  save_dataset(rich(), temp / "one", false);
  Dataset again = prepare(reread(temp / "one"), "folder", {});
  again.format = "edge-list";
  save_dataset(again, temp / "two", false);
  int files = 0;
  for (const auto& entry : fs::directory_iterator(temp / "one")) {
    EXPECT_EQ(read_text(entry.path()), read_text(temp / "two" / entry.path().filename()))
        << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 13);
  EXPECT_EQ(std::distance(fs::directory_iterator(temp / "two"), fs::directory_iterator()), files);
}

TEST(Folder, RoundTripsDenseFeaturesAndLabelSets) {
  const TempFolder temp;
  const Dataset data = generate(
      parse_generator("sbm:nodes=50,classes=4,labels-per-node=2,unlabeled=0.2,features=3"));
  save_dataset(data, temp / "g", false);
  const RawDataset raw = reread(temp / "g");
  expect_same_graph(raw.graph, data.graph);
  EXPECT_TRUE(raw.graph.symmetric);
  ASSERT_FALSE(raw.features.sparse());
  EXPECT_EQ(raw.features.width(), 3);
  EXPECT_EQ(to_vector(raw.features.dense_matrix().values),
            to_vector(data.features.dense_matrix().values));
  EXPECT_EQ(raw.labels.task, Task::multilabel);
  EXPECT_EQ(to_vector(raw.labels.multi), to_vector(data.labels.multi));
  EXPECT_TRUE(raw.splits.empty());
  EXPECT_TRUE(raw.node_ids.empty());
}

TEST(Folder, RoundTripsAGraphWithoutAnythingElse) {
  const TempFolder temp;
  Dataset data;
  data.name = "bare";
  data.graph = undirected_graph(3, {});
  data.features = {DenseMatrix{3, 0, {}}};
  save_dataset(data, temp / "bare", false);
  const RawDataset raw = reread(temp / "bare");
  EXPECT_EQ(raw.nodes, 3);
  EXPECT_EQ(raw.graph.edges(), 0);
  EXPECT_FALSE(raw.has_features);
  EXPECT_EQ(raw.labels.task, Task::none);
}

TEST(Folder, BinaryFeaturesHaveNoValues) {
  const TempFolder temp;
  const Dataset data = generate(parse_generator("sbm:nodes=30,feature-kind=words,degree=4"));
  save_dataset(data, temp / "w", false);
  EXPECT_FALSE(fs::exists(temp / "w" / "feature_values.npy"));
  const RawDataset raw = reread(temp / "w");
  EXPECT_TRUE(raw.features.sparse_matrix().values.empty());
  EXPECT_EQ(to_vector(raw.features.sparse_matrix().indices),
            to_vector(data.features.sparse_matrix().indices));
}

TEST(Folder, NumpyReadsEveryArray) {
  const TempFolder temp;
  save_dataset(rich(), temp / "toy", false);
  EXPECT_NO_THROW(run_python(temp.path(), R"(
arrays = {name[:-4]: np.load('toy/' + name) for name in os.listdir('toy') if name.endswith('.npy')}
shapes = {name: (a.dtype.str, a.shape) for name, a in arrays.items()}
assert shapes == {'offsets': ('<i8', (5,)), 'neighbors': ('<i4', (3,)), 'weights': ('<f4', (3,)),
  'feature_offsets': ('<i8', (5,)), 'feature_indices': ('<i4', (4,)), 'feature_values': ('<f4', (4,)),
  'labels': ('<i4', (4,)), 'splits': ('|u1', (2, 4))}, shapes
assert arrays['splits'].tolist() == [[1, 2, 0, 3], [3, 1, 0, 1]]
assert json.load(open('toy/dataset.json'))['format'] == 'graphsurgeon-dataset'
)"));
}

TEST(Folder, ArraysWrittenByNumpyInOtherWidthsAreRead) {
  const TempFolder temp;
  save_dataset(rich(), temp / "toy", false);
  run_python(temp / "toy", R"(
for name, kind in [('offsets', 'i4'), ('neighbors', 'i8'), ('weights', 'f8'), ('labels', 'i1')]:
  np.save(name + '.npy', np.load(name + '.npy').astype(kind))
)");
  expect_same_graph(reread(temp / "toy").graph, rich().graph);
}

TEST(Folder, ReadingMapsTheFilesAndCopiesNothing) {
  const TempFolder temp;
  save_dataset(generate(parse_generator("sbm:nodes=200")), temp / "g", false);
  const RawDataset raw = reread(temp / "g");
  std::ifstream maps("/proc/self/maps");
  std::string line;
  int mapped = 0;
  const auto inside = [&](const void* pointer, const char* name) {
    unsigned long begin = 0, end = 0;
    std::sscanf(line.c_str(), "%lx-%lx", &begin, &end);
    const auto at = reinterpret_cast<unsigned long>(pointer);
    return line.ends_with(name) && at >= begin && at < end;
  };
  while (std::getline(maps, line))
    mapped += inside(raw.graph.neighbors.data(), "/neighbors.npy") +
              inside(raw.graph.offsets.data(), "/offsets.npy") +
              inside(raw.features.dense_matrix().values.data(), "/features.npy") +
              inside(raw.labels.single.data(), "/labels.npy");
  EXPECT_EQ(mapped, 4);
}

TEST(Folder, IsDetectedByItsDescription) {
  const TempFolder temp;
  save_dataset(rich(), temp / "toy", false);
  EXPECT_TRUE(detect_folder(temp / "toy"));
  EXPECT_TRUE(detect_folder(temp / "toy" / "dataset.json"));
  EXPECT_FALSE(detect_folder(temp / "toy" / "offsets.npy"));
  EXPECT_FALSE(detect_folder(temp.path()));
  EXPECT_FALSE(detect_folder(temp / "absent"));
  EXPECT_EQ(reread(temp / "toy" / "dataset.json").nodes, 4);
  EXPECT_EQ(load_dataset((temp / "toy").string(), {}).format, "folder");
}

TEST(Folder, DoesNotOverwriteUnlessTold) {
  const TempFolder temp;
  save_dataset(rich(), temp / "toy", false);
  Dataset other = rich();
  other.name = "other";
  expect_data_error([&] { save_dataset(other, temp / "toy", false); }, "already exists");
  EXPECT_EQ(reread(temp / "toy").name, "toy");
  save_dataset(other, temp / "toy", true);
  EXPECT_EQ(reread(temp / "toy").name, "other");
}

// Limits the size of any file that this process writes, as a full disk would; SIGXFSZ becomes an
// error of write().
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(Folder, AFullDiskLeavesNothingBehind) {
  const TempFolder temp;
  const Dataset data = generate(parse_generator("sbm:nodes=2000"));
  const auto entries = [&] {
    return std::distance(fs::directory_iterator(temp.path()), fs::directory_iterator());
  };
  for (const rlim_t limit :
       {1u, 20000u, 100000u}) {  // within the first array, the second, the features
    std::string line;
    {
      const FileSizeLimit full(limit);
      line = expect_data_error([&] { save_dataset(data, temp / "g", false); }, "file too large");
    }
    EXPECT_TRUE(line.starts_with((temp / "g").string() + "/")) << line;
    EXPECT_EQ(entries(), 0);
  }
  save_dataset(rich(), temp / "g", false);
  {
    const FileSizeLimit full(20000);
    expect_data_error([&] { save_dataset(data, temp / "g", true); }, "file too large");
  }
  EXPECT_EQ(reread(temp / "g").name, "toy");  // the old one stays
  EXPECT_EQ(entries(), 1);
}

TEST(Folder, OverwriteKeepsWhatIsNotADataset) {
  const TempFolder temp;
  write_text(temp / "mine" / "thesis.txt", "x");
  expect_data_error([&] { save_dataset(rich(), temp / "mine", true); }, "is not a dataset folder");
  write_text(temp / "mine" / "dataset.json", R"({"format": "another"})");
  expect_data_error([&] { save_dataset(rich(), temp / "mine", true); }, "is not a dataset folder");
  save_dataset(rich(), temp / "toy", false);
  write_text(temp / "toy" / "thesis.txt", "x");
  expect_data_error([&] { save_dataset(rich(), temp / "toy", true); }, "holds 'thesis.txt'");
  EXPECT_TRUE(fs::exists(temp / "toy/thesis.txt") && fs::exists(temp / "mine/thesis.txt"));
  write_text(temp / "file", "x");
  expect_data_error([&] { save_dataset(rich(), temp / "file", true); }, "is a file");
}

TEST(Folder, OverwriteKeepsAFolderThatHoldsTheInput) {
  const TempFolder temp;
  save_dataset(rich(), temp / "toy", false);
  expect_data_error([&] { check_dataset_output(temp / "toy", true, {temp / "toy"}); },
                    "holds the input");
  expect_data_error([&] { check_dataset_output(temp / "toy", true, {temp / "toy/offsets.npy"}); },
                    "holds the input");
  check_dataset_output(temp / "toy", true, {temp / "toy2", "", "sbm:nodes=5"});
}

}  // namespace
}  // namespace gs::test
