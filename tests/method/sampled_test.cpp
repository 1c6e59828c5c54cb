// Batches of the loaders go through the same forward as the whole graph.
#include <gtest/gtest.h>

#include "loader/loader.h"
#include "method/graphsurgeon.h"
#include "objective/eigenmaps.h"
#include "options/convolutions.h"
#include "support/graphs.h"

namespace gs {
namespace {

Dataset random_dataset(bool weighted, bool sparse) {
  constexpr int64_t kNodes = 60, kWidth = 9;
  auto edges = test::random_edges(kNodes - 1, 4 * kNodes, 5);  // the last node is isolated
  for (int32_t v = 1; v < kNodes - 1; v += 2) edges.push_back({0, v, 1});
  Dataset out;
  out.graph = weighted ? test::weighted_graph(kNodes, edges) : test::graph(kNodes, edges);
  Random random(7);
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> indices;
  std::vector<float> values, dense(static_cast<size_t>(kNodes * kWidth));
  for (int64_t v = 0; v < kNodes; ++v) {
    for (int32_t c = 0; c < kWidth; ++c)
      if (random.uniform() < 0.2) {
        indices.push_back(c), values.push_back(static_cast<float>(random.normal()));
        dense[v * kWidth + c] = values.back();
      }
    offsets.push_back(static_cast<int64_t>(indices.size()));
  }
  if (sparse) out.features.matrix = SparseMatrix{kNodes, kWidth, offsets, indices, values};
  else out.features.matrix = DenseMatrix{kNodes, kWidth, dense};
  return out;
}

ModelOptions small_model(AugmentMode mode, const std::string& encoder, Skip skip) {
  ModelOptions options;
  options.layers = 2;
  options.mode = mode, options.encoder = encoder, options.skip = skip;
  options.aug_dim = 8, options.dim = 6, options.dropout = 0;
  return options;
}

std::vector<ModelOptions> models() {
  std::vector<ModelOptions> out;
  for (const auto mode : {AugmentMode::pre, AugmentMode::post})
    for (const auto encoder : {"gcn", "sage"})
      for (const auto skip : {Skip::none, Skip::sum, Skip::linear})
        out.push_back(small_model(mode, encoder, skip));
  return out;
}

std::string text(const ModelOptions& m) {
  return fmt::format("{} {} {}", name_of(names_of(m.mode), m.mode), m.encoder,
                     name_of(names_of(m.skip), m.skip));
}

std::vector<LoaderOptions> loader_kinds() {
  LoaderOptions neighbor, cluster, saint;
  neighbor.loader = "neighbor", neighbor.fanouts = {3, 2}, neighbor.batch_size = 16;
  cluster.loader = "cluster", cluster.parts = 6, cluster.parts_per_batch = 2;
  saint.loader = "saint", saint.roots = 10, saint.subgraphs = 2;
  return {neighbor, cluster, saint};
}

TEST(SampledBatch, WholeNeighborhoodsGiveTheWholeGraphsEmbeddings) {
  const Device plain{at::kCPU, at::kDouble};
  for (const bool weighted : {false, true})
    for (const ModelOptions& options : models()) {
      const Dataset data = random_dataset(weighted, true);
      const GraphSurgeon model(data.features.width(), options, plain, Random(2));
      const at::Tensor whole =
          model.views(whole_graph(data, options.encoder, plain), false, Random(0)).both;
      LoaderOptions loader;
      loader.loader = "neighbor", loader.fanouts = {-1}, loader.batch_size = 7;
      const auto batches = make_loader(
          data, loader, {.norm = convolution_info(options.encoder).norm, .layers = options.layers});
      LoaderWorkspace workspace;
      for (int64_t i = 0; i < batches->batches(); ++i) {
        const Sample sample = batches->sample(0, i, workspace);
        const at::Tensor z = model.views(sampled_batch(sample, plain), false, Random(0)).both;
        ASSERT_EQ(z.size(0), sample.targets);
        for (int64_t s = 0; s < sample.targets; ++s)
          EXPECT_LT((z[s] - whole[sample.nodes[s]]).abs().max().item<double>(), 1e-5)
              << text(options) << ", node " << sample.nodes[s];
      }
    }
}

TEST(SampledBatch, OurKernelsAndPlainOnesAgreeForwardAndBackward) {
  const Device native{at::kCPU, at::kFloat, true}, plain{at::kCPU, at::kFloat};
  for (const bool sparse : {false, true})
    for (const LoaderOptions& loader : loader_kinds())
      for (const ModelOptions& options : models()) {
        const Dataset data = random_dataset(true, sparse);
        GraphSurgeon ours(data.features.width(), options, native, Random(2));
        GraphSurgeon twin(data.features.width(), options, plain, Random(2));
        const auto batches =
            make_loader(data, loader,
                        {.norm = convolution_info(options.encoder).norm, .layers = options.layers});
        LoaderWorkspace workspace;
        const Sample sample = batches->sample(0, batches->batches() - 1, workspace);
        const std::string what = text(options) + " " + std::string(loader.loader);
        std::vector<at::Tensor> losses;
        for (GraphSurgeon* model : {&ours, &twin}) {
          const Batch batch = sampled_batch(sample, model->parameters().device());
          const Views views = model->views(batch, true, Random(3));
          EXPECT_EQ(views.both.size(0), sample.targets) << what;
          const Loss loss = model->loss(views, {}, batch.weights);
          model->parameters().zero_gradients();
          loss.total.backward();
          losses.push_back(loss.total.detach());
        }
        EXPECT_LT(((losses[0] - losses[1]) / losses[1]).abs().item<double>(), 1e-4) << what;
        const auto &mine = ours.parameters().weights(), &theirs = twin.parameters().weights();
        for (size_t i = 0; i < mine.size(); ++i) {
          const at::Tensor a = mine[i].tensor.grad(), b = theirs[i].tensor.grad();
          ASSERT_EQ(a.defined(), b.defined()) << what;
          if (!a.defined()) continue;
          EXPECT_LT((a - b).norm().item<double>(), 1e-3 * (1e-3 + b.norm().item<double>()))
              << what << ", " << mine[i].name;
        }
      }
}

TEST(SampledBatch, WeightsOfRowsStandForRepeatedRows) {
  const at::Tensor rows = at::randn({3, 8}, at::kDouble);
  const at::Tensor repeated = at::stack({rows[0], rows[0], rows[2]});
  for (const auto constraint : {Constraint::columns, Constraint::rows, Constraint::scaled}) {
    LossOptions options;
    options.constraint = constraint;
    const Loss weighted =
        eigenmaps_loss(rows, options, false, at::tensor({2., 0., 1.}, at::kDouble));
    const Loss plain = eigenmaps_loss(repeated, options, false);
    EXPECT_NEAR(weighted.total.item<double>(), plain.total.item<double>(), 1e-9);
  }
}

}  // namespace
}  // namespace gs
