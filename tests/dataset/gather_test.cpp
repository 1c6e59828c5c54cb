#include "dataset/gather.h"

#include <gtest/gtest.h>

#include "support/graphs.h"

namespace gs {
namespace {

using namespace gs::test;
using Ids = std::vector<int32_t>;

TEST(Gather, CopiesDenseRowsInTheGivenOrder) {
  const Features features{DenseMatrix{3, 2, std::vector<float>{0, 1, 10, 11, 20, 21}}};
  const Features out = gather(features, Ids{2, 0, 2});
  EXPECT_EQ(out.rows(), 3);
  EXPECT_EQ(out.width(), 2);
  EXPECT_EQ(to_vector(out.dense_matrix().values), (std::vector<float>{20, 21, 0, 1, 20, 21}));
}

TEST(Gather, CopiesSparseRowsWithAndWithoutValues) {
  SparseMatrix matrix{3, 9, std::vector<int64_t>{0, 2, 2, 3}, Ids{1, 5, 8}, {}};
  const Features plain = gather({matrix}, Ids{2, 1, 0});
  EXPECT_EQ(plain.width(), 9);
  EXPECT_EQ(to_vector(plain.sparse_matrix().offsets), (std::vector<int64_t>{0, 1, 1, 3}));
  EXPECT_EQ(to_vector(plain.sparse_matrix().indices), (Ids{8, 1, 5}));
  EXPECT_TRUE(plain.sparse_matrix().values.empty());
  matrix.values = std::vector<float>{0.1f, 0.5f, 0.8f};
  EXPECT_EQ(to_vector(gather({matrix}, Ids{2, 0}).sparse_matrix().values),
            (std::vector<float>{0.8f, 0.1f, 0.5f}));
}

TEST(Gather, OfNoRowsOrNoColumnsIsEmpty) {
  const Features features{DenseMatrix{2, 2, std::vector<float>{0, 1, 2, 3}}};
  EXPECT_EQ(gather(features, {}).rows(), 0);
  EXPECT_EQ(gather(features, {}).width(), 2);
  EXPECT_EQ(gather(Features{}, Ids{4, 5}).rows(), 2);
  EXPECT_EQ(gather(Features{}, Ids{4, 5}).width(), 0);
  const SparseMatrix empty{2, 3, std::vector<int64_t>{0, 0, 0}, {}, {}};
  EXPECT_EQ(gather({empty}, Ids{1, 1, 0}).nonzeros(), 0);
}

TEST(Gather, AgreesWithRowsOfALargeMatrix) {
  const int64_t rows = 500, width = 1100;  // a row is longer than what is fetched ahead
  std::vector<float> values(static_cast<size_t>(rows * width));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 9973);
  const Features features{DenseMatrix{rows, width, values}};
  Random random(1);
  Ids chosen(700);
  for (int32_t& row : chosen) row = static_cast<int32_t>(random.below(rows));
  const Features out = gather(features, chosen);
  for (size_t i = 0; i < chosen.size(); ++i) {
    const auto from = features.dense_matrix().row(chosen[i]), to = out.dense_matrix().row(i);
    ASSERT_TRUE(std::equal(from.begin(), from.end(), to.begin(), to.end()));
  }
}

}  // namespace
}  // namespace gs
