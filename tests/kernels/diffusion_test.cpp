// Tiles of a diffusion against sums written out, without libtorch: these run under the sanitizers.
#include "kernels/diffusion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace gs {
namespace {

std::vector<float> mixed_floats(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> out(static_cast<size_t>(count));
  for (float& x : out) x = static_cast<float>(2 * random.uniform() - 1);
  return out;
}

struct Hops {
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> indices;
  std::vector<float> values, row_scale, column_scale, self;

  explicit Hops(int64_t nodes) {  // node 0 has no neighbors
    Random random(3);
    for (int64_t r = 0; r < nodes; ++r) {
      for (int64_t i = 0; i < r % 7; ++i)
        indices.push_back(static_cast<int32_t>(random.below(nodes)));
      offsets.push_back(static_cast<int64_t>(indices.size()));
    }
    values = mixed_floats(static_cast<int64_t>(indices.size()), 4);
    row_scale = mixed_floats(nodes, 5), column_scale = mixed_floats(nodes, 6);
    self = mixed_floats(nodes, 7);
  }
  int64_t nodes() const { return static_cast<int64_t>(offsets.size()) - 1; }
  // All that may be there, or a bare adjacency.
  Diffusion call(bool full) const {
    Diffusion out;
    out.matrix = {nodes(), nodes(), offsets.data(), indices.data(), full ? values.data() : nullptr};
    if (full)
      out.row_scale = row_scale.data(), out.column_scale = column_scale.data(),
      out.self = self.data();
    out.coefficients = {{0.5f, -0.25f, 0.125f}, {2.0f}, {0, 0, 0, 1}};
    return out;
  }
  std::vector<double> hop(const std::vector<double>& x, bool full) const {
    std::vector<double> out(x.size());
    const auto column = [&](int64_t u) { return full ? double{column_scale[u]} : 1.0; };
    for (int64_t r = 0; r < nodes(); ++r)
      for (int64_t c = 0; c < kTileColumns; ++c) {
        double sum = full ? self[r] * column(r) * x[r * kTileColumns + c] : 0;
        for (int64_t e = offsets[r]; e < offsets[r + 1]; ++e)
          sum += (full ? values[e] : 1) * column(indices[e]) * x[indices[e] * kTileColumns + c];
        out[r * kTileColumns + c] = sum * (full ? row_scale[r] : 1);
      }
    return out;
  }
};

TEST(Diffusion, IsTheSumOfTheHopsOfEveryPolynomial) {
  for (const int64_t nodes : {1, 2, 90})
    for (const bool full : {false, true}) {
      const Hops hops(nodes);
      const Diffusion call = hops.call(full);
      std::vector<float> x = mixed_floats(nodes * kTileColumns, 1), next(x.size());
      std::vector<double> power(x.begin(), x.end());
      std::vector<std::vector<double>> expected(3, std::vector<double>(x.size()));
      for (size_t k = 0; k < 4; ++k, power = hops.hop(power, full))
        for (size_t f = 0; f < 3; ++f)
          for (size_t i = 0; i < power.size() && k < call.coefficients[f].size(); ++i)
            expected[f][i] += call.coefficients[f][k] * power[i];
      std::vector<std::vector<float>> found(3, std::vector<float>(x.size(), -99));
      float* const out[] = {found[0].data(), found[1].data(), found[2].data()};
      diffuse_tile(call, x.data(), next.data(), out);
      for (size_t f = 0; f < 3; ++f)
        for (size_t i = 0; i < power.size(); ++i)
          ASSERT_NEAR(found[f][i], expected[f][i], 1e-4 * std::max(1.0, std::abs(expected[f][i])));
    }
}

TEST(Diffusion, TilesAreScaledRootedCutAndSummed) {
  constexpr int64_t kRows = 300, kWidth = 5, kStride = 7;  // more than one block of sums
  const std::vector<float> tile = mixed_floats(kRows * kTileColumns, 8),
                           scale = mixed_floats(kRows, 9);
  for (const bool root : {false, true}) {
    std::vector<float> y(kRows * kStride, -99);
    std::vector<double> sums(kWidth), squares(kWidth), sum(kWidth), square(kWidth);
    put_tile(tile.data(), {.rows = kRows,
                           .width = kWidth,
                           .row_scale = scale.data(),
                           .root = root,
                           .y = y.data(),
                           .y_stride = kStride,
                           .sums = sums.data(),
                           .squares = squares.data()});
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t c = 0; c < kWidth; ++c) {
        double wanted = tile[r * kTileColumns + c] * scale[r];
        if (root) wanted = std::sqrt(std::max(0.0, wanted));
        ASSERT_NEAR(y[r * kStride + c], wanted, 1e-6);
        sum[c] += wanted, square[c] += wanted * wanted;
      }
      for (int64_t c = kWidth; c < kStride; ++c) ASSERT_EQ(y[r * kStride + c], -99);
    }
    for (int64_t c = 0; c < kWidth; ++c) {
      EXPECT_NEAR(sums[c], sum[c], 1e-3);
      EXPECT_NEAR(squares[c], square[c], 1e-3);
    }
  }
}

}  // namespace
}  // namespace gs
