#include <gmock/gmock.h>

#include <map>

#include "dataset/load.h"
#include "dataset/readers/table.h"
#include "support/reader_laws.h"

namespace gs::test {
namespace {

using testing::ElementsAre;

RawDataset read(const fs::path& path) { return read_with(read_ogb, path); }

// As the ogb package leaves it: pandas writes plain numbers, no header, gzipped.
constexpr const char* kGood = R"(
def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    (gzip.open if path.endswith('.gz') else open)(path, 'wt').write(text)
good = {'raw/edge': '0,1\n1,2\n3,0\n', 'raw/node-feat': '0.5,-1.25\n1,2e-2\n0,0\n3,4\n', 'raw/node-label': '0\n2\n1\n0\n',
        'raw/num-node-list': '4\n', 'raw/num-edge-list': '3\n', 'split/time/train': '0\n1\n', 'split/time/valid': '2\n',
        'split/time/test': '3\n'}
def write(root, drop=(), end='.csv.gz', **changes):
    for k, v in {**good, **{k.replace('_', '-').replace('--', '/'): v for k, v in changes.items()}}.items():
        if k not in drop: put(root + '/' + k + end, v)
)";

void make(const TempFolder& folder, const std::string& call) {
  run_python(folder.path(), std::string(kGood) + call);
}

// A good folder but for the files in `changes` ("-" takes one away), not gzipped.
void expect_error(const std::map<std::string, std::string>& changes, const std::string& part) {
  SCOPED_TRACE(part);
  std::map<std::string, std::string> files{
      {"raw/edge", "0,1\n1,2\n3,0\n"},    {"raw/node-feat", "0.5,-1.25\n1,2e-2\n0,0\n3,4\n"},
      {"raw/node-label", "0\n2\n1\n0\n"}, {"raw/num-node-list", "4\n"},
      {"raw/num-edge-list", "3\n"},       {"split/time/train", "0\n1\n"},
      {"split/time/valid", "2\n"},        {"split/time/test", "3\n"}};
  for (const auto& [name, text] : changes) files[name] = text;
  TempFolder folder;
  for (const auto& [name, text] : files) {
    if (text != "-") write_text(folder / ("d/" + name + ".csv"), text);
  }
  expect_data_error([&] { prepare(read(folder / "d"), "ogb", {}); }, part);
}

TEST(Ogb, ReadsTheFolderGzippedOrNot) {
  TempFolder folder;
  make(folder, "write('arxiv'); write('plain', end='.csv')");
  for (const char* path : {"arxiv", "arxiv/raw", "arxiv/raw/edge.csv.gz", "plain"}) {
    ASSERT_TRUE(detect_ogb(folder / path)) << path;
    const RawDataset raw = read(folder / path);
    EXPECT_EQ(raw.name, std::string(path).substr(0, 5));
    EXPECT_EQ(raw.nodes, 4);
    EXPECT_THAT(raw.edges.source, ElementsAre(0, 1, 3));
    EXPECT_THAT(raw.edges.target, ElementsAre(1, 2, 0));
    EXPECT_FALSE(raw.symmetrize);
    EXPECT_THAT(raw.features.dense_matrix().values.span(),
                ElementsAre(0.5, -1.25, 1, 2e-2f, 0, 0, 3, 4));
    EXPECT_THAT(raw.labels.single.span(), ElementsAre(0, 2, 1, 0));
    ASSERT_EQ(raw.splits.size(), 1u);
    EXPECT_THAT(raw.splits[0].train, ElementsAre(0, 1));
    EXPECT_THAT(raw.splits[0].val, ElementsAre(2));
    EXPECT_THAT(raw.splits[0].test, ElementsAre(3));
  }
}

TEST(Ogb, ReadsManyRowsInPiecesOfTheFile) {
  TempFolder folder;
  make(folder, R"(
n = 600000
write('d', raw__edge=''.join('%d,%d\n' % (i, (i * 7 + 1) % n) for i in range(n)), raw__node_label='0\n' * n,
      raw__num_node_list=str(n), raw__num_edge_list=str(n), drop=['raw/node-feat'], end='.csv')
)");
  const RawDataset raw = read(folder / "d");
  ASSERT_EQ(raw.edges.size(), 600000);
  for (int64_t i = 0; i < 600000; ++i) {
    ASSERT_EQ(raw.edges.source[i], i);
    ASSERT_EQ(raw.edges.target[i], (i * 7 + 1) % 600000);
  }
  EXPECT_FALSE(raw.has_features);
}

TEST(Ogb, SymmetrizesTheDatasetsThatListEdgesOnce) {
  TempFolder folder;
  make(folder, "write('ogbn_products'); write('ogbn_proteins')");
  EXPECT_TRUE(read(folder / "ogbn_products").symmetrize);
  EXPECT_TRUE(read(folder / "ogbn_proteins").symmetrize);
}

TEST(Ogb, ReadsSeveralLabelsAndUnknownOnes) {
  TempFolder folder;
  make(folder, R"(write('d', raw__node_label='1.0,0\n0,0\nnan,1\n1,1\n', drop=['raw/node-feat'])
write('one', raw__node_label='1.0\nnan\n0\n1\n'))");
  const RawDataset raw = read(folder / "d");
  EXPECT_FALSE(raw.has_features);
  EXPECT_EQ(raw.labels.task, Task::multilabel);
  EXPECT_EQ(raw.labels.classes, 2);
  EXPECT_THAT(raw.labels.multi.span(), ElementsAre(1, 0, 0, 0, 255, 255, 1, 1));
  EXPECT_THAT(read(folder / "one").labels.single.span(), ElementsAre(1, -1, 0, 1));
}

TEST(Ogb, TakesNamesFromTheMapping) {
  TempFolder folder;
  make(folder, R"(write('d')
put('d/mapping/nodeidx2paperid.csv.gz', 'node idx,paper id\n0,900\n2,902\n1,901\n3,903\n')
put('d/mapping/labelidx2arxivcategeory.csv.gz', 'label idx,arxiv category\n0,arxiv cs na\n1,cs mm\n2,"a, b"\n3,unused\n'))");
  const RawDataset raw = read(folder / "d");
  EXPECT_THAT(raw.node_ids, ElementsAre("900", "901", "902", "903"));
  EXPECT_THAT(raw.class_names, ElementsAre("arxiv cs na", "cs mm", "a, b"));
}

TEST(Ogb, RefusesMissingAndEmptyParts) {
  expect_error({{"raw/edge", "-"}}, "no raw/edge.csv.gz");
  expect_error({{"raw/node-feat", "-"}, {"raw/node-label", "-"}}, "neither node-feat");
  expect_error({{"split/time/valid", "-"}}, "split/time/valid.csv.gz: no such file");
  expect_error({{"raw/edge", ""}}, "edge.csv: the file has no edges");
  expect_error({{"raw/num-node-list", ""}}, "num-node-list.csv: the file is empty");
  expect_error({{"raw/node-feat", ""}}, "node-feat.csv: 0 rows for 4 nodes");
  expect_error({{"raw/node-label", ""}}, "node-label.csv: 0 rows for 4 nodes");
  TempFolder folder;
  write_text(folder / "raw/node-label.csv", "0\n");
  fs::create_directory(folder / "raw/edge.csv");
  expect_data_error([&] { read(folder.path()); }, "edge.csv");
}

TEST(Ogb, RefusesBadRows) {
  expect_error({{"raw/edge", "0,1\n\n1\n"}}, "edge.csv:3: the row is too short");
  expect_error({{"raw/edge", "0,1\n1,x\n3,0\n"}}, "edge.csv:2: 'x' is not an integer id");
  expect_error({{"raw/edge", "0,1\n1,4\n3,0\n"}}, "edge.csv:2: edge 1 -> 4");
  expect_error({{"raw/edge", "0,1\n1,99999999999\n3,0\n"}}, "beyond 2^31");
  expect_error({{"raw/edge", "0,1\n1,2\n"}}, "2 edges, but");
  expect_error({{"raw/num-node-list", "x"}}, "num-node-list.csv:1");
  expect_error({{"raw/num-node-list", "-4"}}, "-4 is not a count");
  expect_error({{"raw/num-node-list", "4\n4\n"}}, "more than one graph");
  expect_error({{"raw/num-node-list", "5"}}, "4 rows for 5 nodes");
  expect_error({{"raw/node-feat", "1,2\n1\n1,2\n1,2\n"}},
               "node-feat.csv:2: expected 2 fields, found 1");
  expect_error({{"raw/node-feat", "1.5,2.5\n1\n1,2\n1,2\n"}},
               "node-feat.csv:2: the row is too short");
  expect_error({{"raw/node-feat", "1,2\n1,2,3\n1,2\n1,2\n"}},
               "node-feat.csv:2: the row has more than 2");
  expect_error({{"raw/node-feat", "1,2\n1,b\n1,2\n1,2\n"}}, "node-feat.csv:2: 'b' is not a number");
  expect_error({{"raw/node-feat", "1,2\n1,\n1,2.5\n1,2\n"}}, "node-feat.csv:2: '' is not a number");
  expect_error({{"raw/node-feat", "1,2\n1,nan\n1,2\n1,2\n"}}, "node-feat.csv");
  expect_error({{"raw/node-feat", "1,2\n1,2\n1,2\n"}}, "3 rows for 4 nodes");
  expect_error({{"raw/node-label", "0\n1\n"}}, "2 rows for 4 nodes");
  expect_error({{"raw/node-label", "0\n0.5\n0\n0\n"}},
               "node-label.csv:2: the label is not a class");
  expect_error({{"raw/node-label", "0,1\n0,2\n0,1\n0,1\n"}},
               "node-label.csv:2: the label is not 0, 1");
  expect_error({{"split/time/train", "0\n4\n"}}, "train.csv:2: node 4 is not one");
  expect_error({{"split/time/train", "0\n2\n"}}, "node 2 is in both train and validation");
  expect_error({{"mapping/nodeidx2x", "a,b\n0,x\n"}}, "names for 1 of 4");
  expect_error({{"mapping/nodeidx2x", "a,b\n0,x\n0,y\n"}}, "nodeidx2x.csv:3: 0 is there twice");
  expect_error({{"mapping/nodeidx2x", "a,b\n0,\xFF\n"}}, "nodeidx2x.csv:2: the name is not UTF-8");
}

TEST(Ogb, SurvivesCutsAndWrongBytes) {
  TempFolder folder;
  make(folder, "write('d')");
  const auto read_it = [&] { prepare(read(folder / "d"), "ogb", {}); };
  expect_truncation_is_noticed(folder / "d/raw/edge.csv.gz", 10, read_it);
  expect_truncation_is_noticed(folder / "d/raw/node-feat.csv.gz", 10, read_it);
  expect_wrong_bytes_do_no_harm(folder / "d/raw/edge.csv.gz", 40, read_it);
}

}  // namespace
}  // namespace gs::test
