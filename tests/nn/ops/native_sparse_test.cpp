// Every native operation against its plain libtorch twin, forward and backward, on random and on
// awkward shapes.
#include <gtest/gtest.h>

#include "nn/encoder.h"
#include "nn/ops/linear.h"
#include "nn/ops/native_sparse.h"
#include "nn/ops/prelu.h"
#include "nn/ops/torch_sparse.h"
#include "objective/eigenmaps.h"
#include "support/gradients.h"
#include "support/graphs.h"

namespace gs {
namespace {

const Device kPlain{at::kCPU, at::kFloat, false}, kNative{at::kCPU, at::kFloat, true};

at::Tensor random_floats(at::IntArrayRef shape, uint64_t seed, bool gradient = true) {
  return test::random_tensor(shape, seed, false).to(at::kFloat).set_requires_grad(gradient);
}

at::Tensor twin(const at::Tensor& x) {
  return x.defined() ? x.detach().clone().set_requires_grad(x.requires_grad()) : x;
}

// Relative to the larger of 1 and the twin's largest element.
void expect_near(const at::Tensor& ours, const at::Tensor& theirs, const char* what) {
  ASSERT_EQ(ours.defined(), theirs.defined()) << what;
  if (!ours.defined() || ours.numel() == 0) return;
  ASSERT_EQ(ours.sizes(), theirs.sizes()) << what;
  const double scale = std::max(1.0, theirs.abs().max().item<double>());
  EXPECT_LT((ours - theirs).abs().max().item<double>() / scale, 5e-5) << what;
}

TEST(Prelu, IsLibtorchsOwn) {
  for (const double value : {0.25, 0.0, 1.5}) {  // also where a slope is steeper than 1
    const at::Tensor x = random_floats({37, 19}, 5), other = twin(x);
    const at::Tensor slope = at::full({1}, value).set_requires_grad(true), its = twin(slope);
    const at::Tensor weights = random_floats({37, 19}, 6, false);
    const at::Tensor ours = gs::prelu(x, slope), theirs = at::prelu(other, its);
    expect_near(ours, theirs, "forward");
    (ours * weights).sum().backward();
    (theirs * weights).sum().backward();
    expect_near(x.grad(), other.grad(), "x");
    expect_near(slope.grad(), its.grad(), "slope");
  }
}

enum class After { nothing, bias, relu, dropout, relu_dropout, skip, dropout_skip, relu_skip };
constexpr After kAfters[] = {After::nothing,      After::bias,         After::relu,
                             After::dropout,      After::relu_dropout, After::skip,
                             After::dropout_skip, After::relu_skip};

Epilogue make_epilogue(After after, int64_t rows, int64_t columns, int64_t views, bool native) {
  Epilogue f = Epilogue::none(native);
  if (after == After::nothing) return f;
  f.bias = random_floats({columns}, 91);
  f.relu = after == After::relu || after == After::relu_dropout || after == After::relu_skip;
  if (after == After::dropout || after == After::relu_dropout || after == After::dropout_skip)
    for (int64_t v = 0; v < views; ++v) f.dropout.push_back(dropout_rule(70 + v, 0.4));
  if (after == After::skip || after == After::dropout_skip || after == After::relu_skip)
    f.skip = random_floats({rows, columns}, 92);
  return f;
}

// Runs `f` with both kinds of epilogue on twins of `inputs`; outputs and every gradient must
// agree.
using Operation = std::function<at::Tensor(const std::vector<at::Tensor>&, const Epilogue&)>;
void expect_twins(const std::vector<at::Tensor>& inputs, const Epilogue& native,
                  const Operation& ours, const Operation& theirs) {
  Epilogue plain = native;
  plain.native = false;
  plain.bias = twin(native.bias), plain.skip = twin(native.skip);
  std::vector<at::Tensor> copies;
  for (const at::Tensor& x : inputs) {
    x.mutable_grad() = at::Tensor();
    copies.push_back(twin(x));
  }
  const at::Tensor y = ours(inputs, native), z = theirs(copies, plain);
  expect_near(y, z, "forward");
  if (testing::Test::HasFatalFailure()) return;
  const at::Tensor weight = random_floats(y.sizes(), 93, false);
  (y * weight).sum().backward();
  (z * weight).sum().backward();
  for (size_t i = 0; i < inputs.size(); ++i)
    expect_near(inputs[i].grad(), copies[i].grad(), "input");
  if (native.bias.defined()) expect_near(native.bias.grad(), plain.bias.grad(), "bias");
  if (native.skip.defined()) expect_near(native.skip.grad(), plain.skip.grad(), "skip");
}

struct Shape {
  const char* name;
  Csr graph;
};

std::vector<Shape> graphs() {
  std::vector<test::Edge> star{{5, 5}};
  for (int32_t i = 1; i < 700; ++i) star.push_back({0, i}), star.push_back({i, 0});
  std::vector<Shape> out;
  out.push_back({"one node", test::graph(1, {})});
  out.push_back({"no edges", test::graph(9, {})});
  out.push_back({"hub", test::graph(720, star)});
  out.push_back({"directed", test::graph(50, test::random_edges(50, 300, 1))});
  out.push_back({"weighted", test::weighted_graph(60, test::random_edges(60, 500, 2))});
  out.push_back({"undirected", test::undirected_graph(40, test::random_edges(40, 100, 3))});
  // Dense enough to be packed into tiles, of each of the three widths.
  out.push_back({"packed", test::graph(300, test::random_edges(300, 9000, 4))});
  out.push_back({"packed weighted", test::weighted_graph(300, test::random_edges(300, 9000, 5))});
  out.push_back({"packed narrow", test::graph(5000, test::random_edges(5000, 90000, 6))});
  out.push_back({"packed narrowest", test::graph(13000, test::random_edges(13000, 220000, 7))});
  return out;
}

TEST(NativeSparse, IsThePlainTwinOnEveryGraph) {
  for (const Shape& shape : graphs())
    for (const std::string kind : {"gcn", "sage"})
      for (const int64_t width : {1, 7, 16, 33, 66}) {
        if (shape.graph.nodes() > 1000 && width != 33) continue;
        const auto native = adjacency_for(kind, shape.graph, kNative),
                   plain = adjacency_for(kind, shape.graph, kPlain);
        SCOPED_TRACE(fmt::format("{}, {}, width {}", shape.name, kind, width));
        for (const After after : kAfters)
          expect_twins(
              {random_floats({shape.graph.nodes(), width}, 1)},
              make_epilogue(after, shape.graph.nodes(), width, 1, true),
              [&](auto& x, auto& f) { return native->apply(x[0], f); },
              [&](auto& x, auto& f) { return plain->apply(x[0], f); });
      }
}

TEST(NativeSparse, PlainSumsAreTheAdjacencyItself) {
  for (const Shape& shape : graphs()) {
    if (shape.graph.nodes() > 1000) continue;
    const auto native = std::make_shared<NativeSparse>(shape.graph, Norm::sum);
    const Array<float>& w = shape.graph.weights;
    const auto plain = std::make_shared<TorchSparse>(
        shape.graph.nodes(), shape.graph.nodes(), shape.graph.offsets.span(),
        shape.graph.neighbors.span(), std::vector<double>(w.begin(), w.end()), kPlain);
    SCOPED_TRACE(shape.name);
    expect_twins(
        {random_floats({shape.graph.nodes(), 35}, 1)}, Epilogue::none(true),
        [&](auto& x, auto& f) { return native->apply(x[0], f); },
        [&](auto& x, auto& f) { return plain->apply(x[0], f); });
  }
}

TEST(NativeSparse, TwoViewsSideBySideHaveTheirOwnMasks) {
  const Csr graph = test::graph(300, test::random_edges(300, 9000, 4));
  const auto native = adjacency_for("gcn", graph, kNative),
             plain = adjacency_for("gcn", graph, kPlain);
  for (const int64_t width : {1, 17, 33, 128, 131})
    expect_twins(
        {random_floats({300, 2 * width}, 1)},
        make_epilogue(After::relu_dropout, 300, 2 * width, 2, true),
        [&](auto& x, auto& f) { return native->apply(x[0], f); },
        [&](auto& x, auto& f) { return plain->apply(x[0], f); });
}

TEST(NativeSparse, SameBitsOnAnyNumberOfThreads) {
  for (const Shape& shape : graphs()) {
    const auto native = adjacency_for("gcn", shape.graph, kNative);
    const auto run = [&](int count) {
      const ThreadScope threads(count);
      const at::Tensor x = random_floats({shape.graph.nodes(), 100}, 1);
      const Epilogue f = make_epilogue(After::relu_dropout, shape.graph.nodes(), 100, 2, true);
      const at::Tensor y = native->apply(x, f);
      y.square().sum().backward();
      return at::cat({y.detach().flatten(), x.grad().flatten(), f.bias.grad()});
    };
    const at::Tensor one = run(1);
    for (const int count : {2, 3, 8}) EXPECT_TRUE(at::equal(run(count), one)) << shape.name;
  }
}

TEST(NativeSparse, SlicesGiveTheSameBitsAsTheWhole) {
  const at::NoGradGuard no_gradient;
  for (const Shape& shape : graphs()) {
    const int64_t n = shape.graph.nodes();
    const auto native = adjacency_for("gcn", shape.graph, kNative);
    for (const int64_t width : {1, 16, 50, 130}) {
      const at::Tensor x = random_floats({n, width}, 1, false), whole = native->apply(x);
      for (const auto& [begin, end] : {std::pair{int64_t{0}, n}, {n / 3, n / 2}, {n - 1, n}})
        EXPECT_TRUE(at::equal(native->slice(begin, end)->apply(x), whole.slice(0, begin, end)))
            << shape.name << ", width " << width;
    }
  }
}

SparseMatrix random_features(int64_t rows, int64_t columns, int64_t per_row, bool values) {
  Random random(5);
  SparseMatrix m{rows, columns, {}, {}, {}};
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> indices;
  std::vector<float> numbers;
  for (int64_t r = 0; r < rows; ++r) {
    std::vector<int32_t> row;
    for (int64_t i = 0; i < (r % 5 == 0 ? 0 : per_row); ++i)
      row.push_back(static_cast<int32_t>(random.below(columns)));
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const int32_t c : row)
      indices.push_back(c), numbers.push_back(static_cast<float>(random.uniform()));
    offsets.push_back(static_cast<int64_t>(indices.size()));
  }
  m.offsets = std::move(offsets), m.indices = std::move(indices);
  if (values) m.values = std::move(numbers);
  return m;
}

TEST(NativeSparse, LinearMapOfFeaturesIsThePlainTwin) {
  for (const bool values : {false, true})
    for (const auto& [rows, columns, each] :
         {std::tuple{1, 1, 1}, {40, 3, 2}, {7, 900, 5}, {300, 40, 30}, {50, 5000, 40}}) {
      const SparseMatrix m = random_features(rows, columns, each, values);
      const auto native = std::make_shared<NativeSparse>(m);
      const auto plain = std::make_shared<TorchSparse>(
          m.rows, m.columns, m.offsets.span(), m.indices.span(),
          std::vector<double>(m.values.begin(), m.values.end()), kPlain);
      for (const auto& outputs : {std::vector<int64_t>{1}, {40}, {33, 33}, {70, 70}}) {
        std::vector<at::Tensor> weights;
        int64_t width = 0;
        for (const int64_t o : outputs)
          weights.push_back(random_floats({o, columns}, 10 + width)), width += o;
        SCOPED_TRACE(fmt::format("{} x {}, {} columns, values {}", rows, columns, width, values));
        for (const After after : kAfters)
          expect_twins(
              weights,
              make_epilogue(after, rows, width, static_cast<int64_t>(outputs.size()), true),
              [&](auto& w, auto& f) { return native->times(w, f); },
              [&](auto& w, auto& f) { return plain->times(w, f); });
      }
    }
}

TEST(NativeLinear, IsThePlainTwin) {
  for (const auto& [rows, inputs] : {std::pair{1, 1}, {5, 3}, {70, 40}, {1200, 9}})
    for (const After after : kAfters) {
      expect_twins(
          {random_floats({rows, inputs}, 1), random_floats({37, inputs}, 2)},
          make_epilogue(after, rows, 37, 1, true),
          [](auto& x, auto& f) { return linear(x[0], x[1], f); },
          [](auto& x, auto& f) { return linear(x[0], x[1], f); });
      const auto two = [](auto& x, auto& f) {
        const at::Tensor weights[] = {x[1], x[2]};
        return linear(x[0], weights, f);
      };
      expect_twins({random_floats({rows, inputs}, 1), random_floats({20, inputs}, 2),
                    random_floats({20, inputs}, 3)},
                   make_epilogue(after, rows, 40, 2, true), two, two);
      const auto views = [](auto& x, auto& f) { return linear(x[0], x[1], f, 2); };
      expect_twins({random_floats({rows, 2 * inputs}, 1), random_floats({18, inputs}, 2)},
                   make_epilogue(after, rows, 36, 2, true), views, views);
    }
}

TEST(NativeEpilogue, IsThePlainTwin) {
  for (const auto& [rows, columns] : {std::pair{1, 2}, {3, 64}, {1500, 34}, {2, 700}})
    for (const After after : kAfters)
      expect_twins(
          {random_floats({rows, columns}, 1)}, make_epilogue(after, rows, columns, 2, true),
          [](auto& x, auto& f) { return apply_epilogue(x[0], f); },
          [](auto& x, auto& f) { return apply_epilogue(x[0], f); });
}

// Where dropout keeps an exact zero its gradient still goes through, but after a ReLU it does not.
TEST(NativeEpilogue, ExactZerosHaveTheTwinsGradient) {
  for (const After after : {After::dropout, After::relu_dropout}) {
    Epilogue f = make_epilogue(after, 20, 64, 2, true);
    f.bias = at::zeros({64}).set_requires_grad(true);
    expect_twins(
        {at::zeros({20, 64}).set_requires_grad(true)}, f,
        [](auto& x, auto& g) { return apply_epilogue(x[0], g); },
        [](auto& x, auto& g) { return apply_epilogue(x[0], g); });
  }
}

TEST(NativeEigenmaps, IsThePlainTwinInEveryForm) {
  for (const Constraint form : {Constraint::columns, Constraint::rows, Constraint::scaled})
    for (const auto& [rows, width] :
         {std::pair{1, 1}, {2, 1}, {40, 5}, {300, 33}, {1000, 128}, {5, 40}}) {
      at::Tensor z = random_floats({rows, 2 * width}, 4, false);
      if (rows > 10) z[3].zero_(), z[4].mul_(1e-20), z[5].mul_(1e18);
      const LossOptions options{.similarity_weight = "10", .constraint = form, .gamma = 0.7};
      SCOPED_TRACE(fmt::format("form {}, {} x {}", static_cast<int>(form), rows, width));
      // The twin in double: in float it loses very long and very short rows.
      const at::Tensor a = z.clone().set_requires_grad(true),
                       b = z.to(at::kDouble).set_requires_grad(true);
      const Loss ours = eigenmaps_loss(a, options, true),
                 theirs = eigenmaps_loss(b, options, false);
      for (const size_t t : {0, 1})
        EXPECT_NEAR(ours.terms[t].second, theirs.terms[t].second,
                    1e-4 * std::max(1.0, std::abs(theirs.terms[t].second)));
      (ours.total * 2).backward();
      (theirs.total * 2).backward();
      for (int64_t r = 0; r < rows; ++r) {  // rows' gradients differ by their lengths
        const at::Tensor expected = b.grad()[r], got = a.grad()[r].to(at::kDouble);
        const double scale = std::max(1e-30, expected.abs().max().item<double>());
        if (r == 4 && rows > 10) EXPECT_TRUE(at::isfinite(got).all().item<bool>());
        else EXPECT_LT((got - expected).abs().max().item<double>() / std::max(scale, 1e-3), 2e-3);
      }
    }
}

TEST(NativeEigenmaps, RepeatsBitForBit) {
  const at::Tensor z = random_floats({3000, 128}, 4, false);
  const auto run = [&] {
    const at::Tensor x = z.clone().set_requires_grad(true);
    eigenmaps_loss(x, {}, true).total.backward();
    return x.grad();
  };
  EXPECT_TRUE(at::equal(run(), run()));
}

TEST(NativeEncoder, EveryVariantIsThePlainTwin) {
  const Csr graph = test::weighted_graph(60, test::random_edges(60, 400, 2));
  for (const auto kind : {"gcn", "sage"})
    for (const auto skip : {Skip::sum, Skip::linear, Skip::none})
      for (const auto norm : {NormKind::none, NormKind::batch, NormKind::layer})
        for (const int64_t layers : {1, 2, 3})
          for (const int views : {1, 2})
            for (const int64_t inputs : {5, 50}) {  // narrower and wider than the output
              ModelOptions options;
              options.encoder = kind, options.skip = skip, options.norm = norm;
              options.layers = layers, options.dropout = 0.3;
              Parameters ours(kNative, Random(4)), theirs(kPlain, Random(4));
              const Encoder native(ours, "e", inputs, 20, options, views),
                  plain(theirs, "e", inputs, 20, options, views);
              const at::Tensor x = random_floats({60, views * inputs}, 6), y = twin(x);
              const Pass pass{true, 0, Random(7), views};
              const at::Tensor a = native.forward(x, adjacency_for(kind, graph, kNative), pass),
                               b = plain.forward(y, adjacency_for(kind, graph, kPlain), pass);
              SCOPED_TRACE(fmt::format("{} {} {} {} {} {}", kind, static_cast<int>(skip),
                                       static_cast<int>(norm), layers, views, inputs));
              expect_near(a, b, "forward");
              const at::Tensor weight = random_floats(a.sizes(), 8, false);
              (a * weight).sum().backward();
              (b * weight).sum().backward();
              expect_near(x.grad(), y.grad(), "x");
              for (size_t i = 0; i < ours.weights().size(); ++i)
                expect_near(ours.weights()[i].tensor.grad(), theirs.weights()[i].tensor.grad(),
                            ours.weights()[i].name.c_str());
            }
}

// A x made once gives what aggregating in every step gives.
TEST(NativeEncoder, AggregatedFeaturesGiveTheSame) {
  const Csr graph = test::graph(60, test::random_edges(60, 400, 2));
  for (const auto kind : {"gcn", "sage"}) {
    ModelOptions options;
    options.encoder = kind, options.dropout = 0.3;
    Parameters parameters(kNative, Random(4));
    const Encoder encoder(parameters, "e", 30, 20, options, 1);
    const auto adjacency = adjacency_for(kind, graph, kNative);
    const at::Tensor x = random_floats({60, 30}, 6, false);
    const Pass pass{true, 0, Random(7)};
    expect_near(encoder.forward(x, adjacency, pass, adjacency->apply(x)),
                encoder.forward(x, adjacency, pass), "forward");
  }
}

}  // namespace
}  // namespace gs
