#include "dataset/shards/shards.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "base/npy.h"
#include "dataset/generate/generate.h"
#include "dataset/shards/layout.h"
#include "dataset/shards/save.h"
#include "support/dataset_folder.h"
#include "support/errors.h"

namespace gs {
namespace {

using namespace gs::test;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

Dataset undirected() {
  GenerateOptions options;
  options.nodes = 90, options.classes = 3, options.features = 4, options.seed = 2;
  Dataset data = generate(options);
  data.splits = {{{0, 5, 9, 80}, {1, 2}, {3, 50}}, {{7}, {8}, {}}};
  return data;
}

// Directed and weighted, with loops, sparse features with values, and several labels per node.
Dataset directed() {
  GenerateOptions options;
  options.nodes = 70, options.classes = 4, options.features = 30, options.words = 3;
  options.feature_kind = FeatureKind::words, options.labels_per_node = 2, options.unlabeled = 0.2;
  Dataset data = generate(options);
  data.graph = weighted_graph(70, random_edges(70, 400, 3));
  SparseMatrix words = data.features.sparse_matrix();
  std::vector<float> values(static_cast<size_t>(words.nonzeros()));
  std::iota(values.begin(), values.end(), 0.5f);
  words.values = std::move(values);
  data.features = {std::move(words)};
  for (int v = 0; v < 70; ++v) data.node_ids.push_back("node\n" + std::to_string(v));
  return data;
}

Dataset loops_and_isolated_nodes() {
  Dataset data;
  data.name = "loops";
  data.graph = graph(9, {{0, 1}, {1, 1}, {4, 8}, {8, 8}, {2, 0}});
  data.features = {DenseMatrix{9, 0, {}}};
  return data;
}

std::vector<Dataset> examples() {
  return {undirected(), directed(), loops_and_isolated_nodes(), rich()};
}

ShardOptions shard_options(int64_t shards, Partitioner partitioner = Partitioner::metis) {
  ShardOptions options;
  options.shards = shards, options.partitioner = partitioner;
  return options;
}

// Every `group` neighboring shards as one.
std::vector<Shard> open_all(const ShardIndex& index, int64_t group = 1) {
  std::vector<Shard> out;
  for (int64_t s = 0; s < index.size(); s += group)
    out.push_back(open_shards(index, s, std::min(index.size(), s + group)));
  return out;
}

// One entry of a row: the number before sharding and the weight.
using Row = std::vector<std::pair<int64_t, float>>;

Row row_of(const Csr& graph, int64_t v, const Array<int64_t>& old_ids) {
  Row row;
  for (int64_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e)
    row.emplace_back(old_ids.empty() ? graph.neighbors[e] : old_ids[graph.neighbors[e]],
                     graph.weighted() ? graph.weights[e] : 1.0f);
  std::ranges::sort(row);
  return row;
}

void expect_every_edge_once(const Dataset& whole, const std::vector<Shard>& shards) {
  int64_t nodes = 0, edges = 0;
  for (const Shard& shard : shards) {
    validate(shard.data.graph, "shard");
    for (int64_t v = 0; v < shard.own; ++v)
      EXPECT_EQ(row_of(shard.data.graph, v, shard.old_ids),
                row_of(whole.graph, shard.old_ids[v], {}));
    for (int64_t v = shard.own; v < shard.nodes(); ++v) EXPECT_EQ(shard.data.graph.degree(v), 0);
    nodes += shard.own, edges += shard.data.graph.edges();
  }
  EXPECT_EQ(nodes, whole.nodes());
  EXPECT_EQ(edges, whole.graph.edges());
}

void expect_ids_lead_back(const ShardIndex& index, const std::vector<Shard>& shards) {
  const Array<int64_t> to = new_ids(index), from = old_ids(index);
  for (int64_t v = 0; v < index.nodes; ++v) EXPECT_EQ(from[to[v]], v);
  for (const Shard& shard : shards)
    for (int64_t v = 0; v < shard.nodes(); ++v) {
      const int64_t global = shard.global(v);
      EXPECT_EQ(shard.local(global), v);
      EXPECT_EQ(to[shard.old_ids[v]], global);
      const int64_t owner = index.owner(global);
      EXPECT_EQ(v < shard.own, owner >= shard.first && owner < shard.last);
      const bool same_shard = v > 0 && v < shard.own && index.owner(global - 1) == owner;
      EXPECT_TRUE(!same_shard || shard.old_ids[v - 1] < shard.old_ids[v]) << "keeps its order";
    }
}

// What one shard sends is what the other has in its halo, in the same order.
void expect_halos_match_sends(const ShardIndex& index, const std::vector<Shard>& shards) {
  for (const Shard& from : shards)
    for (const Shard& to : shards) {
      std::vector<int64_t> sent, wanted;
      for (const int32_t v : from.sent_to(to.first, to.last)) sent.push_back(from.global(v));
      for (int64_t h = to.halo_offsets[from.first]; h < to.halo_offsets[from.last]; ++h)
        wanted.push_back(to.halo[h]);
      EXPECT_EQ(sent, wanted) << from.first << " to " << to.first;
      for (const int64_t id : wanted)
        EXPECT_TRUE(index.owner(id) >= from.first && index.owner(id) < from.last);
    }
}

void expect_whole_degrees(const Dataset& whole, const std::vector<Shard>& shards) {
  const Csr turned = reverse(whole.graph);
  const std::vector<double> in = row_sums(whole.graph), out = row_sums(turned);
  for (const Shard& shard : shards)
    for (int64_t v = 0; v < shard.nodes(); ++v) {
      const int64_t old = shard.old_ids[v];
      const WholeDegree degree = shard.degree(v);
      const auto row = whole.graph.row(old);
      EXPECT_EQ(degree.in_edges, static_cast<double>(row.size()));
      EXPECT_EQ(degree.out_edges, static_cast<double>(turned.degree(old)));
      EXPECT_EQ(degree.in_weight, in[old]);
      EXPECT_EQ(degree.out_weight, out[old]);
      EXPECT_EQ(degree.loops, std::ranges::count(row, old));
    }
}

void expect_whole_normalization(const Dataset& whole, const std::vector<Shard>& shards) {
  for (const auto& norm : kNorms) {
    const Normalization wanted = normalization(whole.graph, norm.value);
    for (const Shard& shard : shards) {
      const Normalization found = normalization(shard, norm.value);
      for (const auto part :
           {&Normalization::row_scale, &Normalization::col_scale, &Normalization::self_weight}) {
        ASSERT_EQ((found.*part).empty(), (wanted.*part).empty()) << norm.name;
        for (int64_t v = 0; v < (found.*part).size(); ++v)
          EXPECT_EQ((found.*part)[v], (wanted.*part)[shard.old_ids[v]]) << norm.name;
      }
    }
  }
}

std::vector<std::pair<int32_t, float>> feature_row(const Features& features, int64_t v) {
  std::vector<std::pair<int32_t, float>> out;
  if (!features.sparse()) {
    for (const float value : features.dense_matrix().row(v))
      out.emplace_back(static_cast<int32_t>(out.size()), value);
    return out;
  }
  const SparseMatrix& m = features.sparse_matrix();
  for (int64_t e = m.offsets[v]; e < m.offsets[v + 1]; ++e)
    out.emplace_back(m.indices[e], m.values.empty() ? 1.0f : m.values[e]);
  return out;
}

void expect_everything_goes_with_its_node(const Dataset& whole, const std::vector<Shard>& shards) {
  for (const Shard& shard : shards) {
    const Dataset& data = shard.data;
    EXPECT_EQ(data.name, whole.name);
    EXPECT_EQ(data.class_names, whole.class_names);
    EXPECT_EQ(data.feature_names, whole.feature_names);
    EXPECT_EQ(data.labels.task, whole.labels.task);
    EXPECT_EQ(data.labels.classes, whole.labels.classes);
    ASSERT_EQ(data.features.width(), whole.features.width());
    for (int64_t v = 0; v < shard.nodes(); ++v) {
      const int64_t old = shard.old_ids[v];
      EXPECT_EQ(feature_row(data.features, v), feature_row(whole.features, old));
      EXPECT_EQ(data.node_ids.empty(), whole.node_ids.empty());
      if (!whole.node_ids.empty()) {
        EXPECT_EQ(data.node_ids[v], whole.node_ids[old]);
      }
      EXPECT_EQ(data.labels.known(v), v < shard.own && whole.labels.known(old));
      if (!data.labels.known(v)) continue;
      const int64_t c = whole.labels.classes;
      if (whole.labels.task == Task::multilabel) {
        EXPECT_THAT(data.labels.multi.slice(v * c, v * c + c),
                    ElementsAreArray(whole.labels.multi.slice(old * c, old * c + c)));
      } else {
        EXPECT_EQ(data.labels.single[v], whole.labels.single[old]);
      }
    }
  }
  for (size_t k = 0; k < whole.splits.size(); ++k)
    for (const auto set : {&Split::train, &Split::val, &Split::test}) {
      std::vector<int64_t> found;
      for (const Shard& shard : shards) {
        ASSERT_EQ(shard.data.splits.size(), whole.splits.size());
        const auto& local = shard.data.splits[k].*set;
        EXPECT_TRUE(std::ranges::is_sorted(local));
        for (const int32_t v : local) found.push_back(shard.old_ids[v]);
      }
      EXPECT_THAT(found, testing::UnorderedElementsAreArray(whole.splits[k].*set));
    }
}

TEST(Shards, HoldTheWholeDataset) {
  for (const Dataset& whole : examples())
    for (const auto& [count, partitioner] :
         {std::pair<int64_t, Partitioner>{1, Partitioner::metis}, {4, Partitioner::stream}}) {
      SCOPED_TRACE(fmt::format("{} in {}", whole.name, count));
      const TempFolder folder;
      const ShardIndex index =
          save_shards(whole, shard_options(count, partitioner), folder / "out", false);
      EXPECT_EQ(index.size(), count);
      verify_shards(index);
      for (int64_t group = 1; group <= count; group *= 2) {
        SCOPED_TRACE(fmt::format("{} as one", group));
        const std::vector<Shard> shards = open_all(index, group);
        expect_every_edge_once(whole, shards);
        expect_ids_lead_back(index, shards);
        expect_halos_match_sends(index, shards);
        expect_whole_degrees(whole, shards);
        expect_whole_normalization(whole, shards);
        expect_everything_goes_with_its_node(whole, shards);
      }
    }
}

// Edges 0 -> 1, 0 -> 4, 3 -> 4, 4 -> 2 of the nodes 0 to 4; shard 0 has 1 and 4, shard 1 the rest.
class ByHand : public testing::Test {
 protected:
  ByHand() {
    Dataset data;
    data.graph = graph(5, {{0, 1}, {0, 4}, {3, 4}, {4, 2}});
    data.features = {DenseMatrix{5, 1, std::vector<float>{10, 11, 12, 13, 14}}};
    write_text(folder_ / "parts.txt", "1\n0\n1\n1\n0\n");
    ShardOptions options;
    options.parts_file = (folder_ / "parts.txt").string();
    index_ = save_shards(data, options, folder_ / "out", false);
  }
  fs::path file(const std::string& name) const { return folder_ / ("out/" + name); }
  // The line of the data Error that opening shard 1 or verifying everything gives.
  std::string complaint() const {
    return error_of(ErrorKind::data, [&] { verify_shards(read_shard_index(folder_ / "out")); });
  }

