#include "method/spectral.h"

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "options/methods.h"
#include "run/auto_options.h"
#include "support/errors.h"
#include "support/probing.h"
#include "support/topical.h"
#include "support/training.h"

namespace gs::test {
namespace {

const Device kNative{at::kCPU, at::kFloat, true};

RunOptions options_for(const Dataset& data, const std::string& method) {
  return choose_auto_options(default_options(method_info(method)), data).options;
}

struct Solved {
  std::unique_ptr<Method> method;
  at::Tensor embeddings;
};

Solved solve(const Dataset& data, const RunOptions& options) {
  const Batch whole = whole_graph(data, options.model.encoder, kNative);
  Solved out{make_method({data.features.width(), Task::none, 0, options, kNative, Random(0)}), {}};
  out.embeddings = out.method->solve(whole, {}, no_progress());
  return out;
}

TEST(Spectral, SolveReturnsWhatEmbedComputes) {
  for (const Dataset& data : {topical_graph(5, 0.8), small_graph(300)})
    for (const char* method : {"spectral", "diffused"}) {
      const RunOptions options = options_for(data, method);
      const Solved solved = solve(data, options);
      const Batch whole = whole_graph(data, options.model.encoder, kNative);
      EXPECT_TRUE(at::equal(solved.embeddings, solved.method->embed(whole))) << method;
      EXPECT_LE(solved.embeddings.size(1), options.model.dim);
    }
}

TEST(Spectral, TheNumberOfThreadsChangesNoBit) {
  const Dataset data = topical_graph(5, 0.8, 200);  // 1,000 columns: iterated
  const RunOptions options = options_for(data, "spectral");
  const auto on = [&](int count) {
    const ThreadScope scope(count);
    return solve(data, options).embeddings;
  };
  const at::Tensor alone = on(1);
  EXPECT_TRUE(at::equal(alone, on(2)));
  EXPECT_TRUE(at::equal(alone, on(3)));
}

// The reference row is U S of (sum_k alpha (1 - alpha)^k A^k) X, up to one factor and signs.
TEST(Spectral, DiffusedIsTheSvdOfDiffusedFeatures) {
  const Dataset data = small_graph(200);
  const RunOptions options = options_for(data, "diffused");
  const Batch whole = whole_graph(data, options.model.encoder, kNative);
  at::Tensor hop = whole.features.dense(), sum = 0.15 * hop;
  for (int k = 1; k <= 10; ++k) {
    hop = whole.adjacency.layer(0).apply(hop);
    sum = sum + 0.15 * std::pow(0.85, k) * hop;
  }
  const at::Tensor z = solve(data, options).embeddings;
  const auto [u, s, vh] = at::linalg_svd(sum, false);
  const at::Tensor wanted = at::mm(sum, sum.t()) / s.square().sum();
  const at::Tensor found = at::mm(z, z.t()) / z.square().sum();
  EXPECT_LT((wanted - found).abs().max().item<double>(), 1e-6);
}

// The weights rho^(a + 1/2) with rho = s^2 / (s^2 + c): the squared column lengths, relative to the
// first.
TEST(Spectral, WeighsDirectionsByTheirAgreementUnderNoise) {
  const Dataset data = small_graph(200);
  RunOptions options = options_for(data, "diffused");
  options.spectral.scale_columns = true, options.spectral.center = true;
  const at::Tensor plain = solve(data, options).embeddings.square().sum(0);  // s^2, relative
  options.spectral.noise = 0.5, options.spectral.power = 1;
  const at::Tensor weighted = solve(data, options).embeddings.square().sum(0);
  // All s^2 add up to the number of columns, since columns have length 1.
  const at::Tensor squares = plain / plain.sum() * 12;
  const at::Tensor wanted = (squares / (squares + 1)).pow(3);
  EXPECT_LT((weighted / weighted[0] - wanted / wanted[0]).abs().max().item<double>(), 1e-3);
}

TEST(Spectral, ReadsClassesThatNeighborsShare) {
  const Dataset data = topical_graph(1, 0.8, 200);  // most words are rare
  const at::Tensor z = solve(data, options_for(data, "spectral")).embeddings;
  const auto raw = linear_probe(make_input(data.features, Device{}), data.labels,
                                {cut(2000, 100, 300, 1)}, {.probe = Probe::logistic}, 0);
  const auto found =
      linear_probe(z, data.labels, {cut(2000, 100, 300, 1)}, {.probe = Probe::logistic}, 0);
  EXPECT_GT(found.spread().mean, raw.spread().mean + 5);
}

// Features that say little of a node alone.
TEST(Spectral, NoiseIsLeftOut) {
  GenerateOptions generated{.features = 60};
  generated.nodes = 1500, generated.classes = 4, generated.signal = 1.5, generated.seed = 2;
  const Dataset data = generate(generated);
  RunOptions options = options_for(data, "spectral");
  const auto score = [&] {
    return linear_probe(solve(data, options).embeddings, data.labels, {cut(1500, 75, 225, 1)},
                        {.probe = Probe::logistic}, 0)
        .spread()
        .mean;
  };
  const double denoised = score();
  options.spectral.denoise = false;
  EXPECT_GT(denoised, score() + 5);
}

TEST(Spectral, RefusesFiltersThatItDoesNotKnow) {
  for (const char* filters : {"", "own,", "pagerank", "pagerank:2", "mean:0.5", "own*0", "hops"}) {
    SpectralOptions options;
    options.filters = filters;
    usage_error([&] { options.parsed_filters(); });
  }
  SpectralOptions options{.filters = "own*0.5, pagerank:0.25, mean", .hops = 2};
  const auto parsed = options.parsed_filters();
  ASSERT_EQ(parsed.size(), 3);
  EXPECT_EQ(parsed[0].weight, 0.5);
  EXPECT_THAT(parsed[1].coefficients,
              testing::ElementsAre(0.25, 0.1875, testing::DoubleEq(0.140625)));
  EXPECT_THAT(parsed[2].coefficients, testing::Each(testing::DoubleEq(1.0 / 3)));
}

}  // namespace
}  // namespace gs::test
