// Features of generated graphs.
#include <gtest/gtest.h>

#include <cmath>

#include "dataset/generate/generate.h"
#include "support/graphs.h"

namespace gs {
namespace {

GenerateOptions small() { return {.nodes = 1000, .edges = 12000, .features = 8}; }

// Squared distance between two class means, estimated from the samples, less what noise alone would
// give.
double class_distance(const Dataset& data, int32_t a, int32_t b) {
  const DenseMatrix& m = data.features.dense_matrix();
  std::vector<double> mean[2]{std::vector<double>(m.columns), std::vector<double>(m.columns)};
  double counts[2] = {};
  for (int64_t v = 0; v < data.nodes(); ++v) {
    const int32_t c = data.labels.single[v];
    if (c != a && c != b) continue;
    ++counts[c == b];
    for (int64_t j = 0; j < m.columns; ++j) mean[c == b][j] += m.row(v)[j];
  }
  double square = 0;
  for (int64_t j = 0; j < m.columns; ++j)
    square += std::pow(mean[0][j] / counts[0] - mean[1][j] / counts[1], 2);
  return std::sqrt(
      std::max(0.0, square - static_cast<double>(m.columns) * (1 / counts[0] + 1 / counts[1])));
}

TEST(GenerateFeatures, SignalIsTheDistanceBetweenClassMeans) {
  GenerateOptions options = small();
  options.nodes = 8000, options.features = 128, options.classes = 2;
  options.signal = 3;
  EXPECT_NEAR(class_distance(generate(options), 0, 1), 3, 0.4);
  options.signal = 0;
  EXPECT_NEAR(class_distance(generate(options), 0, 1), 0, 0.15);
}

// Share of nodes whose own class is the nearest mean, the means taken from the same rows.
double nearest_mean_accuracy(const std::vector<double>& rows, const Labels& labels, int64_t width) {
  const int64_t nodes = labels.single.size();
  std::vector<double> means(labels.classes * width), counts(labels.classes);
  for (int64_t v = 0; v < nodes; ++v) {
    ++counts[labels.single[v]];
    for (int64_t j = 0; j < width; ++j) means[labels.single[v] * width + j] += rows[v * width + j];
  }
  int64_t right = 0;
  for (int64_t v = 0; v < nodes; ++v) {
    int64_t best = 0;
    double least = HUGE_VAL;
    for (int64_t c = 0; c < labels.classes; ++c) {
      double distance = 0;
      for (int64_t j = 0; j < width; ++j)
        distance += std::pow(rows[v * width + j] - means[c * width + j] / counts[c], 2);
      if (distance < least) least = distance, best = c;
    }
    right += best == labels.single[v];
  }
  return static_cast<double>(right) / static_cast<double>(nodes);
}

std::vector<double> neighbor_means(const Csr& graph, const std::vector<double>& rows,
                                   int64_t width) {
  std::vector<double> out = rows;
  for (int64_t v = 0; v < graph.nodes(); ++v) {
    for (const int32_t u : graph.row(v))
      for (int64_t j = 0; j < width; ++j) out[v * width + j] += rows[u * width + j];
    for (int64_t j = 0; j < width; ++j)
      out[v * width + j] /= static_cast<double>(graph.degree(v) + 1);
  }
  return out;
}

TEST(GenerateFeatures, ByDefaultANodeAloneTellsLittleAndItsNeighborhoodMuch) {
  const Dataset data = generate({});
  const int64_t width = data.features.width();
  const auto& values = data.features.dense_matrix().values;
  const std::vector<double> raw(values.begin(), values.end());
  const auto smooth = neighbor_means(data.graph, neighbor_means(data.graph, raw, width), width);
  EXPECT_LT(nearest_mean_accuracy(raw, data.labels, width), 0.5);
  EXPECT_GT(nearest_mean_accuracy(smooth, data.labels, width), 0.75);
}

TEST(GenerateFeatures, WordsAreSparseSortedAndAsManyAsAsked) {
  GenerateOptions options = small();
  options.feature_kind = FeatureKind::words;
  options.features = 500, options.words = 12;
  const Dataset data = generate(options);
  ASSERT_TRUE(data.features.sparse());
  const SparseMatrix& m = data.features.sparse_matrix();
  EXPECT_EQ(m.columns, 500);
  EXPECT_TRUE(m.values.empty());
  EXPECT_NEAR(static_cast<double>(m.nonzeros()) / 1000, 12, 0.6);
  ASSERT_EQ(m.offsets[1000], m.nonzeros());
  for (int64_t v = 0; v < 1000; ++v) {
    const auto row = m.indices.slice(m.offsets[v], m.offsets[v + 1]);
    EXPECT_TRUE(std::is_sorted(row.begin(), row.end(), std::less_equal<>())) << "row " << v;
    for (const int32_t word : row) EXPECT_TRUE(word >= 0 && word < 500);
  }
}

// Sum over words of the squared difference of two classes' frequencies, over their mean, as a
// chi-square statistic.
double word_difference(const Dataset& data) {
  const SparseMatrix& m = data.features.sparse_matrix();
  std::vector<double> counts[2]{std::vector<double>(m.columns), std::vector<double>(m.columns)};
  for (int64_t v = 0; v < m.rows; ++v)
    for (int64_t k = m.offsets[v]; k < m.offsets[v + 1]; ++k)
      ++counts[data.labels.single[v]][m.indices[k]];
  double out = 0;
  for (int64_t w = 0; w < m.columns; ++w)
    if (const double both = counts[0][w] + counts[1][w]; both > 0)
      out += std::pow(counts[0][w] - counts[1][w], 2) / both;
  return out;
}

TEST(GenerateFeatures, TopicsShowInTheWordsOnlyWithSignal) {
  GenerateOptions options = small();
  options.feature_kind = FeatureKind::words;
  options.features = 100, options.classes = 2;
  EXPECT_GT(word_difference(generate(options)), 400);
  options.signal = 0;
  EXPECT_LT(word_difference(generate(options)), 180);  // chi-square of about 100 degrees
}

}  // namespace
}  // namespace gs
