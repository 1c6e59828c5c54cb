#include "dataset/node_list.h"

#include <gmock/gmock.h>

#include "base/npy.h"
#include "dataset/generate/generate.h"
#include "support/errors.h"
#include "support/files.h"

namespace gs {
namespace {

using test::expect_data_error;
using test::TempFolder;
using test::write_text;
using Ids = std::vector<int32_t>;

Dataset six_nodes() {
  GenerateOptions options;
  options.nodes = 6, options.classes = 2, options.features = 2, options.degree = 2;
  return generate(options);
}

Dataset named() {
  Dataset data = six_nodes();
  data.node_ids = {"ann", "bob", "3", "dan", "eve", "fay"};
  return data;
}

TEST(NodeList, KeepsItsOrderIfAsked) {
  const TempFolder folder;
  write_text(folder / "nodes.txt", "eve\n#0\n3\n");
  EXPECT_EQ(read_nodes_in_order(folder / "nodes.txt", named()), (Ids{4, 0, 2}));
  EXPECT_EQ(read_node_list(folder / "nodes.txt", named()), (Ids{0, 2, 4}));
}

TEST(NodeList, ReadsNumbersALineInAnyOrder) {
  const TempFolder folder;
  write_text(folder / "seeds.txt", "4\n\n 1\r\n#5");
  EXPECT_EQ(read_node_list(folder / "seeds.txt", six_nodes()), (Ids{1, 4, 5}));
}

TEST(NodeList, ReadsIdsWhereNodesHaveThemAndNumbersBehindAHash) {
  const TempFolder folder;
  write_text(folder / "seeds.txt", "eve\n3\n#0\n");
  EXPECT_EQ(read_node_list(folder / "seeds.txt", named()), (Ids{0, 2, 4}));
}

TEST(NodeList, ReadsAnNpyOfNumbers) {
  const TempFolder folder;
  save_npy<int64_t>(folder / "seeds.npy", std::vector<int64_t>{5, 0});
  EXPECT_EQ(read_node_list(folder / "seeds.npy", named()), (Ids{0, 5}));
}

TEST(NodeList, SaysWhichLineIsWrong) {
  const TempFolder folder;
  const auto fails = [&](const Dataset& data, const char* text, const char* part) {
    write_text(folder / "seeds.txt", text);
    expect_data_error([&] { read_node_list(folder / "seeds.txt", data); }, part);
  };
  fails(six_nodes(), "1\n6\n", "seeds.txt:2");
  fails(six_nodes(), "-1\n", "not a node");
  fails(six_nodes(), "ann\n", "no node has the id 'ann'");
  fails(named(), "1\n", "no node has the id '1'");
  fails(six_nodes(), "2\n3\n2\n", "listed twice");
  fails(six_nodes(), "\n\n", "lists no node");
}

TEST(NodeList, TheHintNamesTheIdsAndNumbersThereAre) {
  const TempFolder folder;
  const auto error = [&](const Dataset& data, const char* text) {
    write_text(folder / "seeds.txt", text);
    return test::error_of(ErrorKind::data, [&] { read_node_list(folder / "seeds.txt", data); });
  };
  EXPECT_THAT(error(named(), "1\n"),
              testing::EndsWith("ids are those of the input file; node numbers are #0 to #5"));
  EXPECT_THAT(error(six_nodes(), "ann\n"), testing::EndsWith("nodes are 0 to 5"));
}

TEST(NodeList, RefusesAnNpyOfAnotherShapeOrWithNodesThatAreNotThere) {
  const TempFolder folder;
  const int64_t shape[] = {1, 2};
  save_npy<int64_t>(folder / "table.npy", std::vector<int64_t>{1, 2}, shape);
  expect_data_error([&] { read_node_list(folder / "table.npy", six_nodes()); }, "dimension");
  save_npy<int64_t>(folder / "far.npy", std::vector<int64_t>{1, 99});
  expect_data_error([&] { read_node_list(folder / "far.npy", six_nodes()); }, "far.npy[1]");
}

}  // namespace
}  // namespace gs
