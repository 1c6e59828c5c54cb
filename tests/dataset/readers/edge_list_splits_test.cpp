#include <gmock/gmock.h>

#include "support/edge_lists.h"

namespace gs::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(EdgeListSplits, ReadsATableOfOneOrMoreSplits) {
  const Texts base{{"edges.csv", "a,b\nb,c\nc,d\n"}, {"labels.csv", "a,x\nb,y\nc,x\nd,y\n"}};
  Texts files = base;
  files["splits.csv"] = "id,split\nc,Train\na,val\nb,test\nd,\n";
  const RawDataset one = read_folder_of(files);
  ASSERT_EQ(one.splits.size(), 1u);
  EXPECT_THAT(one.splits[0].train, ElementsAre(2));
  EXPECT_THAT(one.splits[0].val, ElementsAre(0));
  EXPECT_THAT(one.splits[0].test, ElementsAre(1));
  files["splits.csv"] = "a,train,test\nb,valid,train\nc,test,validation\n";
  const RawDataset two = read_folder_of(files);
  ASSERT_EQ(two.splits.size(), 2u);
  EXPECT_THAT(two.splits[1].train, ElementsAre(1));
  EXPECT_THAT(two.splits[1].val, ElementsAre(2));
}

TEST(EdgeListSplits, ReadsJson) {
  Texts files{{"edges.csv", "10,20\n20,30\n"},
              {"splits.json", R"({"train": [10], "valid": ["20"], "test": [30]})"}};
  const RawDataset raw = read_folder_of(files);
  ASSERT_EQ(raw.splits.size(), 1u);
  EXPECT_THAT(raw.splits[0].val, ElementsAre(1));
  files["splits.json"] =
      R"([{"train": [10], "val": [20], "test": []}, {"train": [30], "val": [10], "test": [20]}])";
  EXPECT_THAT(read_folder_of(files).splits[1].train, ElementsAre(2));
}

TEST(EdgeListSplits, ReadsArraysByRow) {
  TempFolder folder;
  run_python(folder.path(), R"(
for name in ['one', 'many', 'words', 'wide', 'short', 'ints', 'mapped', 'none']:
    os.mkdir(name); open(name + '/edges.csv', 'w').write('5,6\n6,9\n' if name == 'mapped' else '0,1\n1,2\n')
m = np.eye(3, dtype=bool)
np.savez('one/splits.npz', train_mask=m[0], val_mask=m[1], test_mask=m[2])
np.savez('mapped/splits.npz', train_mask=m[0], val_mask=m[1], test_mask=m[2])
np.savez('short/splits.npz', train_mask=m[0][:2], val_mask=m[1][:2], test_mask=m[2][:2])
np.savez('many/splits.npz', train_masks=m[[0, 2]], val_masks=m[[1, 1]], test_masks=m[[2, 0]])
np.savez('none/splits.npz', x=m)
np.save('words/splits.npy', np.array(['train', 'test', 'val']))
np.save('wide/splits.npy', np.array([['train', 'test'], ['test', 'val'], ['val', '']]))
np.save('ints/splits.npy', np.array([0, 1, 2]))
)");
  EXPECT_THAT(read_list(folder / "one").splits[0].val, ElementsAre(1));
  const auto many = read_list(folder / "many").splits;
  ASSERT_EQ(many.size(), 2u);
  EXPECT_THAT(many[1].train, ElementsAre(2));
  EXPECT_THAT(read_list(folder / "words").splits[0].val, ElementsAre(2));
  const auto wide = read_list(folder / "wide").splits;
  ASSERT_EQ(wide.size(), 2u);
  EXPECT_THAT(wide[1].test, ElementsAre(0));
  EXPECT_THAT(wide[1].train, IsEmpty());
  expect_data_error([&] { read_list(folder / "short"); }, "splits.npz");
  expect_data_error([&] { read_list(folder / "ints"); }, "splits.npy: not an array of the words");
  expect_data_error([&] { read_list(folder / "mapped"); }, "splits.npz: its row i is node i");
  expect_data_error([&] { read_list(folder / "none"); }, "splits.npz: no train_mask");
}

TEST(EdgeListSplits, RefusesBadOnes) {
  const std::string edges = "0,1\n1,2\n";
  expect_list_error({{"edges.csv", edges}, {"splits.csv", "0,train\n5,val\n"}},
                    "splits.csv:2: node '5' is not in the graph");
  expect_list_error({{"edges.csv", edges}, {"splits.csv", "0,train\n0,val\n"}},
                    "splits.csv:2: node '0' is there twice");
  expect_list_error({{"edges.csv", edges}, {"splits.csv", "0,train\n1,other\n"}},
                    "splits.csv:2: 'other' is not a part");
  expect_list_error({{"edges.csv", edges}, {"splits.csv", "0,train\n1\n"}},
                    "splits.csv:2: expected 2 fields");
  expect_list_error({{"edges.csv", edges}, {"splits.csv", "train\nval\n"}},
                    "splits.csv: 2 rows for 3 nodes");
  expect_list_error({{"edges.csv", edges}, {"splits.csv", "train\nval\ntest\ntest\n"}},
                    "splits.csv:4: 4 rows for 3 nodes");
  expect_list_error({{"edges.csv", edges}, {"splits.csv", ""}}, "splits.csv: the file has no rows");
  expect_list_error(
      {{"edges.csv", edges}, {"splits.json", R"({"train": [0], "val": [0], "test": [1]})"}},
      "node 0 is in both train and validation");
  expect_list_error(
      {{"edges.csv", edges}, {"splits.json", R"({"train": [0], "val": [7], "test": [1]})"}},
      "splits.json[val[0]]: node '7'");
  expect_list_error({{"edges.csv", edges}, {"splits.json", R"({"train": [0], "test": [1]})"}},
                    "train, val or test is missing");
  expect_list_error({{"edges.csv", edges}, {"splits.json", R"({"train": [0], "foo": [1]})"}},
                    "splits.json[foo]: not a part");
  expect_list_error({{"edges.csv", edges}, {"splits.json", R"({"train": [0], "train": [1]})"}},
                    "the part is there twice");
  expect_list_error({{"edges.csv", edges}, {"splits.json", R"({"train": [0.5]})"}},
                    "splits.json[train[0]]");
  expect_list_error({{"edges.csv", edges}, {"splits.json", ""}}, "splits.json");
}

}  // namespace
}  // namespace gs::test
