#include "method/graphsurgeon.h"

#include <gtest/gtest.h>

#include "support/gradients.h"
#include "support/graphs.h"

namespace gs {
namespace {

const Device kDouble{at::kCPU, at::kDouble};
constexpr int64_t kOneBlock = 50, kThreeBlocks = 2 * 4096 + 37, kWidth = 30;
constexpr InferenceOptions kPlenty{}, kNone{.memory = 0};  // with none, layers lie in scratch files

// Random edges, a hub at 0 and no edge at the last node; the last features are zero.
Dataset random_dataset(int64_t nodes, bool sparse) {
  auto edges = test::random_edges(nodes - 1, 3 * nodes, 5);
  for (int32_t v = 1; v < nodes - 1; v += 2) edges.push_back({0, v, 1});
  Dataset out;
  out.graph = test::weighted_graph(nodes, edges);
  Random random(7);
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> indices;
  std::vector<float> values, dense(static_cast<size_t>(nodes * kWidth));
  for (int64_t v = 0; v < nodes; ++v) {
    for (int32_t c = 0; c < kWidth && v + 1 < nodes; ++c)
      if (random.uniform() < 0.08) {
        indices.push_back(c);
        values.push_back(static_cast<float>(random.normal()));
        dense[v * kWidth + c] = values.back();
      }
    offsets.push_back(static_cast<int64_t>(indices.size()));
  }
  if (sparse) out.features.matrix = SparseMatrix{nodes, kWidth, offsets, indices, values};
  else out.features.matrix = DenseMatrix{nodes, kWidth, dense};
  return out;
}

double largest(const at::Tensor& difference) { return difference.abs().max().item<double>(); }

struct Variant {
  AugmentMode mode;
  std::string encoder;
  Skip skip;
  NormKind norm;
};

std::vector<Variant> variants() {
  std::vector<Variant> out;
  for (const auto mode : {AugmentMode::pre, AugmentMode::post})
    for (const auto encoder : {"gcn", "sage"})
      for (const auto skip : {Skip::sum, Skip::linear, Skip::none})
        for (const auto norm : {NormKind::none, NormKind::batch, NormKind::layer})
          out.push_back({mode, encoder, skip, norm});
  return out;
}

std::string text(const Variant& v) {
  return fmt::format("{} {} {} {}", name_of(names_of(v.mode), v.mode), v.encoder,
                     name_of(names_of(v.skip), v.skip), name_of(names_of(v.norm), v.norm));
}

ModelOptions options_of(const Variant& v) {
  ModelOptions out;
  out.layers = 2, out.skip = Skip::none;
  out.mode = v.mode, out.encoder = v.encoder, out.skip = v.skip, out.norm = v.norm;
  out.aug_dim = 5, out.dim = 4, out.dropout = 0;
  return out;
}

// What training computes, to be had again layer by layer. Batch norm normalizes by the batch in
// training and by what it remembers in inference: there the plain forward in inference mode is the
// measure, with memories that differ by view.
void expect_inference_is_training(int64_t nodes, bool sparse, const InferenceOptions& inference) {
  const Dataset data = random_dataset(nodes, sparse);
  for (const Variant& variant : variants()) {
    const ModelOptions options = options_of(variant);
    const GraphSurgeon model(kWidth, options, kDouble, Random(3));
    const Batch batch = whole_graph(data, options.encoder, kDouble);
    ASSERT_EQ(batch.features.sparse(), sparse);
    const at::NoGradGuard no_gradient;
    const bool batch_norm = variant.norm == NormKind::batch;
    for (int i = 0; batch_norm && i < 3; ++i) model.views(batch, true, Random(1));
    const at::Tensor expected =
        combine(model.views(batch, !batch_norm, Random(1)), options.combine);
    const at::Tensor z = model.embed(batch, inference);
    ASSERT_EQ(z.sizes(), expected.sizes());
    EXPECT_LT(largest(z - expected), 1e-11) << text(variant);
    EXPECT_TRUE(at::isfinite(z).all().item<bool>()) << text(variant);
  }
}

TEST(Inference, IsTheTrainingForward) { expect_inference_is_training(kOneBlock, false, kPlenty); }
TEST(Inference, IsTheTrainingForwardOnSparseFeatures) {
  expect_inference_is_training(kOneBlock, true, kPlenty);
}
TEST(Inference, IsTheTrainingForwardOverManyBlocks) {
  expect_inference_is_training(kThreeBlocks, false, kPlenty);
}
TEST(Inference, IsTheTrainingForwardFromScratchFiles) {
  expect_inference_is_training(kThreeBlocks, true, kNone);
}

TEST(Inference, MemoryDoesNotChangeABit) {
  const Dataset data = random_dataset(kThreeBlocks, true);
  for (const AugmentMode mode : {AugmentMode::pre, AugmentMode::post})
    for (const Skip skip : {Skip::sum, Skip::none}) {
      ModelOptions options = options_of({mode, "gcn", skip, NormKind::layer});
      options.layers = 3;
      const Device device{at::kCPU, at::kFloat};
      const GraphSurgeon model(kWidth, options, device, Random(3));
      const Batch batch = whole_graph(data, options.encoder, device);
      EXPECT_TRUE(at::equal(model.embed(batch, kPlenty), model.embed(batch, kNone)));
    }
}

TEST(Inference, DeepSumOfLayersIsTheForward) {
  const Dataset data = random_dataset(kOneBlock, false);
  for (const int64_t layers : {1, 2, 3, 5})
    for (const Skip skip : {Skip::sum, Skip::none, Skip::linear}) {
      ModelOptions options = options_of({AugmentMode::pre, "gcn", skip, NormKind::none});
      options.layers = layers;
      const GraphSurgeon model(kWidth, options, kDouble, Random(3));
      const Batch batch = whole_graph(data, options.encoder, kDouble);
      const at::Tensor expected = combine(model.views(batch, false, Random(1)), options.combine);
      EXPECT_LT(largest(model.embed(batch) - expected), 1e-12) << layers;
    }
}

TEST(Inference, IgnoresDropoutAndFollowsTheCombination) {
  const Dataset data = random_dataset(kOneBlock, false);
  for (const Combine rule : {Combine::concat, Combine::mean, Combine::sum, Combine::first}) {
    ModelOptions options = options_of({AugmentMode::post, "gcn", Skip::sum, NormKind::none});
    options.combine = rule;
    const GraphSurgeon plain(kWidth, options, kDouble, Random(3));
    options.dropout = 0.8;
    const GraphSurgeon dropping(kWidth, options, kDouble, Random(3));
    const Batch batch = whole_graph(data, options.encoder, kDouble);
    const at::Tensor z = dropping.embed(batch);
    EXPECT_TRUE(at::equal(z, plain.embed(batch)));
    EXPECT_EQ(z.size(1), options.embedding_width());
  }
}

TEST(Inference, LeavesFeaturesWeightsAndStatisticsAlone) {
  const Dataset data = random_dataset(kOneBlock, false);
  for (const Skip skip : {Skip::sum, Skip::linear, Skip::none}) {
    const ModelOptions options = options_of({AugmentMode::post, "sage", skip, NormKind::batch});
    const GraphSurgeon model(kWidth, options, kDouble, Random(3));
    const Batch batch = whole_graph(data, options.encoder, kDouble);
    std::vector<at::Tensor> before{batch.features.dense().clone()};
    for (const auto& parameter : model.parameters().all())
      before.push_back(parameter.tensor.detach().clone());
    const at::Tensor first = model.embed(batch), second = model.embed(batch);
    EXPECT_TRUE(at::equal(first, second));
    EXPECT_FALSE(first.requires_grad());
    std::vector<at::Tensor> after{batch.features.dense()};
    for (const auto& parameter : model.parameters().all()) after.push_back(parameter.tensor);
    for (size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(at::equal(before[i], after[i])) << i;
  }
}

TEST(Inference, ReportsAsManyRowsAsItPromised) {
  struct Count : Progress {
    int64_t total = 0, done = 0;
    void start(std::string_view, int64_t count, std::string_view) override { total = count; }
    void advance(int64_t count) override { done += count; }
    void note(std::string_view) override {}
    void finish() override {}
  };
  const Dataset data = random_dataset(kThreeBlocks, false);
  for (const AugmentMode mode : {AugmentMode::pre, AugmentMode::post}) {
    const ModelOptions options = options_of({mode, "gcn", Skip::sum, NormKind::none});
    const GraphSurgeon model(kWidth, options, kDouble, Random(3));
    Count count;
    model.embed(whole_graph(data, options.encoder, kDouble), {}, count);
    EXPECT_GT(count.total, 0);
    EXPECT_EQ(count.done, count.total);
  }
}

}  // namespace
}  // namespace gs
