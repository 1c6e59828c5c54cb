#include "nn/diffusion.h"

#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/graphs.h"
#include "support/probing.h"
#include "support/topical.h"

namespace gs::test {
namespace {

const Device kNative{at::kCPU, at::kFloat, true}, kPlain{at::kCPU, at::kFloat, false};

Dataset with_features(Csr graph, const std::vector<float>& values, int64_t columns) {
  Dataset data;
  data.graph = std::move(graph);
  data.features = {DenseMatrix{data.graph.nodes(), columns, Array<float>(values)}};
  return data;
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

// Two joined nodes with loops: every entry of A is 1/2. With x = (4, 0), A x = A^2 x = (2, 2).
TEST(Diffusion, SumsTheHopsByTheirCoefficients) {
  const Dataset data = with_features(undirected_graph(2, {{0, 1}}), {4, 0}, 1);
  const Batch whole = whole_graph(data, "gcn", kNative);
  const std::vector<GraphFilter> filters{{{1}}, {{0.5, 0.25, 0.25}}};
  const auto found = diffuse(whole.adjacency.layer(0), columns_of(whole.features, 0, 1), filters);
  EXPECT_LT(largest_difference(found[0], at::tensor(std::vector<float>{4, 0}).view({2, 1})), 1e-6);
  EXPECT_LT(largest_difference(found[1], at::tensor(std::vector<float>{3, 1}).view({2, 1})), 1e-6);
}

// A directed, weighted graph, so that A and A' differ.
TEST(Diffusion, MultipliesAsTheMatrixThatItNeverForms) {
  const at::Tensor values = noise(7, 5, 1);
  const Dataset data =
      with_features(weighted_graph(7, hub_edges()),
                    std::vector<float>(values.data_ptr<float>(), values.data_ptr<float>() + 35), 5);
  const GraphFilter filter{{0.3, 0.2, 0.5}};
  for (const Device& device : {kNative, kPlain}) {
    const Batch whole = whole_graph(data, "gcn", device);
    const at::Tensor formed =
        diffuse(whole.adjacency.layer(0), whole.features.dense(), std::span(&filter, 1))[0];
    const DiffusedTall tall(whole, filter);
    const at::Tensor p = noise(5, 3, 2), q = noise(7, 2, 3);
    EXPECT_LT(largest_difference(tall.times(p), at::mm(formed, p)), 1e-5);
    EXPECT_LT(largest_difference(tall.transposed_times(q), at::mm(formed.t(), q)), 1e-5);
    EXPECT_FALSE(tall.block(0, 1).defined());
  }
}

// Rows of (f(A) X) on the same two nodes, X = ((4, 0), (0, 4)): 3, 1 and 1, 3.
TEST(Diffusion, TransformsRowsToSharesPowersOrUnitLength) {
  const Dataset data = with_features(undirected_graph(2, {{0, 1}}), {4, 0, 0, 4}, 2);
  const Batch whole = whole_graph(data, "gcn", kNative);
  const auto first_row = [&](Transform transform) {
    at::Tensor out;
    FilteredFeatures(whole, {{{0.5, 0.5}}}, transform)
        .visit([&](int64_t, std::span<const at::Tensor> parts) { out = parts[0][0].clone(); });
    return std::vector<float>(out.data_ptr<float>(), out.data_ptr<float>() + 2);
  };
  EXPECT_THAT(first_row(Transform::none),
              testing::ElementsAre(testing::FloatEq(3), testing::FloatEq(1)));
  EXPECT_THAT(first_row(Transform::shares),
              testing::ElementsAre(testing::FloatEq(std::sqrt(0.75f)), testing::FloatEq(0.5f)));
  const float long_side = std::pow(3.0f, 0.625f), length = std::hypot(long_side, 1.0f);
  EXPECT_THAT(
      first_row(Transform::powers),
      testing::ElementsAre(testing::FloatEq(long_side / length), testing::FloatEq(1 / length)));
  EXPECT_THAT(first_row(Transform::unit),
              testing::ElementsAre(testing::FloatEq(3 / std::sqrt(10.0f)),
                                   testing::FloatEq(1 / std::sqrt(10.0f))));
}

TEST(Diffusion, NegativeFeaturesHaveNoSharesOrPowers) {
  const Dataset data = with_features(undirected_graph(2, {{0, 1}}), {4, -1}, 1);
  const Batch whole = whole_graph(data, "gcn", kNative);
  for (const Transform transform : {Transform::shares, Transform::powers})
    EXPECT_THAT(error_of(ErrorKind::data, [&] { FilteredFeatures(whole, {{{1}}}, transform); }),
                testing::HasSubstr("negative"));
}

TEST(Diffusion, HopZeroOfWordsStaysSparse) {
  const Dataset data = topical_graph(5, 0.8);
  const Batch native = whole_graph(data, "gcn", kNative), plain = whole_graph(data, "gcn", kPlain);
  for (const Transform transform :
       {Transform::none, Transform::shares, Transform::powers, Transform::unit}) {
    const FilteredFeatures sparse(native, {{{1}}}, transform), dense(plain, {{{1}}}, transform);
    ASSERT_NE(sparse.sparse(0), nullptr);
    ASSERT_EQ(dense.sparse(0), nullptr);
    const at::Tensor all = sparse.sparse(0)->apply(at::eye(data.features.width()));
    dense.visit([&](int64_t begin, std::span<const at::Tensor> parts) {
      EXPECT_LT(largest_difference(parts[0], all.slice(1, begin, begin + parts[0].size(1))), 1e-6);
    });
    EXPECT_LT(largest_difference(sparse.magnitudes(), dense.magnitudes()), 1e-5);
  }
}

}  // namespace
}  // namespace gs::test
