#include <gmock/gmock.h>

#include "dataset/load.h"
#include "dataset/readers/table.h"
#include "support/reader_laws.h"

namespace gs::test {
namespace {

using testing::ElementsAre;

RawDataset read(const fs::path& path) { return read_with(read_wikics, path); }

// Four nodes, five links (one twice), two splits.
constexpr const char* kGood = R"(
good = dict(features=[[0.5, -1], [1, 2.25], [0, 0], [3, 1e-3]], labels=[0, 1, 2, 0], links=[[1, 1], [], [0, 3], [3]],
    train_masks=[[True, False, False, False], [False, True, False, False]],
    val_masks=[[False, True, False, False], [True, False, False, False]],
    stopping_masks=[[False, False, True, False]] * 2, test_mask=[False, False, False, True])
def write(name='data.json', drop=(), **changes):
    json.dump({k: v for k, v in {**good, **changes}.items() if k not in drop}, open(name, 'w'))
)";

void write_json(const TempFolder& folder, const std::string& call) {
  run_python(folder.path(), std::string(kGood) + call);
}

TEST(WikiCs, ReadsEverythingInAnyOrderOfKeys) {
  TempFolder folder;
  write_json(folder, "write()\ngood = dict(reversed(good.items())); write('turned.json')");
  for (const char* name : {"data.json", "turned.json"}) {
    ASSERT_TRUE(detect_wikics(folder / name)) << name;
    const RawDataset raw = read(folder / name);
    EXPECT_EQ(raw.nodes, 4);
    EXPECT_THAT(raw.edges.source, ElementsAre(0, 0, 2, 2, 3));
    EXPECT_THAT(raw.edges.target, ElementsAre(1, 1, 0, 3, 3));
    EXPECT_FALSE(raw.symmetrize);
    EXPECT_EQ(raw.self_loops, SelfLoops::keep);
    ASSERT_FALSE(raw.features.sparse());
    EXPECT_EQ(raw.features.width(), 2);
    EXPECT_THAT(raw.features.dense_matrix().values.span(),
                ElementsAre(0.5, -1, 1, 2.25, 0, 0, 3, 1e-3f));
    EXPECT_THAT(raw.labels.single.span(), ElementsAre(0, 1, 2, 0));
    ASSERT_EQ(raw.splits.size(), 2u);
    EXPECT_THAT(raw.splits[0].train, ElementsAre(0));
    EXPECT_THAT(raw.splits[0].val, ElementsAre(1));
    EXPECT_THAT(raw.splits[1].train, ElementsAre(1));
    EXPECT_THAT(raw.splits[1].test, ElementsAre(3));
  }
}

TEST(WikiCs, StaysDirectedThroughPrepare) {
  TempFolder folder;
  write_json(folder, "write()");
  const Dataset data = prepare(read(folder.path()), "wikics", {});
  EXPECT_EQ(data.graph.edges(), 4) << "the repeated link is one";
  EXPECT_EQ(data.raw_edges, 5);
  EXPECT_FALSE(data.graph.symmetric);
}

TEST(WikiCs, IsFoundInItsFolderAndInRaw) {
  TempFolder folder;
  write_json(folder, "os.makedirs('wikics/raw'); write('wikics/raw/data.json')");
  EXPECT_TRUE(detect_wikics(folder / "wikics"));
  EXPECT_TRUE(detect_wikics(folder / "wikics/raw"));
  EXPECT_EQ(read(folder / "wikics").name, "wikics");
  EXPECT_EQ(read(folder / "wikics/raw/data.json").name, "wikics");
}

TEST(WikiCs, IsNotTakenForOtherJson) {
  TempFolder folder;
  write_text(folder / "words.json", R"({"0": [1, 2]})");
  write_text(folder / "list.json", R"(["features"])");
  write_text(folder / "empty.json", "");
  for (const char* name : {"words.json", "list.json", "empty.json", "absent.json", ""}) {
    EXPECT_FALSE(detect_wikics(folder / name)) << name;
  }
}

TEST(WikiCs, TakesMasksOfZeroAndOne) {
  TempFolder folder;
  write_json(folder, "write(test_mask=[0, 0, 0, 1])");
  EXPECT_THAT(read(folder / "data.json").splits[0].test, ElementsAre(3));
}

TEST(WikiCs, RefusesBadParts) {
  const std::pair<const char*, const char*> cases[] = {
      {"write(drop=['features'])", "'features' is missing"},
      {"write(drop=['labels'])", "'labels' is missing"},
      {"write(drop=['links'])", "'links' is missing"},
      {"write(drop=['test_mask'])", "'test_mask' is missing"},
      {"write(drop=['val_masks'])", "[val_masks]: 0 masks, train_masks has 2"},
      {"write(features=[])", "[features]: no rows"},
      {"write(features=[[1, 2], [1], [1, 2], [1, 2]])", "[features[1]]: 1 numbers"},
      {"write(features=[[1, 2], [1, 'x'], [1, 2], [1, 2]])", "features[1][1]"},
      {"write(features=[[1, 2], [1, float('nan')], [1, 2], [1, 2]])", "features[1][1]"},
      {"write(features=3)", "[features]: expected an array"},
      {"write(labels=[0, 1, 2])", "[labels]: 3 labels for 4 nodes"},
      {"write(labels=[0, 1, 2, 0.5])", "labels[3]"},
      {"write(labels=[0, 1, 2, -7])", "[labels[3]]: -7 is not a class"},
      {"write(labels=[0, 1, 2, 10**12])", "is not a class"},
      {"write(links=[[1], [], [0]])", "[links]: 3 lists for 4 nodes"},
      {"write(links=[[1], [], [4], []])", "[links[2]]: node 4 does not exist"},
      {"write(links=[[1], [], [-1], []])", "node -1 does not exist"},
      {"write(links=[[1], [], [2**40], []])", "does not exist"},
      {"write(links=[[1], [], ['a'], []])", "links[2][0]"},
      {"write(test_mask=[False])", "[test_mask]: 1 entries for 4 nodes"},
      {"write(test_mask=[False, False, False, 2])", "[test_mask[3]]: 2 in a mask"},
      {"write(train_masks=[[True]] * 2)", "[train_masks[0]]: 1 entries for 4 nodes"},
  };
  TempFolder folder;
  std::string script;
  for (size_t i = 0; i < std::size(cases); ++i) {
    script += fmt::format("{}; os.rename('data.json', '{}.json')\n", cases[i].first, i);
  }
  write_json(folder, script);
  for (size_t i = 0; i < std::size(cases); ++i) {
    SCOPED_TRACE(cases[i].first);
    expect_data_error([&] { read(folder / fmt::format("{}.json", i)); }, cases[i].second);
  }
}

TEST(WikiCs, RefusesOverlappingSplits) {
  TempFolder folder;
  write_json(folder, "write(test_mask=[True, False, False, True])");
  expect_data_error([&] { prepare(read(folder.path()), "wikics", {}); },
                    "node 0 is in both train and test");
}

TEST(WikiCs, RefusesDamagedFiles) {
  TempFolder folder;
  expect_data_error([&] { read(folder / "absent.json"); }, "absent.json");
  expect_data_error([&] { read(folder.path()); }, "no data.json");
  fs::create_directory(folder / "data.json");
  expect_data_error([&] { read(folder.path()); }, "data.json");
  fs::remove(folder / "data.json");
  write_text(folder / "data.json", "");
  expect_data_error([&] { read(folder.path()); }, "empty");
  write_text(folder / "data.json",
             "{\"features\": [[1]], \"labels\": [0], \"links\": [[]], \"t\xFFst\": []}");
  expect_data_error([&] { read(folder.path()); }, "UTF-8");
  write_text(folder / "data.json", R"({"labels": [0], "labels": [0]})");
  expect_data_error([&] { read(folder.path()); }, "[labels]: the key is there twice");
  write_text(folder / "data.json", "[1, 2]");
  expect_data_error([&] { read(folder.path()); }, "expected an object");
}

TEST(WikiCs, SurvivesCutsAndWrongBytes) {
  TempFolder folder;
  write_json(folder, "write()");
  const auto read_it = [&] { prepare(read(folder / "data.json"), "wikics", {}); };
  expect_truncation_is_noticed(folder / "data.json", 60, read_it);
  expect_wrong_bytes_do_no_harm(folder / "data.json", 300, read_it);
}

}  // namespace
}  // namespace gs::test
