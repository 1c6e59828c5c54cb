// Graph attention: the native kernel against its plain twin, the twin against central differences,
// and both against PyTorch Geometric's GATConv.
#include "nn/ops/attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nn/ops/native_sparse.h"
#include "nn/ops/torch_sparse.h"
#include "support/golden.h"
#include "support/gradients.h"
#include "support/graphs.h"

namespace gs {
namespace {

using test::random_tensor;

const Device kPlain{at::kCPU, at::kFloat}, kDouble{at::kCPU, at::kDouble};

struct Structure {
  const char* name;
  std::shared_ptr<const SparseOperator> native, plain, precise;
};

// Both kinds of normalization, as their twins store the loop in different places or not at all.
Structure of_graph(const char* name, const Csr& graph, Norm norm) {
  const auto make = norm == Norm::gcn ? gcn_operator : mean_operator;
  return {name, std::make_shared<NativeSparse>(graph, norm), make(graph, kPlain),
          make(graph, kDouble)};
}

// A sampled layer: more sources than targets, columns in no order.
Structure of_layer(const char* name, int64_t targets, int64_t sources, int64_t per_row) {
  Random random(11);
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> indices;
  for (int64_t r = 0; r < targets; ++r) {
    for (int64_t i = 0; i < r % (per_row + 1); ++i)
      indices.push_back(static_cast<int32_t>(random.below(sources)));
    offsets.push_back(static_cast<int64_t>(indices.size()));
  }
  LayerGraph layer;
  layer.matrix = {targets, sources, offsets, indices, {}};
  return {name, std::make_shared<NativeSparse>(layer),
          scaled_operator(layer.matrix, layer.scales, kPlain),
          scaled_operator(layer.matrix, layer.scales, kDouble)};
}

std::vector<Structure> structures() {
  std::vector<test::Edge> star{{5, 5}};
  for (int32_t i = 1; i < 300; ++i) star.push_back({0, i}), star.push_back({i, 0});
  const Csr loops = test::weighted_graph(40, test::random_edges(40, 500, 2));
  return {
      of_graph("one node", test::graph(1, {}), Norm::mean),
      of_graph("no edges", test::graph(9, {}), Norm::gcn),
      of_graph("hub", test::graph(310, star), Norm::mean),
      of_graph("symmetric", test::undirected_graph(40, test::random_edges(40, 200, 1)), Norm::mean),
      of_graph("weighted, directed, with loops", loops, Norm::mean),
      of_graph("the same for a GCN", loops, Norm::gcn),
      of_layer("sampled", 20, 50, 7)};
}

struct Inputs {
  at::Tensor messages, source, target;  // with two vectors, or with scores

