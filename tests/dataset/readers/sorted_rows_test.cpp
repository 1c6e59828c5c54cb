#include "dataset/readers/sorted_rows.h"

#include <gmock/gmock.h>

namespace gs::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Few columns take the bitmap, many columns take the comparison sort.
class SortedRows : public testing::TestWithParam<int64_t> {
 protected:
  static SparseMatrix sorted(std::vector<int64_t> offsets, std::vector<int32_t> indices,
                             std::vector<float> values) {
    const auto rows = static_cast<int64_t>(offsets.size()) - 1;
    return sorted_rows(
        {rows, GetParam(), std::move(offsets), std::move(indices), std::move(values)});
  }
};

TEST_P(SortedRows, SortsAndAddsUpRepeatedEntries) {
  const SparseMatrix matrix = sorted({0, 4, 4, 7}, {3, 1, 3, 0, 2, 1, 1}, {1, 2, .5, 4, 8, 3, -3});
  EXPECT_EQ(matrix.columns, GetParam());
  EXPECT_THAT(matrix.offsets.span(), ElementsAre(0, 3, 3, 5));
  EXPECT_THAT(matrix.indices.span(), ElementsAre(0, 1, 3, 1, 2));
  EXPECT_THAT(matrix.values.span(), ElementsAre(4, 2, 1.5, 0, 8));
}

TEST_P(SortedRows, LeavesOutValuesThatAreAllOne) {
  const SparseMatrix unsorted = sorted({0, 3, 4}, {3, 0, 1, 2}, {1, 1, 1, 1});
  EXPECT_THAT(unsorted.indices.span(), ElementsAre(0, 1, 3, 2));
  EXPECT_THAT(unsorted.values.span(), IsEmpty());
  const SparseMatrix ascending = sorted({0, 2}, {0, 3}, {1, 1});
  EXPECT_THAT(ascending.indices.span(), ElementsAre(0, 3));
  EXPECT_THAT(ascending.values.span(), IsEmpty());
  EXPECT_THAT(sorted({0, 3}, {2, 0, 2}, {.5, 1, .5}).values.span(), IsEmpty());
}

TEST_P(SortedRows, CountsRepeatedOnes) {
  for (const std::vector<float>& ones : {std::vector<float>{}, std::vector<float>(4, 1)}) {
    const SparseMatrix matrix = sorted({0, 3, 4}, {2, 0, 2, 1}, ones);
    EXPECT_THAT(matrix.offsets.span(), ElementsAre(0, 2, 3));
    EXPECT_THAT(matrix.indices.span(), ElementsAre(0, 2, 1));
    EXPECT_THAT(matrix.values.span(), ElementsAre(1, 2, 1));
  }
}

TEST_P(SortedRows, TakesAnEmptyMatrix) {
  EXPECT_EQ(sorted({0}, {}, {}).nonzeros(), 0);
  EXPECT_EQ(sorted({0, 0, 0}, {}, {}).nonzeros(), 0);
}

INSTANTIATE_TEST_SUITE_P(Widths, SortedRows, testing::Values(4, 100000));

}  // namespace
}  // namespace gs::test
