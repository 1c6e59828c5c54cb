// Dataset folders with something wrong in them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/npy.h"
#include "dataset/generate/generate.h"
#include "dataset/load.h"
#include "support/dataset_folder.h"

namespace gs::test {
namespace {

// A saved dataset with one mistake.
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
  expect_error("has version 2");
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
  data.graph =
      build_csr(edge_list(4, {{0, 1, 0.5f}, {1, 2, 2}, {3, 3, 7}}, true), {.symmetrize = true});
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
  expect_error("node 1: is labeled in part only");
}

TEST_F(BrokenFolder, NamesThatDoNotFit) {
  write_text(folder() / "node_ids.txt", "a\nb\nc\n");
  expect_error("has 3 lines where 4");
  write_text(folder() / "node_ids.txt", "a\nb\nc\\x\nd\n");
  expect_error("node_ids.txt:3: has an unknown escape");
  write_text(folder() / "node_ids.txt", "a\nb\xe9\nc\nd\n");
  expect_error("node_ids.txt:2: the name is not UTF-8");
  write_text(folder() / "node_ids.txt", "a\nb\nc\\");
  expect_error("node_ids.txt:3: has an unknown escape");
}

TEST_F(BrokenFolder, NoPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  fs::permissions(folder() / "labels.npy", fs::perms::none);
  expect_error("no permission");
}

}  // namespace
}  // namespace gs::test