  TempFolder folder_;
  ShardIndex index_;
};

TEST_F(ByHand, AreWhatTheFormatSays) {
  EXPECT_THAT(index_.offsets, ElementsAre(0, 2, 5));
  EXPECT_THAT(to_vector(new_ids(index_)), ElementsAre(2, 0, 3, 4, 1));
  EXPECT_THAT(to_vector(old_ids(index_)), ElementsAre(1, 4, 0, 2, 3));
  EXPECT_EQ(index_.partitioner, "parts-file");
  EXPECT_EQ(index_.cut_edges, 4);
  const Shard first = open_shard(index_, 0), second = open_shard(index_, 1);
  EXPECT_THAT(to_vector(first.halo), ElementsAre(2, 4));
  EXPECT_THAT(to_vector(first.data.graph.offsets), ElementsAre(0, 1, 3, 3, 3));
  EXPECT_THAT(to_vector(first.data.graph.neighbors), ElementsAre(2, 2, 3));
  EXPECT_THAT(to_vector(first.data.features.dense_matrix().values), ElementsAre(11, 14, 10, 13));
  EXPECT_THAT(first.halo_offsets, ElementsAre(0, 0, 2));
  EXPECT_THAT(to_vector(second.halo), ElementsAre(1));
  EXPECT_THAT(to_vector(second.data.graph.offsets), ElementsAre(0, 0, 1, 1, 1));
  EXPECT_THAT(to_vector(second.data.graph.neighbors), ElementsAre(3));
  EXPECT_THAT(to_vector(second.send_offsets), ElementsAre(0, 2, 2));
  EXPECT_THAT(to_vector(second.send), ElementsAre(0, 2));
  EXPECT_THAT(to_vector(first.send), ElementsAre(1));
  EXPECT_EQ(second.degree(0).out_edges, 2);
}

TEST_F(ByHand, AreNoticedWhenAFileIsCutShort) {
  fs::resize_file(file("shard-00001/send.npy"), 100);
  EXPECT_THAT(error_of(ErrorKind::data, [&] { open_shard(index_, 1); }),
              HasSubstr("send.npy: has 100 bytes instead of"));
}

TEST_F(ByHand, AreNoticedWhenAFileIsMissing) {
  fs::remove(file("shard-00001/halo.npy"));
  EXPECT_THAT(error_of(ErrorKind::data, [&] { open_shard(index_, 1); }),
              HasSubstr("halo.npy: cannot be read"));
}

TEST_F(ByHand, AreNoticedWhenAShardIsOfAnotherFolder) {
  save_shards(undirected(), shard_options(2), folder_ / "other", false);
  fs::remove_all(file("shard-00001"));
  fs::copy(folder_ / "other/shard-00001", file("shard-00001"));
  EXPECT_THAT(error_of(ErrorKind::data, [&] { open_shard(index_, 1); }),
              HasSubstr("shard.json: is not the one that shards.json was written with"));
}

TEST_F(ByHand, AreNoticedWhenTwoShardsAreSwapped) {
  fs::rename(file("shard-00000"), file("x"));
  fs::rename(file("shard-00001"), file("shard-00000"));
  fs::rename(file("x"), file("shard-00001"));
  EXPECT_THAT(error_of(ErrorKind::data, [&] { open_shard(index_, 0); }), HasSubstr("shard.json"));
}

TEST_F(ByHand, AreVerifiedByContent) {
  EXPECT_NO_THROW(verify_shards(index_));
  const float other[] = {11, 14, 10, 99};  // of the same size
  const int64_t shape[] = {4, 1};
  save_npy<float>(file("shard-00000/features.npy"), other, shape);
  EXPECT_NO_THROW(open_shard(index_, 0));
  EXPECT_THAT(complaint(), HasSubstr("features.npy: its content is not what was written"));
}

TEST_F(ByHand, HaveTablesThatAreVerified) {
  const int64_t swapped[] = {0, 2, 3, 4, 1};
  save_npy<int64_t>(file("new_ids.npy"), swapped);
  EXPECT_THAT(complaint(), HasSubstr("new_ids.npy"));
}

TEST_F(ByHand, AreKnownByTheirIndex) {
  EXPECT_TRUE(is_sharded(folder_ / "out"));
  EXPECT_TRUE(is_sharded(file("shards.json")));
  EXPECT_FALSE(is_sharded(file("shard-00000")));
  EXPECT_FALSE(is_sharded(folder_ / "nowhere"));
}

TEST_F(ByHand, HaveAnIndexThatIsChecked) {
  const std::string good = read_text(file("shards.json"));
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    write_text(file("shards.json"), text);
    return complaint();
  };
  EXPECT_THAT(broken("graphsurgeon-shards", "parquet"), HasSubstr("does not describe"));
  EXPECT_THAT(broken("\"version\": 1", "\"version\": 2"), HasSubstr("has version 2"));
  EXPECT_THAT(broken("\"nodes\": 5", "\"nodes\": 6"), HasSubstr("numbers from 0 to 6"));
  EXPECT_THAT(broken("\"nodes\": 2", "\"nodes\": 3"), HasSubstr("shard 0 has 3 nodes"));
  EXPECT_THAT(broken("\"edges\": 3", "\"edges\": 9223372036854775807"), HasSubstr("more edges"));
  EXPECT_THAT(broken("\"halo\": 2", "\"halo\": 4"), HasSubstr("a halo of 4"));
  EXPECT_THAT(broken("\"halo\": 2", "\"halo\": -4"), HasSubstr("whole number"));
  EXPECT_THAT(broken("\"offsets\": [", "\"offsets\": [0.5,"), HasSubstr("list of whole numbers"));
  EXPECT_THAT(broken("\"shards\": [", "\"shards\": [], \"x\": ["), HasSubstr("lists 0 shards"));
  EXPECT_THAT(broken("\"cut_edges\": 4", "\"cut_edges\": 5"), HasSubstr("5 of them cut"));
}

// The two shards again, with two of 2^31 - 1 nodes in between that are never opened.
TEST_F(ByHand, MayHaveIdsBeyond32Bits) {
  constexpr int64_t kMany = INT32_MAX, kShift = 2 * kMany;
  fs::rename(file("shard-00001"), file("shard-00003"));
  save_npy<int64_t>(file("shard-00000/halo.npy"), std::vector<int64_t>{2 + kShift, 4 + kShift});
  save_npy<int64_t>(file("shard-00000/send_offsets.npy"), std::vector<int64_t>{0, 0, 0, 0, 1});
  save_npy<int64_t>(file("shard-00003/send_offsets.npy"), std::vector<int64_t>{0, 2, 2, 2, 2});
  auto all = nlohmann::json::parse(read_text(file("shards.json")));
  all["nodes"] = 5 + kShift;
  all["offsets"] = {0, 2, 2 + kMany, 2 + kShift, 5 + kShift};
  const nlohmann::json many{
      {"nodes", kMany}, {"halo", 0}, {"edges", 0}, {"cut_edges", 0}, {"hash", ""}};
  all["shards"] = {all["shards"][0], many, many, all["shards"][1]};
  for (const int64_t s : {0, 3}) {
    const fs::path description = file(shard_name(s)) / "shard.json";
    auto about = nlohmann::json::parse(read_text(description));
    for (auto& [name, entry] : about["files"].items())
      entry["bytes"] = fs::file_size(file(shard_name(s)) / name);
    write_text(description, about.dump());
    all["shards"][s]["hash"] = hash_of_file(description);
  }
  write_text(file("shards.json"), all.dump());

  const ShardIndex index = read_shard_index(folder_ / "out");
  EXPECT_EQ(index.owner(1 + kMany), 1);
  EXPECT_EQ(index.owner(4 + kShift), 3);
  const Shard first = open_shard(index, 0), last = open_shard(index, 3);
  EXPECT_THAT(to_vector(first.halo), ElementsAre(2 + kShift, 4 + kShift));
  EXPECT_THAT(first.halo_offsets, ElementsAre(0, 0, 0, 0, 2));
  EXPECT_EQ(first.local(4 + kShift), 3);
  EXPECT_EQ(first.global(3), 4 + kShift);
  EXPECT_EQ(last.begin, 2 + kShift);
  EXPECT_EQ(last.global(2), 4 + kShift);
  EXPECT_THAT(to_vector(last.halo), ElementsAre(1));
  EXPECT_THAT(last.sent_to(0, 1), ElementsAre(0, 2));
}

TEST(ShardIds, BecomeLocalOnesInTheOrderOfTheHalo) {
  // Nodes 5e9 and 5e9 + 1 with neighbors on both sides; local ids come from sorted halo.
  const int64_t begin = 5'000'000'000;
  const std::vector<int64_t> entries{begin + 1, 7, 9'000'000'000, begin, 7};
  const std::vector<float> weights{1, 2, 3, 4, 5};
  const LocalGraph local = localize({0, 3, 5}, entries, weights, begin, "test");
  EXPECT_THAT(local.halo, ElementsAre(7, 9'000'000'000));
  EXPECT_THAT(to_vector(local.graph.offsets), ElementsAre(0, 3, 5, 5, 5));
  EXPECT_THAT(to_vector(local.graph.neighbors), ElementsAre(1, 2, 3, 0, 2));
  EXPECT_THAT(to_vector(local.graph.weights), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(local.cut_edges, 3);
}

}  // namespace
}  // namespace gs
