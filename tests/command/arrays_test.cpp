#include "command/arrays.h"

#include "command/embed.h"
#include "command/train.h"
#include "command/validate.h"

#include <ATen/Parallel.h>
#include <c10/core/CPUAllocator.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/npy.h"
#include "support/files.h"

namespace gs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The cycle 0 -> 1 -> 2 -> 3 -> 0, and one loop.
GraphArrays ring() {
  GraphArrays arrays;
  arrays.nodes = 4;
  arrays.source = std::vector<int64_t>{0, 1, 2, 3, 2};
  arrays.target = std::vector<int64_t>{1, 2, 3, 0, 2};
  arrays.features = {DenseMatrix{4, 2, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}}};
  arrays.has_features = true;
  return arrays;
}

TEST(DatasetFrom, KeepsTheGraphAsItIs) {
  const Dataset data = dataset_from(ring(), {});
  EXPECT_THAT(data.graph.offsets.span(), ElementsAre(0, 1, 2, 4, 5));
  EXPECT_THAT(data.graph.neighbors.span(), ElementsAre(3, 0, 1, 2, 2));
  EXPECT_FALSE(data.graph.symmetric);
  EXPECT_EQ(data.treatment, "");
}

TEST(DatasetFrom, DoesWhatTheOptionsSay) {
  LoadOptions options;
  options.symmetrize = Switch::yes, options.self_loops = LoopRule::drop;
  const Dataset data = dataset_from(ring(), options);
  EXPECT_EQ(data.graph.edges(), 8);
  EXPECT_TRUE(data.graph.symmetric);
  EXPECT_EQ(data.treatment, "symmetrized, self-loops dropped");
}

TEST(DatasetFrom, ReadsDenseFeaturesInPlace) {
  GraphArrays arrays = ring();
  const float* values = arrays.features.dense_matrix().values.data();
  EXPECT_EQ(dataset_from(arrays, {}).features.dense_matrix().values.data(), values);
}

TEST(DatasetFrom, MakesMostlyZeroFeaturesSparse) {
  GraphArrays arrays = ring();
  arrays.features = {DenseMatrix{
      4, 5, std::vector<float>{0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1}}};
  const Features features = dataset_from(arrays, {}).features;
  ASSERT_TRUE(features.sparse());
  EXPECT_THAT(features.sparse_matrix().offsets.span(), ElementsAre(0, 1, 1, 2, 3));
  EXPECT_THAT(features.sparse_matrix().indices.span(), ElementsAre(2, 0, 4));
  EXPECT_TRUE(features.sparse_matrix().values.empty());
}

TEST(DatasetFrom, TakesCompressedRowsAndChecksThem) {
  GraphArrays arrays = ring();
  arrays.source = arrays.target = {};
  arrays.graph.offsets = std::vector<int64_t>{0, 1, 2, 3, 4};
  arrays.graph.neighbors = std::vector<int32_t>{1, 0, 3, 2};
  EXPECT_TRUE(dataset_from(arrays, {}).graph.symmetric);
  arrays.graph.neighbors = std::vector<int32_t>{1, 0, 3, 7};
  EXPECT_THROW(dataset_from(arrays, {}), Error);
}

TEST(DatasetFrom, RefusesIdsBeyond32BitsAndOptionsAboutFiles) {
  GraphArrays arrays = ring();
  arrays.source = std::vector<int64_t>{0, 1, 2, 3, (int64_t{1} << 32) + 1};
  EXPECT_THROW(dataset_from(arrays, {}), Error);
  LoadOptions options;
  options.features_file = "x.npy";
  try {
    dataset_from(ring(), options);
    FAIL() << "an option about files was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), HasSubstr("--features-file"));
  }
}

TEST(InProcess, TrainsEmbedsAndLeavesTheProcessAsItWas) {
  const test::TempFolder folder;
  c10::Allocator* const allocator = c10::GetCPUAllocator();
  const int threads = at::get_num_threads();
  TrainRequest call;
  call.data = "ring";
  call.run = folder / "run";
  call.options.model.aug_dim = 3, call.options.model.dim = 2;
  call.options.train.epochs = 2;
  call.threads = threads + 1;
  EXPECT_EQ(run(call, dataset_from(ring(), {}), no_progress()).epochs, 2);
  const DenseMatrix z = embed_with(
      call.run, "", [](const LoadOptions& options) { return dataset_from(ring(), options); }, {},
      1);
  const Array<float> written = load_npy(call.run / "embeddings.npy").as<float>();
  EXPECT_EQ(std::vector<float>(z.values.begin(), z.values.end()),
            std::vector<float>(written.begin(), written.end()));
  EXPECT_GT(effective_rank_of(z, 1), 0);
  EXPECT_EQ(c10::GetCPUAllocator(), allocator);
  EXPECT_EQ(at::get_num_threads(), threads);
}

TEST(DatasetFrom, ChecksSparseFeatures) {
  GraphArrays arrays = ring();
  const auto with = [&](std::vector<int64_t> offsets, std::vector<int32_t> indices) {
    arrays.features = {SparseMatrix{4, 2, std::move(offsets), std::move(indices), {}}};
    return test::expect_data_error([&] { dataset_from(arrays, {}); }, "x: ");
  };
  EXPECT_THAT(with({0, 1, 1, 1, 2}, {0, 1'000'000}), HasSubstr("column 1000000 of 2"));
  EXPECT_THAT(with({0, 1, 1, 1, 2}, {0, -5}), HasSubstr("column -5"));
  EXPECT_THAT(with({0, 9, 1, 1, 2}, {0, 1}), HasSubstr("offset"));
  EXPECT_THAT(with({0, 1}, {0}), HasSubstr("offsets"));
}

}  // namespace
}  // namespace gs
