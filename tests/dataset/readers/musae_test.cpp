#include <gmock/gmock.h>

#include "dataset/load.h"
#include "dataset/readers/table.h"
#include "support/reader_laws.h"

namespace gs::test {
namespace {

using testing::ElementsAre;

RawDataset read(const fs::path& path) { return read_with(read_musae, path); }

constexpr const char* kEdges = "id_1,id_2\n0,1\n2,1\n2,2\n1,0\n";
constexpr const char* kWords = R"({"2": [4, 1, 4], "0": []})";
constexpr const char* kTarget =
    "id,facebook_id,page_name,page_type\n1,77,\"Bread, and "
    "\"\"butter\"\"\",tvshow\n0,78,\xFF,company\n2,79,x,tvshow\n";

struct Files {
  TempFolder folder;
  Files(const std::string& edges, const std::string& words, const std::string& target) {
    write_text(folder / "fb_edges.csv", edges);
    write_text(folder / "fb.json", words);
    write_text(folder / "fb_target.csv", target);
  }
};

void expect_error(const std::string& edges, const std::string& words, const std::string& target,
                  const std::string& part) {
  SCOPED_TRACE(part);
  const Files files(edges, words, target);
  expect_data_error([&] { prepare(read(files.folder.path()), "musae", {}); }, part);
}

TEST(Musae, ReadsEdgesWordsAndClassNames) {
  const Files files(kEdges, kWords, kTarget);
  ASSERT_TRUE(detect_musae(files.folder.path()));
  const RawDataset raw = read(files.folder.path());
  EXPECT_EQ(raw.name, "fb");
  EXPECT_EQ(raw.nodes, 3);
  EXPECT_THAT(raw.edges.source, ElementsAre(0, 2, 2, 1));
  EXPECT_TRUE(raw.symmetrize);
  EXPECT_EQ(raw.self_loops, SelfLoops::drop);
  const SparseMatrix& m = raw.features.sparse_matrix();
  EXPECT_EQ(m.columns, 5);
  EXPECT_THAT(m.offsets.span(), ElementsAre(0, 0, 0, 2));
  EXPECT_THAT(m.indices.span(), ElementsAre(1, 4)) << "a repeated word is one";
  EXPECT_THAT(raw.class_names, ElementsAre("company", "tvshow"));
  EXPECT_THAT(raw.labels.single.span(), ElementsAre(0, 1, 1));
  EXPECT_EQ(raw.labels.task, Task::binary);
  EXPECT_TRUE(raw.node_ids.empty());
  EXPECT_EQ(prepare(raw, "musae", {}).graph.edges(), 4);
}

TEST(Musae, ReadsGithubsNumbersAndFileNames) {
  TempFolder folder;
  write_text(folder / "raw/musae_git_edges.csv", kEdges);
  write_text(folder / "raw/musae_git_features.json", kWords);
  write_text(folder / "raw/musae_git_target.csv",
             "id,name,ml_target\n0,Eiryyy,0\n1,shawflying,1\n2,x,0\n");
  for (const char* path : {"", "raw", "raw/musae_git_edges.csv", "raw/musae_git_features.json"}) {
    ASSERT_TRUE(detect_musae(folder / path)) << path;
    const RawDataset raw = read(folder / path);
    EXPECT_THAT(raw.labels.single.span(), ElementsAre(0, 1, 0));
    EXPECT_TRUE(raw.class_names.empty());
  }
}

TEST(Musae, ReadsTwitchByItsNewIds) {
  const Files files(kEdges, kWords,
                    "id,days,mature,views,partner,new_id\n900,1,True,5,False,2\n901,1,False,5,"
                    "False,0\n902,3,False,4,False,1\n");
  const RawDataset raw = read(files.folder.path());
  EXPECT_THAT(raw.class_names, ElementsAre("False", "True"));
  EXPECT_THAT(raw.labels.single.span(), ElementsAre(0, 0, 1));
}

TEST(Musae, TreatsAnEmptyClassAsUnknown) {
  const Files files(kEdges, kWords, "id,page_type\n0,a\n1,\n2,b\n");
  EXPECT_THAT(read(files.folder.path()).labels.single.span(), ElementsAre(0, -1, 1));
}

TEST(Musae, RefusesBadTargets) {
  expect_error(kEdges, kWords, "", "fb_target.csv: the file is empty");
  expect_error(kEdges, kWords, "id,t\n", "header but no node");
  expect_error(kEdges, kWords, "id\n0\n", "fb_target.csv:1: expected an id and a class");
  expect_error(kEdges, kWords, "id,t\n0,1\n1\n2,1\n",
               "fb_target.csv:3: expected 2 fields, found 1");
  expect_error(kEdges, kWords, "id,t\n0,1\nx,1\n2,1\n", "fb_target.csv:3: column 1 is 'x'");
  expect_error(kEdges, kWords, "id,t\n0,1\n1,1\n1,1\n",
               "fb_target.csv:4: node 1 was already in line 3");
  expect_error(kEdges, kWords, "id,t\n0,1\n1,1\n7,1\n", "fb_target.csv:4: node 7 in a file of 3");
  expect_error(kEdges, kWords, "id,t\n0,1\n1,\"a\n", "quote");
  expect_error(kEdges, kWords, "id,t\n0,a\n1,\xFF\n2,a\n",
               "fb_target.csv:3: the class is not UTF-8");
}

TEST(Musae, RefusesBadEdges) {
  expect_error("", kWords, kTarget, "fb_edges.csv: the file is empty");
  expect_error("id_1,id_2", kWords, kTarget, "header but no edge");
  expect_error("id_1,id_2\n0,1\n0\n", kWords, kTarget, "fb_edges.csv:3: the row is too short");
  expect_error("id_1,id_2\n0,1,2\n", kWords, kTarget, "fb_edges.csv:2: the row has more than 2");
  expect_error("id_1,id_2\n0,x\n", kWords, kTarget, "fb_edges.csv:2: 'x' is not an integer id");
  expect_error("id_1,id_2\n0,1\n\n0,3\n", kWords, kTarget, "fb_edges.csv:4: edge 0 -> 3");
}

TEST(Musae, RefusesBadWords) {
  expect_error(kEdges, "", kTarget, "fb.json");
  expect_error(kEdges, "[]", kTarget, "expected an object");
  expect_error(kEdges, R"({"3": [1]})", kTarget, "fb.json[3]: node 3 does not exist");
  expect_error(kEdges, R"({"x": [1]})", kTarget, "fb.json[x]: 'x' is not a node number");
  expect_error(kEdges, R"({"1": [1], "1": [2]})", kTarget, "fb.json[1]: the node is there twice");
  expect_error(kEdges, R"({"1": 5})", kTarget, "fb.json[1]: expected an array");
  expect_error(kEdges, R"({"1": [1, "a"]})", kTarget, "fb.json[1[1]]");
  expect_error(kEdges, R"({"1": [-1]})", kTarget, "-1 is not a word id");
  expect_error(kEdges, R"({"1": [99999999999]})", kTarget, "is not a word id");
  expect_error(kEdges, "{\"1\": [1], \"\xFF\": []}", kTarget, "UTF-8");
  expect_error(kEdges, R"({"1": [1]} {})", kTarget, "more text");
}

TEST(Musae, RefusesMissingAndAmbiguousFiles) {
  TempFolder folder;
  EXPECT_FALSE(detect_musae(folder.path()));
  EXPECT_FALSE(detect_musae(folder / "absent"));
  write_text(folder / "a_edges.csv", kEdges);
  write_text(folder / "a_target.csv", kTarget);
  EXPECT_FALSE(detect_musae(folder.path()));
  expect_data_error([&] { read(folder.path()); }, "are not all there");
  for (const char* name : {"a.json", "b.json"}) write_text(folder / name, kWords);
  write_text(folder / "b_edges.csv", kEdges);
  write_text(folder / "b_target.csv", kTarget);
  expect_data_error([&] { read(folder.path()); }, "are both here");
  EXPECT_EQ(read(folder / "b_edges.csv").name, "b");
  fs::remove(folder / "a.json");
  fs::create_directory(folder / "a.json");
  expect_data_error([&] { read(folder / "a_edges.csv"); }, "a.json");
}

TEST(Musae, SurvivesCutsAndWrongBytes) {
  const Files files(kEdges, kWords, kTarget);
  const auto read_it = [&] { prepare(read(files.folder.path()), "musae", {}); };
  expect_truncation_is_noticed(files.folder / "fb.json", 20, read_it);
  for (const char* name : {"fb.json", "fb_edges.csv", "fb_target.csv"}) {
    expect_wrong_bytes_do_no_harm(files.folder / name, 60, read_it);
  }
}

TEST(Musae, ReadsFacebook) {
  GS_NEEDS_SHARED_DATA();
  const fs::path path = shared_data() / "facebook";
  ASSERT_TRUE(detect_musae(path));
  const Dataset data = prepare(read(path), "musae", {});
  EXPECT_EQ(data.name, "facebook");
  EXPECT_EQ(data.nodes(), 22470);
  EXPECT_EQ(data.raw_edges, 171002);
  EXPECT_EQ(data.graph.edges(), 341646);
  EXPECT_TRUE(data.graph.symmetric);
  EXPECT_EQ(data.features.width(), 4714);
  EXPECT_EQ(data.labels.classes, 4);
  EXPECT_THAT(data.class_names, ElementsAre("company", "government", "politician", "tvshow"));
  EXPECT_EQ(data.labels.single[0], 3) << "The Voice of China is a tvshow";
  EXPECT_EQ(data.labels.single[1], 1);
  const SparseMatrix& m = data.features.sparse_matrix();
  EXPECT_THAT(m.indices.slice(m.offsets[10772], m.offsets[10773]),
              ElementsAre(979, 2014, 2317, 2534, 3293));
}

}  // namespace
}  // namespace gs::test
