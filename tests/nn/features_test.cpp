#include "nn/features.h"

#include <gtest/gtest.h>

#include "support/gradients.h"

namespace gs {
namespace {

using test::random_tensor;

const Device kDouble{at::kCPU, at::kDouble};
constexpr int64_t kRows = 5;

// Rows with 4, 0, 2, 0 and 1 entries; `width` decides how dense that is.
Features sparse_features(int64_t width, bool values = true) {
  SparseMatrix out{kRows,
                   width,
                   std::vector<int64_t>{0, 4, 4, 6, 6, 7},
                   std::vector<int32_t>{0, 1, 2, 3, 0, 2, 3},
                   {}};
  if (values) out.values = std::vector<float>{1, -2, 3, 0.5, 4, -1, 2};
  return {out};
}

at::Tensor as_tensor(const Features& features) {
  const SparseMatrix& m = features.sparse_matrix();
  at::Tensor out = at::zeros({m.rows, m.columns}, at::kDouble);
  for (int64_t r = 0; r < m.rows; ++r)
    for (int64_t e = m.offsets[r]; e < m.offsets[r + 1]; ++e)
      out[r][m.indices[e]] = m.values.empty() ? 1.0 : m.values[e];
  return out;
}

double largest(const at::Tensor& difference) { return difference.abs().max().item<double>(); }

// Few entries stay sparse, many become dense: to a layer it is the same, forward, backward and in
// slices.
TEST(Input, SparseFeaturesAreTheirMatrixHoweverTheyAreKept) {
  for (const int64_t width : {4, 200})
    for (const bool values : {true, false}) {
      const Features features = sparse_features(width, values);
      const Input input = make_input(features, kDouble);
      EXPECT_EQ(input.sparse(), width == 200);
      EXPECT_EQ(input.rows(), kRows);
      EXPECT_EQ(input.width(), width);
      const at::Tensor matrix = as_tensor(features), factor = random_tensor({kRows, 3}, 8, false);
      const at::Tensor weight = random_tensor({3, width}, 7),
                       twin = weight.detach().clone().set_requires_grad(true);
      const at::Tensor ours = input.times(weight), theirs = at::mm(matrix, twin.t());
      EXPECT_LT(largest(ours - theirs), 1e-12);
      (ours * factor).sum().backward();
      (theirs * factor).sum().backward();
      EXPECT_LT(largest(weight.grad() - twin.grad()), 1e-12);
      for (const auto& [begin, end] : {std::pair{0, 5}, {1, 2}, {2, 5}})
        EXPECT_LT(largest(input.slice(begin, end).times(weight) - theirs.slice(0, begin, end)),
                  1e-12);
    }
}

TEST(Input, DenseFloatsOnTheCpuAreUsedWhereTheyLie) {
  const Array<float> values(std::vector<float>{1, 2, 3, 4, 5, 6});
  const Features features{DenseMatrix{2, 3, values}};
  const Input input = make_input(features, {at::kCPU, at::kFloat});
  EXPECT_EQ(input.dense().const_data_ptr<float>(), values.data());
  EXPECT_EQ(input.dense()[1][0].item<float>(), 4);
  EXPECT_EQ(make_input(features, kDouble).dense()[1][2].item<double>(), 6);
}

// 300 rows of one entry each in 1000 columns, so that more than two lines of the mask are needed.
TEST(Input, DroppedSparseFeaturesAreTheSameOnBothKernels) {
  constexpr int64_t kMany = 300, kWide = 1000;
  std::vector<int64_t> offsets(kMany + 1);
  std::vector<int32_t> indices(kMany);
  for (int64_t r = 0; r < kMany; ++r) {
    offsets[static_cast<size_t>(r) + 1] = r + 1;
    indices[static_cast<size_t>(r)] = static_cast<int32_t>(r * 7 % kWide);
  }
  for (const bool values : {false, true}) {
    SparseMatrix m{kMany, kWide, offsets, indices, {}};
    if (values) m.values = std::vector<float>(kMany, 2);
    const Features features{m};
    const std::vector<DropoutRule> rule{dropout_rule(5, 0.25)};
    const at::Tensor ones = at::ones({1, kWide});
    at::Tensor sums[2], gradients[2];
    for (const bool native : {false, true}) {
      const Input input = make_input(features, {at::kCPU, at::kFloat, native});
      ASSERT_TRUE(input.sparse());
      EXPECT_TRUE(input.dropped({}, native).times(ones).equal(input.times(ones)));
      const at::Tensor weight = ones.clone().set_requires_grad(true);
      const at::Tensor y = input.dropped(rule, native).times(weight);
      (y * at::arange(kMany).unsqueeze(1)).sum().backward();
      sums[native] = y.detach(), gradients[native] = weight.grad();
    }
    EXPECT_TRUE(sums[0].allclose(sums[1]));
    EXPECT_TRUE(gradients[0].allclose(gradients[1]));
    const double kept = sums[1].count_nonzero().item<double>() / kMany;
    EXPECT_NEAR(kept, 0.75, 0.1);
    EXPECT_NEAR(sums[1].max().item<double>(), (values ? 2 : 1) / 0.75, 1e-4);
  }
}

TEST(Input, DroppedDenseFeaturesKeepTheirMeanAndThemselves) {
  const at::Tensor x = at::ones({40, 50});
  const Input dropped = Input(x).dropped({dropout_rule(5, 0.5)}, true);
  EXPECT_NEAR(dropped.dense().mean().item<double>(), 1, 0.1);
  EXPECT_EQ(dropped.dense().max().item<double>(), 2);
  EXPECT_TRUE(x.equal(at::ones({40, 50})));
}

}  // namespace
}  // namespace gs
