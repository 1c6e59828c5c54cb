// The transposed sparse product against sums written out, without libtorch: these run under the
// sanitizers.
#include "kernels/scatter.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "kernels/dropout.h"
#include "support/graphs.h"

namespace gs {
namespace {

std::vector<float> random_values(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> out(static_cast<size_t>(count));
  for (float& x : out) x = static_cast<float>(2 * random.uniform() - 1);
  return out;
}

struct Words {  // rows of a few words each; row 0 has none, row 1 has all
  int64_t rows, columns, width, split;
  bool weighted;
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> indices;
  std::vector<float> values, x;
  std::vector<uint32_t> bits;

  Words(int64_t rows, int64_t columns, int64_t width, bool weighted)
      : rows(rows), columns(columns), width(width), split(width / 3), weighted(weighted) {
    Random random(3);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < (r == 0 ? 0 : r == 1 ? columns : 3); ++i)
        indices.push_back(static_cast<int32_t>(r == 1 ? i : random.below(columns)));
      offsets.push_back(static_cast<int64_t>(indices.size()));
    }
    values = random_values(static_cast<int64_t>(indices.size()), 4);
    x = random_values(rows * width, 5);
    const DropoutRule rules[] = {dropout_rule(9, 0.4)};
    bits.resize(static_cast<size_t>(rows * bit_words(width)));
    kept_bits(rules, 0, rows, width, bits.data());
  }
  bool kept(int64_t r, int64_t c) const {
    return (bits[static_cast<size_t>(r * bit_words(width) + c / 32)] >> (c % 32) & 1) != 0;
  }

  struct Result {
    std::vector<float> first, second;
    std::vector<double> bias;
    bool operator==(const Result&) const = default;
  };
  Result run() const {
    Result out{std::vector<float>(static_cast<size_t>(split * columns), -99),
               std::vector<float>(static_cast<size_t>((width - split) * columns), -99),
               std::vector<double>(static_cast<size_t>(width), -99)};
    Scatter call;
    call.matrix = {rows, columns, offsets.data(), indices.data(),
                   weighted ? values.data() : nullptr};
    call.x = x.data(), call.x_stride = call.width = width;
    call.before = {nullptr, bits.data(), 1.5f, out.bias.data()};
    call.y = out.first.data(), call.y_next = out.second.data();
    call.y_stride = columns, call.split = split;
    scatter(call);
    return out;
  }
};

TEST(Scatter, IsTheSumWrittenOut) {
  for (const auto& [rows, columns] : {std::pair{2, 1}, {5, 9}, {2000, 30}, {40, 3000}})
    for (const int64_t width : {3, 16, 17, 100, 700})
      for (const bool weighted : {false, true}) {
        const Words words(rows, columns, width, weighted);
        const Words::Result got = words.run();
        std::vector<double> sums(static_cast<size_t>(columns * width)), bias(got.bias.size());
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t c = 0; c < width; ++c) {
            const double g = words.kept(r, c) ? 1.5 * words.x[r * width + c] : 0;
            bias[c] += g;
            for (int64_t e = words.offsets[r]; e < words.offsets[r + 1]; ++e)
              sums[words.indices[e] * width + c] += g * (weighted ? words.values[e] : 1);
          }
        for (int64_t c = 0; c < width; ++c) {
          ASSERT_NEAR(got.bias[c], bias[c], 1e-4 * (1 + std::abs(bias[c])));
          for (int64_t u = 0; u < columns; ++u)
            ASSERT_NEAR(c < words.split ? got.first[c * columns + u]
                                        : got.second[(c - words.split) * columns + u],
                        sums[u * width + c], 1e-4 * (1 + std::abs(sums[u * width + c])))
                << rows << " x " << columns << ", width " << width << ", column " << c;
        }
      }
}

TEST(Scatter, AnyNumberOfThreadsGivesTheSameBits) {
  const Words words(3000, 50, 130, true);
  const Words::Result expected = words.run();
  for (const int count : {1, 2, 3, 16}) {
    const ThreadScope threads(count);
    EXPECT_EQ(words.run(), expected) << count;
  }
}

TEST(Scatter, PaysForFewWordsARow) {
  const std::vector<int64_t> few{0, 5, 10}, many{0, 500, 1000};
  EXPECT_TRUE(scatter_pays({2, 1000, few.data(), nullptr, nullptr}));
  EXPECT_FALSE(scatter_pays({2, 1000, many.data(), nullptr, nullptr}));
  EXPECT_FALSE(scatter_pays({2, 1000000, few.data(), nullptr, nullptr}));
}

}  // namespace
}  // namespace gs
