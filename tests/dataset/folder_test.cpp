#include "dataset/folder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/npy.h"
#include "dataset/generate.h"
#include "dataset/load.h"
#include "support/files.h"
#include "support/graphs.h"

namespace gs {
namespace {

using test::expect_data_error;
using test::read_text;
using test::TempFolder;
using test::to_vector;
using test::write_text;

// Everything that the format can hold: weights, sparse features with values, an unlabelled node,
// splits, odd names.
Dataset rich() {
  Dataset data;
  data.name = "toy";
  data.format = "edge-list";
  data.graph = build_csr(test::edge_list(4, {{0, 1, 0.1f}, {1, 2, 2}, {3, 3, 1e-30f}}, true), {});
  data.features = {SparseMatrix{4, 5, std::vector<int64_t>{0, 2, 2, 3, 4},
                                std::vector<int32_t>{1, 4, 0, 3},
                                std::vector<float>{0.5f, -1.25f, 3, 1e20f}}};
  data.labels = {.task = Task::multiclass,
                 .classes = 3,
                 .single = std::vector<int32_t>{0, 2, -1, 1},
                 .multi = {}};
  data.splits = {Split{{0}, {1}, {3}}, Split{{1, 3}, {}, {0}}};
  data.node_ids = {"a", "", "tab\there, back\\slash", "two\nlines\r"};
  data.feature_names = {"f0", "\\n", "f2", "naïve", "f4"};
  data.class_names = {"x", "y", "z"};
  data.raw_edges = 7;
  data.dropped = {.self_loops = 1, .duplicates = 3};
  data.treatment = "duplicates merged";
  return data;
}

RawDataset reread(const fs::path& folder) {
  ReadRequest request;
  request.path = folder;
  return read_folder(request);
}

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
  EXPECT_EQ(files, 12);
  EXPECT_EQ(std::distance(fs::directory_iterator(temp / "two"), fs::directory_iterator()), files);
}

TEST(Folder, RoundTripsDenseFeaturesAndLabelSets) {
  const TempFolder temp;
  const Dataset data = generate(
      parse_generator("sbm:nodes=50,classes=4,labels-per-node=2,unlabelled=0.2,features=3"));
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
  data.graph = test::undirected_graph(3, {});
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
  EXPECT_NO_THROW(test::run_python(temp.path(), R"(
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
  test::run_python(temp / "toy", R"(
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

// A saved dataset with one thing spoilt.
class BrokenFolder : public ::testing::Test {
 protected:
  BrokenFolder() { save_dataset(rich(), folder(), false); }
  fs::path folder() const { return temp_ / "toy"; }

  template <class T>
  void put(const char* name, std::vector<T> values, std::vector<int64_t> shape = {}) {
    if (shape.empty()) shape = {std::ssize(values)};
    save_npy<T>(folder() / name, values, shape);
  }
  void put_json(const std::string& pointer, const nlohmann::json& value) {
    auto json = nlohmann::json::parse(read_text(folder() / "dataset.json"));
    json[nlohmann::json::json_pointer(pointer)] = value;
    write_text(folder() / "dataset.json", json.dump());
  }
  void expect_error(const std::string& part) {
    expect_data_error([&] { prepare(reread(folder()), "folder", {}); }, part);
  }

  TempFolder temp_;
};

TEST_F(BrokenFolder, MissingFiles) {
  for (const char* name :
       {"dataset.json", "offsets.npy", "neighbors.npy", "weights.npy", "feature_offsets.npy",
        "feature_indices.npy", "feature_values.npy", "labels.npy", "splits.npy", "node_ids.txt",
        "feature_names.txt", "class_names.txt"}) {
    fs::rename(folder() / name, temp_ / "aside");
    expect_error(std::string(name) + ": no such file");
    fs::rename(temp_ / "aside", folder() / name);
  }
  EXPECT_NO_THROW(reread(folder()));
}

TEST_F(BrokenFolder, FilesTruncatedAnywhere) {
  for (const auto& entry : fs::directory_iterator(folder())) {
    if (entry.path().extension() != ".npy") continue;
    const std::string whole = read_text(entry.path());
    for (size_t size = 0; size < whole.size(); size += size < 140 ? 7 : 3) {
      write_text(entry.path(), whole.substr(0, size));
      expect_data_error([&] { reread(folder()); }, entry.path().filename().string());
    }
    write_text(entry.path(), whole);
  }
  const std::string whole = read_text(folder() / "dataset.json");
  for (size_t size = 0; size + 2 < whole.size(); size += 5) {
    write_text(folder() / "dataset.json", whole.substr(0, size));
    expect_error("not valid JSON");
  }
}

TEST_F(BrokenFolder, DescriptionOfSomethingElse) {
  put_json("/format", "another");
  expect_error("does not describe");
  write_text(folder() / "dataset.json", "[1, 2]");
  expect_error("does not describe");
  write_text(folder() / "dataset.json", "{\"format\": \"\xff\"}");
  expect_error("not valid JSON");
  fs::remove(folder() / "dataset.json");
  fs::create_directory(folder() / "dataset.json");
  expect_error("is a directory");
}

TEST_F(BrokenFolder, ANewerVersion) {
  put_json("/version", 2);
  expect_error("is of version 2");
}

TEST_F(BrokenFolder, DescriptionWithWrongKinds) {
  for (const char* key : {"/nodes", "/edges", "/splits", "/raw_edges", "/features/width",
                          "/labels/classes", "/dropped/self_loops", "/dropped/duplicates"}) {
    for (const nlohmann::json& value :
         {nlohmann::json(-1), nlohmann::json("4"), nlohmann::json(1.5), nlohmann::json()}) {
      const std::string before = read_text(folder() / "dataset.json");
      put_json(key, value);
      expect_error("is not a whole number");
      write_text(folder() / "dataset.json", before);
    }
  }
  put_json("/dropped/duplicates", INT64_MAX);
  expect_error("not possible");
  put_json("/dropped", 3);
  expect_error("lacks \"dropped/self_loops\"");
  put_json("/dropped", nlohmann::json::object({{"self_loops", 0}, {"duplicates", 0}}));
  put_json("/symmetric", 1);
  expect_error("is not true or false");
}

TEST_F(BrokenFolder, CountsThatDoNotAgree) {
  const std::string before = read_text(folder() / "dataset.json");
  const auto with = [&](const char* key, int64_t value, const std::string& part) {
    put_json(key, value);
    expect_error(part);
    write_text(folder() / "dataset.json", before);
  };
  with("/nodes", 5, "offsets.npy: has shape (5), but dataset.json says (6)");
  with("/nodes", 0, "without nodes");
  with("/nodes", int64_t{1} << 40, "too many");
  with("/edges", 4, "neighbors.npy: has shape (3)");
  with("/splits", 3, "splits.npy: has shape (2, 4)");
  with("/splits", INT64_MAX, "splits.npy: has shape (2, 4)");
  with("/features/width", 4, "names column 4 of 4");
  with("/features/width", 6, "feature_names.txt: has 5 lines where 6");
  with("/features/width", INT64_MAX, "too many");
  with("/labels/classes", 2, "class_names.txt: has 3 lines where 2");
  with("/labels/classes", INT64_MAX, "classes for 4 nodes");
}

TEST_F(BrokenFolder, AFlagOfSymmetryThatIsNotTrue) {
  put_json("/symmetric", true);
  expect_error("says that the graph is symmetric, but it is not");
}

TEST_F(BrokenFolder, ASymmetryThatWeightsBreak) {
  Dataset data = rich();
  data.graph = build_csr(test::edge_list(4, {{0, 1, 0.5f}, {1, 2, 2}, {3, 3, 7}}, true),
                         {.symmetrize = true});
  save_dataset(data, folder(), true);
  EXPECT_TRUE(reread(folder()).graph.symmetric);
  put<float>("weights.npy", {0.5f, 0.5f, 2, 1.5f, 7});
  expect_error("says that the graph is symmetric, but it is not");
  put<float>("weights.npy", {2, 2, 0.5f, 0.5f, 7});
  EXPECT_TRUE(reread(folder()).graph.symmetric);
}

TEST_F(BrokenFolder, OneEntryTurnedRoundIsSeen) {
  save_dataset(generate(parse_generator("sbm:nodes=300,features=0")), folder(), true);
  const Csr graph = reread(folder()).graph;
  std::vector<int32_t> neighbors = to_vector(graph.neighbors);
  int64_t v = 0;  // a row that may end with the last node instead, and stay in order
  while (graph.degree(v) == 0 || graph.row(v).back() == 299) ++v;
  neighbors[graph.offsets[v + 1] - 1] = 299;
  put<int32_t>("neighbors.npy", neighbors);
  expect_error("says that the graph is symmetric, but it is not");
}

TEST_F(BrokenFolder, UnknownKinds) {
  put_json("/features/kind", "cubic");
  expect_error("unknown kind of features 'cubic'");
  put_json("/features/kind", "sparse");
  put_json("/labels/task", "guess");
  expect_error("unknown task 'guess'");
}

TEST_F(BrokenFolder, AGraphOutOfBounds) {
  put<int32_t>("neighbors.npy", {0, 1, 4});
  expect_error("names node 4, but there are 4 nodes");
  put<int32_t>("neighbors.npy", {0, -1, 3});
  expect_error("names node -1");
  put<int32_t>("neighbors.npy", {0, 1, 3});
  put<int64_t>("offsets.npy", {0, 0, 1, 9, 3});
  expect_error("less than the one before");
  put<int64_t>("offsets.npy", {0, 0, 1, 2, 9});
  expect_error("offsets end with 9");
  put<int64_t>("offsets.npy", {0, 0, 1, 2, INT64_MIN});
  expect_error("less than the one before");
}

TEST_F(BrokenFolder, WeightsThatAreNotNumbers) {
  put<float>("weights.npy", {1, std::nanf(""), 1});
  expect_error("has the weight nan");
}

TEST_F(BrokenFolder, SparseFeaturesOutOfBounds) {
  put<int32_t>("feature_indices.npy", {1, 5, 0, 3});
  expect_error("row 0 names column 5 of 5");
  put<int32_t>("feature_indices.npy", {4, 1, 0, 3});
  expect_error("row 0 is not in ascending order at column 1");
  put<int32_t>("feature_indices.npy", {-1, 1, 0, 3});
  expect_error("not in ascending order at column -1");
  put<int32_t>("feature_indices.npy", {1, 4, 0, 3});
  put<int64_t>("feature_offsets.npy", {0, 9, 2, 3, 4});
  expect_error("feature offset 2 is less");
  put<int64_t>("feature_offsets.npy", {0, 2, 2, 3, 5});
  expect_error("run from 0 to 5 over 4 entries");
  put<int64_t>("feature_offsets.npy", {0, 2, 2, 3, 4});
  put<float>("feature_values.npy", {1, HUGE_VALF, 1, 1});
  expect_error("is not finite");
}

TEST_F(BrokenFolder, DtypesThatDoNotFit) {
  put<double>("labels.npy", {0, 0.5, 1, 1});
  expect_error("labels.npy");
  put<int32_t>("labels.npy", {0, 2, -1, 1});
  put<int64_t>("neighbors.npy", {0, 1, int64_t{1} << 40});
  expect_error("neighbors.npy");
}

TEST_F(BrokenFolder, LabelsOutsideTheClasses) {
  put<int32_t>("labels.npy", {0, 3, -1, 1});
  expect_error("label 3 is outside the 3 classes");
}

TEST_F(BrokenFolder, UnknownSplitCodes) {
  put<uint8_t>("splits.npy", {1, 2, 0, 3, 1, 4, 0, 1}, {2, 4});
  expect_error("split 1, node 1: code 4 is not known");
}

TEST_F(BrokenFolder, LabelSetsKnownInPart) {
  put_json("/labels", {{"task", "mlc"}, {"classes", 2}});
  write_text(folder() / "class_names.txt", "x\ny\n");
  put<uint8_t>("labels.npy", {1, 0, 255, 0, 0, 0, 1, 1}, {4, 2});
  expect_error("node 1: is labelled in part only");
}

TEST_F(BrokenFolder, NamesThatDoNotFit) {
  write_text(folder() / "node_ids.txt", "a\nb\nc\n");
  expect_error("has 3 lines where 4");
  write_text(folder() / "node_ids.txt", "a\nb\nc\\x\nd\n");
  expect_error("node_ids.txt:3: has a backslash");
  write_text(folder() / "node_ids.txt", "a\nb\xe9\nc\nd\n");
  expect_error("node_ids.txt:2: the name is not UTF-8");
  write_text(folder() / "node_ids.txt", "a\nb\nc\\");
  expect_error("node_ids.txt:3: has a backslash");
}

TEST_F(BrokenFolder, NoPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  fs::permissions(folder() / "labels.npy", fs::perms::none);
  expect_error("no permission");
}

}  // namespace
}  // namespace gs
