#include "eval/clustering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/random.h"
#include "support/graphs.h"
#include "support/torch_threads.h"

namespace gs {
namespace {

using Ids = std::vector<int32_t>;

TEST(Compare, WorkedByHand) {
  const ClusteringScore same = compare(Ids{2, 2, 0, 1}, Ids{0, 0, 1, 2});
  EXPECT_DOUBLE_EQ(same.nmi, 1);
  EXPECT_DOUBLE_EQ(same.ari, 1);
  EXPECT_DOUBLE_EQ(same.accuracy, 1);

  const ClusteringScore crossed = compare(Ids{0, 1, 0, 1}, Ids{0, 0, 1, 1});
  EXPECT_NEAR(crossed.nmi, 0, 1e-12);
  EXPECT_DOUBLE_EQ(crossed.ari, -0.5);
  EXPECT_DOUBLE_EQ(crossed.accuracy, 0.5);

  const ClusteringScore part = compare(Ids{0, 0, 1, 1, 2, 2}, Ids{0, 0, 0, 1, 1, 1});
  EXPECT_NEAR(part.nmi, 2.0 / 3 * std::log(2) / ((std::log(2) + std::log(3)) / 2), 1e-12);
  EXPECT_NEAR(part.ari, 0.8 / 3.3, 1e-12);
  EXPECT_NEAR(part.accuracy, 4.0 / 6, 1e-12);
}

TEST(Compare, UnknownTruthsTakeNoPart) {
  const ClusteringScore all = compare(Ids{0, 0, 1, 1, 5}, Ids{0, 0, 0, 1, -1});
  const ClusteringScore known = compare(Ids{0, 0, 1, 1}, Ids{0, 0, 0, 1});
  EXPECT_DOUBLE_EQ(all.nmi, known.nmi);
  EXPECT_DOUBLE_EQ(all.ari, known.ari);
  EXPECT_DOUBLE_EQ(all.accuracy, known.accuracy);
}

TEST(LeastAssignment, IsTheBestOfAllPermutations) {
  Random random(1);
  for (int64_t n = 1; n <= 6; ++n)
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<double> cost(static_cast<size_t>(n * n));
      for (double& c : cost) c = static_cast<double>(random.below(20)) - 10;
      const auto sum = [&](const Ids& columns) {
        double total = 0;
        for (int64_t r = 0; r < n; ++r) total += cost[static_cast<size_t>(r * n + columns[r])];
        return total;
      };
      Ids order(static_cast<size_t>(n));
      std::iota(order.begin(), order.end(), 0);
      double least = sum(order);
      while (std::next_permutation(order.begin(), order.end())) least = std::min(least, sum(order));
      const Ids found = least_assignment(cost, n);
      EXPECT_TRUE(std::is_permutation(found.begin(), found.end(), order.begin()));
      EXPECT_DOUBLE_EQ(sum(found), least);
    }
}

// Four clouds far from each other, of different sizes, in shuffled rows.
struct Clouds {
  at::Tensor z = at::empty({400, 3});
  Ids truth;

  Clouds() {
    Random random(2);
    const float centers[4][3] = {{0, 0, 0}, {20, 0, 0}, {0, 20, 0}, {0, 0, 20}};
    for (int64_t i = 0; i < 400; ++i) {
      const int32_t cloud = i % 7 < 4 ? 0 : static_cast<int32_t>(i % 7 - 3);
      truth.push_back(cloud);
      for (int64_t c = 0; c < 3; ++c)
        z[i][c] = centers[cloud][c] + static_cast<float>(random.uniform());
    }
  }
};

TEST(KMeans, FindsCloudsThatAreFarApart) {
  const Clouds clouds;
  const ClusteringScore score = compare(k_means(clouds.z, 4, {}), clouds.truth);
  EXPECT_DOUBLE_EQ(score.accuracy, 1);
}

TEST(KMeans, DoesNotMindWhereTheOriginLies) {
  const Clouds clouds;
  const ClusteringScore score = compare(k_means(clouds.z + 1e5, 4, {}), clouds.truth);
  EXPECT_DOUBLE_EQ(score.accuracy, 1);
}

TEST(KMeans, SameForAnyNumberOfThreads) {
  const at::Tensor z = at::rand({3000, 5});
  Ids expected;
  for (const int threads : {1, 2, 4}) {
    const test::TorchThreads torch(threads);
    const Ids found = k_means(z, 6, {.restarts = 2, .seed = 4});
    if (expected.empty()) expected = found;
    EXPECT_EQ(found, expected);
  }
}

TEST(KMeans, DoesNotMindEqualRowsAndMoreClustersThanRows) {
  EXPECT_EQ(k_means(at::ones({5, 2}), 3, {}).size(), 5);
  EXPECT_EQ(k_means(at::rand({2, 2}), 7, {}).size(), 2);
}

TEST(ScoreClustering, RefusesWhatHasNoSingleClasses) {
  Labels none, several;
  several.task = Task::multilabel;
  for (const Labels& labels : {none, several})
    EXPECT_THROW(score_clustering(at::rand({4, 2}), labels, 1, {}), Error);
}

// Two directions, each with lengths from 0.01 to 100: by distance alone, clusters are lengths.
TEST(ScoreClustering, DoesNotMindTheLengthsOfRows) {
  Labels labels;
  labels.task = Task::multiclass, labels.classes = 2;
  std::vector<int32_t> truth;
  at::Tensor z = at::zeros({200, 2});
  for (int64_t i = 0; i < 200; ++i) {
    truth.push_back(static_cast<int32_t>(i % 2));
    z[i][i % 2] = std::pow(10.0, static_cast<double>(i % 5) - 2);
  }
  labels.single = std::move(truth);
  EXPECT_DOUBLE_EQ(score_clustering(z, labels, 1, {}).at(0).nmi, 1);
}

TEST(ClusteringText, HasOneRowPerEmbedding) {
  ClusteringResult result;
  result.clusters = 3;
  result.own_title = "solved";
  result.repeats = {{.nmi = 0.5, .ari = 0.25, .accuracy = 0.75},
                    {.nmi = 0.7, .ari = 0.35, .accuracy = 0.85}};
  result.reference["raw"] = {{.nmi = 0.125, .ari = 0, .accuracy = 0.5}};
  EXPECT_EQ(result.to_text(),
            "k-means of unit rows into 3 clusters, 2 repeats, percent\n\n"
            "                            NMI              ARI           accuracy when matched\n"
            "  raw features            12.50 +- 0.00     0.00 +- 0.00    50.00 +- 0.00\n"
            "  solved                  60.00 +- 10.00   30.00 +- 5.00    80.00 +- 5.00\n");
}

}  // namespace
}  // namespace gs
