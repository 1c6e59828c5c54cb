// The sparse product against sums written out, without libtorch: these run under the sanitizers.
#include "kernels/spmm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/dropout.h"
#include "support/graphs.h"

namespace gs {
namespace {

std::vector<float> random_floats(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> out(static_cast<size_t>(count));
  for (float& x : out) x = static_cast<float>(2 * random.uniform() - 1);
  return out;
}

struct Example {
  int64_t rows, columns, width;
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> indices;
  std::vector<float> values, x, row_scale, column_scale;

  // Row 0 is empty, row 1 a hub that hears from everyone.
  Example(int64_t rows, int64_t columns, int64_t width, int64_t per_row)
      : rows(rows), columns(columns), width(width) {
    Random random(3);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < (r == 0 ? 0 : r == 1 ? columns : per_row); ++i)
        indices.push_back(static_cast<int32_t>(r == 1 ? i : random.below(columns)));
      offsets.push_back(static_cast<int64_t>(indices.size()));
    }
    values = random_floats(static_cast<int64_t>(indices.size()), 4);
    x = random_floats(columns * width, 5);
    row_scale = random_floats(rows, 6), column_scale = random_floats(columns, 7);
  }
  Spmm call(std::vector<float>& y) const {
    y.assign(static_cast<size_t>(rows * width), -99);
    Spmm out;
    out.matrix = {rows, columns, offsets.data(), indices.data(), values.data()};
    out.row_scale = row_scale.data(), out.column_scale = column_scale.data();
    out.x = x.data(), out.y = y.data();
    out.x_stride = out.y_stride = out.width = width;
    return out;
  }
  double expected(int64_t r, int64_t c) const {
    double sum = 0;
    for (int64_t e = offsets[r]; e < offsets[r + 1]; ++e)
      sum += static_cast<double>(values[e]) * column_scale[indices[e]] * x[indices[e] * width + c];
    return sum * row_scale[r];
  }
};

TEST(Spmm, IsTheSumWrittenOut) {
  for (const auto& [rows, columns, per_row] :
       {std::tuple{2, 1, 1}, {5, 9, 3}, {200, 100, 30}, {30, 5000, 4000}})
    for (const int64_t width : {1, 15, 16, 17, 64, 100})
      for (const bool direct : {false, true}) {
        const Example example(rows, columns, width, per_row);
        std::vector<float> y;
        Spmm call = example.call(y);
        call.direct = direct;
        spmm(call);
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t c = 0; c < width; ++c)
            ASSERT_NEAR(y[r * width + c], example.expected(r, c), 2e-4)
                << rows << " x " << columns << ", width " << width << ", row " << r;
      }
}

TEST(Spmm, TransposedOperandsInTwoParts) {
  const Example example(50, 40, 70, 12);
  std::vector<float> straight, y;
  spmm(example.call(straight));
  std::vector<float> first(30 * 40), second(40 * 40), out1(30 * 50), out2(40 * 50);
  for (int64_t u = 0; u < 40; ++u)
    for (int64_t c = 0; c < 70; ++c)
      (c < 30 ? first[c * 40 + u] : second[(c - 30) * 40 + u]) = example.x[u * 70 + c];
  Spmm call = example.call(y);
  call.x_transposed = call.y_transposed = true;
  call.x = first.data(), call.x_next = second.data(), call.x_stride = 40;
  call.y = out1.data(), call.y_next = out2.data(), call.y_stride = 50;
  call.split = 30;
  spmm(call);
  for (int64_t r = 0; r < 50; ++r)
    for (int64_t c = 0; c < 70; ++c)
      EXPECT_EQ(c < 30 ? out1[c * 50 + r] : out2[(c - 30) * 50 + r], straight[r * 70 + c]);
}

TEST(Spmm, MoreThreadsThanRows) {
  const Example example(3, 4, 5, 2);
  std::vector<float> expected, y;
  spmm(example.call(expected));
  const ThreadScope threads(16);
  for (const bool direct : {false, true}) {
    Spmm call = example.call(y);
    call.direct = direct;
    spmm(call);
    EXPECT_EQ(y, expected);
  }
}

TEST(KeptBits, AreTheMask) {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {3, 31}, {5, 128}, {4, 417}, {2, 1000}})
    for (const int views : {1, 2, 3}) {
      std::vector<DropoutRule> rules;
      for (int v = 0; v < views; ++v) rules.push_back(dropout_rule(40 + v, 0.3));
      const int64_t words = bit_words(views * columns);
      std::vector<uint32_t> bits(static_cast<size_t>(rows * words), 0xDEADBEEF);
      kept_bits(rules, 7, rows, columns, bits.data());
      for (int v = 0; v < views; ++v) {
        std::vector<float> mask(static_cast<size_t>(rows * columns));
        dropout_mask(rules[v], 7, rows, columns, mask.data());
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t c = 0; c < columns; ++c) {
            const int64_t bit = v * columns + c;
            ASSERT_EQ((bits[r * words + bit / 32] >> (bit % 32) & 1) != 0,
                      mask[r * columns + c] != 0)
                << "view " << v << ", row " << r << ", column " << c;
          }
      }
    }
}

}  // namespace
}  // namespace gs
