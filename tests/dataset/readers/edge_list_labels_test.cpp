#include <gmock/gmock.h>

#include "support/edge_lists.h"

namespace gs::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(EdgeListLabels, ReadsIdsAndClasses) {
  const RawDataset raw = read_folder_of(
      {{"edges.csv", "0,1\n1,2\n"}, {"labels.csv", "id,label\n2,1\n0,0\n4,2\n3,-1\n"}});
  EXPECT_EQ(raw.nodes, 5) << "nodes that only the labels name are isolated";
  EXPECT_THAT(raw.labels.single.span(), ElementsAre(0, -1, 1, -1, 2));
  EXPECT_EQ(raw.labels.classes, 3);
  EXPECT_EQ(raw.labels.task, Task::multiclass);
  EXPECT_THAT(raw.class_names, IsEmpty());
}

TEST(EdgeListLabels, NumbersOtherClassesInOrder) {
  const RawDataset gaps =
      read_folder_of({{"edges.csv", "0,1\n1,2\n"}, {"labels.csv", "0,20\n1,3\n2,20.0\n"}});
  EXPECT_THAT(gaps.labels.single.span(), ElementsAre(1, 0, 1));
  EXPECT_THAT(gaps.class_names, ElementsAre("3", "20"));
  EXPECT_EQ(gaps.labels.task, Task::binary);
  const RawDataset words = read_folder_of(
      {{"edges.csv", "a,b\nb,c\n"}, {"labels.tsv", "node\tclass\na\tpear\nb\t\nc\tapple\n"}});
  EXPECT_THAT(words.labels.single.span(), ElementsAre(1, -1, 0));
  EXPECT_THAT(words.class_names, ElementsAre("apple", "pear"));
}

TEST(EdgeListLabels, ReadsOneColumnByRow) {
  const RawDataset raw =
      read_folder_of({{"edges.csv", "0,1\n1,2\n"}, {"labels.txt", "label\n1\n0\n1\n0\n"}});
  EXPECT_EQ(raw.nodes, 4);
  EXPECT_THAT(raw.labels.single.span(), ElementsAre(1, 0, 1, 0));
  expect_list_error({{"edges.csv", "0,1\n1,2\n"}, {"labels.txt", "1\n\n0\n1\n"}},
                    "labels.txt:3: blank or comment lines");
}

TEST(EdgeListLabels, ReadsSeveralLabels) {
  const RawDataset lists =
      read_folder_of({{"edges.csv", "0,1\n1,2\n2,3\n"}, {"labels.csv", "0,b;a\n1,\n2,c\n"}});
  EXPECT_EQ(lists.labels.task, Task::multilabel);
  EXPECT_THAT(lists.class_names, ElementsAre("a", "b", "c"));
  EXPECT_THAT(lists.labels.multi.span(),
              ElementsAre(1, 1, 0, 255, 255, 255, 0, 0, 1, 255, 255, 255));
  const RawDataset columns = read_folder_of(
      {{"edges.csv", "0,1\n1,2\n"}, {"labels.csv", "id,red,blue\n1,0,1\n0,1,1.0\n2,,\n"}});
  EXPECT_THAT(columns.class_names, ElementsAre("red", "blue"));
  EXPECT_THAT(columns.labels.multi.span(), ElementsAre(1, 1, 0, 1, 255, 255));
}

TEST(EdgeListLabels, ReadsArrays) {
  TempFolder folder;
  run_python(folder.path(), R"(
for name, labels in {'ints': np.array([2, 0, -1, 1]), 'words': np.array(['y', 'x', '', 'x']), 'multi': np.array([[1, 0], [0, 1], [1, 1], [0, 0]])}.items():
    os.mkdir(name); open(name + '/edges.csv', 'w').write('0,1\n1,2\n'); np.save(name + '/labels.npy', labels)
)");
  EXPECT_THAT(read_list(folder / "ints").labels.single.span(), ElementsAre(2, 0, -1, 1));
  const RawDataset words = read_list(folder / "words");
  EXPECT_THAT(words.labels.single.span(), ElementsAre(1, 0, -1, 0));
  EXPECT_THAT(words.class_names, ElementsAre("x", "y"));
  EXPECT_THAT(read_list(folder / "multi").labels.multi.span(), ElementsAre(1, 0, 0, 1, 1, 1, 0, 0));
}

TEST(EdgeListLabels, RefusesBadTables) {
  const std::string edges = "0,1\n1,2\n";
  expect_list_error({{"edges.csv", edges}, {"labels.csv", ""}}, "labels.csv: the file has no rows");
  expect_list_error({{"edges.csv", edges}, {"labels.csv", "0,1\n1,1\n0,2\n"}},
                    "labels.csv:3: node '0' is there twice");
  expect_list_error({{"edges.csv", edges}, {"labels.csv", "0,1\n1\n2,1\n"}},
                    "labels.csv:2: expected 2 fields, found 1");
  expect_list_error({{"edges.csv", edges}, {"labels.csv", "0,1\nx,1\n2,1\n"}},
                    "labels.csv:2: 'x' is not an integer id");
  expect_list_error({{"edges.csv", edges}, {"labels.csv", "0,1\n1,-3\n2,1\n"}},
                    "labels.csv:2: label -3 is negative");
  expect_list_error({{"edges.csv", edges}, {"labels.csv", "0,a\n1,\xFF\n2,b\n"}},
                    "labels.csv:2: the label is not UTF-8");
  expect_list_error({{"edges.csv", edges}, {"labels.csv", "0,1,0\n1,2,0\n2,0,0\n"}},
                    "labels.csv:2: '2' is neither 0 nor 1");
  expect_list_error({{"edges.csv", edges}, {"labels.csv", "0,1,0\n1,,0\n2,0,0\n"}},
                    "labels.csv:2: some labels of the row are unknown");
  expect_list_error({{"edges.csv", edges}, {"labels.csv", "1\n2\n"}},
                    "edges.csv:2: node '2' is not one of the 2 nodes");
  expect_list_error(
      {{"edges.csv", edges}, {"labels.csv", "1\n2\n1\n"}, {"features.csv", "5,6,7,8\n5,5,5,5\n"}},
      "labels.csv: 3 rows, but");
  TempFolder folder;
  write_text(folder / "edges.csv", edges);
  fs::create_directory(folder / "labels.csv");
  expect_data_error([&] { read_list(folder.path()); }, "labels.csv");
}

TEST(EdgeListLabels, CarriageReturnsEndLines) {
  const RawDataset raw =
      read_folder_of({{"edges.csv", "0,1\r1,2\r"}, {"labels.csv", "id,label\r0,1\r1,0\r2,1\r"}});
  EXPECT_EQ(raw.labels.classes, 2);
  EXPECT_THAT(raw.labels.single.span(), ElementsAre(1, 0, 1));
}

}  // namespace
}  // namespace gs::test
