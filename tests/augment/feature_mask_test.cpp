#include "augment/feature_mask.h"

#include <gtest/gtest.h>

#include <numeric>

#include "nn/features.h"
#include "nn/ops/linear.h"
#include "support/gradients.h"
#include "support/statistics.h"

namespace gs {
namespace {

const Device kDouble{at::kCPU, at::kDouble}, kNative{at::kCPU, at::kFloat, true};

TEST(FeatureMask, MasksEachColumnAsOftenAsItsProbabilitySays) {
  const std::vector<float> each{0, 0.2f, 0.5f, 0.7f};
  std::vector<double> masked(4);
  constexpr double kDraws = 4000;
  for (int draw = 0; draw < kDraws; ++draw) {
    const at::Tensor mask = column_mask(4, {0, each, Random(3).fork("draw", draw)}, kDouble);
    for (int c = 0; c < 4; ++c) masked[c] += mask[c].item<double>() == 0 ? 1 : 0;
  }
  EXPECT_EQ(masked[0], 0);
  std::vector<double> counts, expected;
  for (int c = 1; c < 4; ++c) {
    counts.insert(counts.end(), {masked[c], kDraws - masked[c]});
    expected.insert(expected.end(), {kDraws * each[c], kDraws * (1 - each[c])});
  }
  EXPECT_LT(test::chi_square(counts, expected), test::chi_square_limit(3));
}

TEST(FeatureMask, ByOneProbabilityKeepsItsShare) {
  const double kept = column_mask(20000, {0.3, {}, Random(1)}, kDouble).sum().item<double>();
  EXPECT_NEAR(kept, 14000, 4 * std::sqrt(20000 * 0.3 * 0.7));
  EXPECT_FALSE(column_mask(20, {}, kDouble).defined());
}

TEST(RowShuffle, IsAPermutationAndFair) {
  constexpr int kRows = 5, kDraws = 5000;
  std::vector<double> places(kRows * kRows), expected(kRows * kRows, double{kDraws} / kRows);
  for (int draw = 0; draw < kDraws; ++draw) {
    const at::Tensor order = row_shuffle(kRows, Random(2).fork("draw", draw), kDouble);
    EXPECT_TRUE(at::equal(std::get<0>(order.sort()), at::arange(kRows)));
    for (int i = 0; i < kRows; ++i) places[i * kRows + order[i].item<int64_t>()] += 1;
  }
  EXPECT_LT(test::chi_square(places, expected), test::chi_square_limit((kRows - 1) * (kRows - 1)));
}

Features sparse_features() {
  return {SparseMatrix{4, 3, std::vector<int64_t>{0, 2, 2, 3, 5},
                       std::vector<int32_t>{0, 2, 1, 0, 1}, std::vector<float>{1, 2, 3, 4, 5}}};
}

// A view computes what its copy would, sparse or dense, forward and backward, whole or sliced.
TEST(InputView, ComputesWhatItsCopyWould) {
  const at::Tensor dense =
      at::tensor({1., 0., 2., 0., 0., 0., 0., 3., 0., 4., 5., 0.}).view({4, 3});
  const at::Tensor mask = at::tensor({1., 0., 1.}), order = at::tensor({2, 0, 3, 1}, at::kLong);
  const at::Tensor expected = (dense * mask).index_select(0, order);
  for (const bool sparse : {true, false})
    for (const Device& device : {kDouble, kNative}) {
      Input plain(dense.to(device.options()));
      if (sparse) {
        plain = make_input(sparse_features(), device);
        if (!plain.sparse()) continue;
      }
      const Input view = plain.masked(mask.to(device.options())).ordered(order);
      EXPECT_EQ(view.rows(), 4);
      at::Tensor w = test::random_tensor({2, 3}, 1, false).to(device.options());
      w.set_requires_grad(true);
      const at::Tensor other = w.detach().clone().set_requires_grad(true);
      const at::Tensor y = linear(view, w, Epilogue::none(device.native));
      const at::Tensor z = at::mm(expected.to(device.options()), other.t());
      EXPECT_TRUE(at::allclose(y, z, 1e-6));
      EXPECT_TRUE(at::allclose(view.times(w), z, 1e-6));
      const at::Tensor g = test::random_tensor({4, 2}, 2, false).to(device.options());
      (y * g).sum().backward();
      (z * g).sum().backward();
      EXPECT_TRUE(at::allclose(w.grad(), other.grad(), 1e-5));
      EXPECT_TRUE(at::allclose(view.slice(1, 3).times(w), z.slice(0, 1, 3), 1e-6));
      if (!sparse) {
        EXPECT_TRUE(at::allclose(view.dense(), expected.to(device.options())));
      }
    }
}

}  // namespace
}  // namespace gs