  static Inputs vectors(int64_t sources, int64_t columns, int64_t of_view) {
    return {random_tensor({sources, columns}, 1), random_tensor({of_view}, 2),
            random_tensor({of_view}, 3)};
  }
  static Inputs scores(int64_t sources, int64_t targets, int64_t columns, int64_t heads) {
    return {random_tensor({sources, columns}, 1), random_tensor({sources, heads}, 2),
            random_tensor({targets, heads}, 3)};
  }
  Inputs as(at::ScalarType type) const {
    const auto leaf = [&](const at::Tensor& x) {
      return x.detach().to(type, false, true).set_requires_grad(true);
    };
    return {leaf(messages), leaf(source), leaf(target)};
  }
};

using Layer = std::function<at::Tensor(const SparseOperator&, const Inputs&)>;

// Output and gradients of both in float against the twin in double.
void expect_twins(const Structure& structure, const Inputs& inputs, const Layer& layer) {
  const Inputs exact = inputs.as(at::kDouble);
  const at::Tensor expected = layer(*structure.precise, exact);
  const at::Tensor weight = random_tensor(expected.sizes(), 4, false);
  (expected * weight).sum().backward();
  for (const auto& [kind, ours] :
       {std::pair{"native", structure.native}, {"plain", structure.plain}}) {
    const Inputs x = inputs.as(at::kFloat);
    test::Differences differences(test::Differences::Measure::element, 2e-5);
    const at::Tensor out = layer(*ours, x);
    (out * weight.to(at::kFloat)).sum().backward();
    differences.compare("output", out, expected.detach());
    differences.compare("messages", x.messages.grad(), exact.messages.grad());
    differences.compare("source", x.source.grad(), exact.source.grad());
    differences.compare("target", x.target.grad(), exact.target.grad());
    EXPECT_THAT(differences.found(), testing::IsEmpty()) << structure.name << ", " << kind;
  }
}

AttentionOptions options_for(int64_t heads, int64_t views, double dropout) {
  AttentionOptions out;
  out.heads = heads * views;
  for (int64_t v = 0; dropout > 0 && v < views; ++v)
    out.dropout.push_back(dropout_rule(20 + static_cast<uint64_t>(v), dropout));
  return out;
}

TEST(Attend, NativeIsThePlainTwinWithVectors) {
  for (const Structure& structure : structures())
    for (const auto& [heads, width] : {std::pair{1, 1}, {1, 70}, {3, 5}, {8, 17}})
      for (const int64_t views : {1, 2})
        for (const double dropout : {0.0, 0.4}) {
          SCOPED_TRACE(
              fmt::format("{} heads of {}, {} views, dropout {}", heads, width, views, dropout));
          const AttentionOptions options = options_for(heads, views, dropout);
          expect_twins(
              structure,
              Inputs::vectors(structure.native->columns(), options.heads * width, heads * width),
              [&](const SparseOperator& a, const Inputs& x) {
                return attend(a, x.messages, ScoreVectors{x.source, x.target}, options);
              });
        }
}

TEST(Attend, NativeIsThePlainTwinWithScores) {
  for (const Structure& structure : structures())
    for (const auto& [heads, width] : {std::pair{1, 1}, {3, 20}})
      for (const double dropout : {0.0, 0.4}) {
        const AttentionOptions options = options_for(heads, 1, dropout);
        expect_twins(structure,
                     Inputs::scores(structure.native->columns(), structure.native->rows(),
                                    heads * width, heads),
                     [&](const SparseOperator& a, const Inputs& x) {
                       return attend(a, x.messages, Scores{x.source, x.target}, options);
                     });
      }
}

TEST(Attend, ScoresByThemselvesAreTheTwinsToo) {
  const Structure structure = of_layer("sampled", 20, 50, 7);
  const AttentionOptions options = options_for(3, 1, 0.4);
  expect_twins(structure, Inputs::vectors(50, 15, 15),
               [&](const SparseOperator& a, const Inputs& x) {
                 Scores scores = scores_of(a, x.messages, {x.source, x.target}, options.heads);
                 scores.target = scores.target.slice(0, 0, a.rows());
                 return attend(a, x.messages, scores, options);
               });
}

TEST(Attend, TwinsGradientIsNumericallyRight) {
  const Structure structure = of_layer("sampled", 6, 9, 4);
  const Inputs x = Inputs::vectors(9, 12, 6);  // two views of two heads
  const at::Tensor weight = random_tensor({6, 12}, 5, false);
  for (const double dropout : {0.0, 0.4}) {
    const AttentionOptions options = options_for(2, 2, dropout);
    test::expect_gradients(
        [&] {
          const ScoreVectors vectors{x.source, x.target};
          return (attend(*structure.precise, x.messages, vectors, options).tanh() * weight).sum();
        },
        {{"messages", x.messages}, {"source", x.source}, {"target", x.target}});
  }
}

// As inference goes through rows in blocks.
TEST(Attend, SlicesGiveTheRowsOfTheWhole) {
  const at::NoGradGuard no_gradient;
  const AttentionOptions options = options_for(3, 1, 0);
  for (const Structure& structure : structures())
    for (const auto& whole : {structure.native, structure.plain}) {
      const int64_t rows = whole->rows();
      const Inputs x = Inputs::vectors(whole->columns(), 21, 21).as(at::kFloat);
      const ScoreVectors vectors{x.source, x.target};
      const at::Tensor expected = attend(*whole, x.messages, vectors, options);
      const Scores scores = scores_of(*whole, x.messages, vectors, options.heads);
      for (const auto& [begin, end] :
           {std::pair<int64_t, int64_t>{0, rows}, {rows / 3, rows / 2 + 1}, {rows - 1, rows}}) {
        const at::Tensor part =
            attend(*whole->slice(begin, end), x.messages,
                   Scores{scores.source, scores.target.slice(0, begin, end)}, options);
        EXPECT_TRUE(at::allclose(part, expected.slice(0, begin, end), 1e-5, 1e-6))
            << structure.name << " " << begin;
        const bool same_bits = at::equal(part, expected.slice(0, begin, end));
        EXPECT_TRUE(same_bits || whole != structure.native) << structure.name;
      }
    }
}

TEST(Attend, NativeRepeatsBitForBitOnAnyNumberOfThreads) {
  const Structure structure =
      of_graph("random", test::graph(800, test::random_edges(800, 20000, 5)), Norm::mean);
  const AttentionOptions options = options_for(4, 1, 0.3);
  const auto run = [&](int count) {
    const ThreadScope with(count);
    const Inputs x = Inputs::vectors(800, 100, 100).as(at::kFloat);
    const at::Tensor out =
        attend(*structure.native, x.messages, ScoreVectors{x.source, x.target}, options);
    out.square().sum().backward();
    return std::vector{out.detach(), x.messages.grad(), x.source.grad(), x.target.grad()};
  };
  const test::TorchThreads one(1);
  const auto expected = run(1);
  for (const int count : test::kThreadCounts) {
    const auto found = run(count);
    for (size_t i = 0; i < found.size(); ++i)
      EXPECT_TRUE(at::equal(found[i], expected[i])) << count << " threads, tensor " << i;
  }
}

// Dropping an attention weight scales the others, so that the mean over masks is the output
// without.
TEST(Attend, DropoutIsUnbiased) {
  const Structure structure = of_layer("sampled", 6, 9, 4);
  const at::NoGradGuard no_gradient;
  const Inputs x = Inputs::vectors(9, 6, 6);
  const ScoreVectors vectors{x.source, x.target};
  at::Tensor mean = at::zeros({6, 6}, at::kDouble);
  constexpr int kMasks = 4000;
  for (int i = 0; i < kMasks; ++i) {
    AttentionOptions options = options_for(2, 1, 0.5);
    options.dropout[0].key = static_cast<uint64_t>(i);
    mean += attend(*structure.precise, x.messages, vectors, options) / kMasks;
  }
  const at::Tensor expected = attend(*structure.precise, x.messages, vectors, options_for(2, 1, 0));
  EXPECT_LT((mean - expected).abs().max().item<double>(), 0.15);
}

class GoldenAttention : public testing::TestWithParam<const char*> {};

TEST_P(GoldenAttention, IsGatConv) {
  const test::Tensors golden = test::Golden("layers", GetParam()).values;
  const Structure structure = of_graph("golden", test::graph_of(golden), Norm::mean);
  for (const auto& [kind, a, type, tolerance] :
       {std::tuple{"double", structure.precise, at::kDouble, 1e-12},
        {"float", structure.plain, at::kFloat, 1e-5},
        {"native", structure.native, at::kFloat, 1e-5}}) {
    const auto leaf = [&](const char* name) {
      return golden.at(name).to(type, false, true).set_requires_grad(true);
    };
    const at::Tensor x = leaf("features"), weight = leaf("weight"), source = leaf("source"),
                     target = leaf("target");
    AttentionOptions options;
    options.heads = golden.at("heads").item<int64_t>();
    const at::Tensor out = attend(*a, at::mm(x, weight.t()), ScoreVectors{source, target}, options);
    (out * golden.at("upstream").to(type)).sum().backward();
    test::Differences differences(test::Differences::Measure::element, tolerance);
    differences.compare("output", out, golden.at("output"));
    differences.compare("features", x.grad(), golden.at("gradient.features"));
    differences.compare("weight", weight.grad(), golden.at("gradient.weight"));
    differences.compare("source", source.grad(), golden.at("gradient.source"));
    differences.compare("target", target.grad(), golden.at("gradient.target"));
    EXPECT_THAT(differences.found(), testing::IsEmpty()) << kind;
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, GoldenAttention, testing::Values("gat", "gat_heads", "gat_loops"));

}  // namespace
}  // namespace gs
