// Clustering of embeddings by k-means on rows scaled to length 1, scored against classes:
// normalized mutual information (by the arithmetic mean of the entropies), adjusted Rand index, and
// accuracy under the best matching of clusters to classes (Hungarian method).
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "dataset/dataset.h"
#include "eval/task.h"

namespace gs {

struct KMeansOptions {
  int64_t restarts = 10;     // the one with the least distortion is kept
  int64_t iterations = 300;  // at most
  double tolerance = 1e-4;   // movement of the centers, relative to the data's variance
  uint64_t seed = 0;
};

// The cluster of each row of z [N, W], floats on the CPU; k-means++ starts, Lloyd's steps in blocks
// of rows. The same for any number of threads.
std::vector<int32_t> k_means(const at::Tensor& z, int64_t clusters, const KMeansOptions& options);

// Fractions; the Rand index may be below 0.
struct ClusteringScore {
  double nmi = 0, ari = 0, accuracy = 0;
};
// Truths of -1 are left out.
ClusteringScore compare(std::span<const int32_t> found, std::span<const int32_t> truth);

// The assignment of rows to columns of an n x n cost matrix (row-major) with the least sum.
std::vector<int32_t> least_assignment(std::span<const double> cost, int64_t n);

// Of rows at length 1, as lengths of embeddings often follow degrees: one clustering for each of
// `repeats` seeds, into as many clusters as there are classes. Data Error for multi-label data and
// data without labels.
std::vector<ClusteringScore> score_clustering(const at::Tensor& z, const Labels& labels,
                                              int64_t repeats, const KMeansOptions& options);

struct ClusteringResult final : TaskResult {
  int64_t clusters = 0;
  std::vector<ClusteringScore> repeats;
  std::map<std::string, std::vector<ClusteringScore>> reference;  // by keys of eval/references.h
  std::string own_title = "embeddings";                           // of the row of what is scored

  nlohmann::json to_json() const override;
  std::string to_text() const override;
};

}  // namespace gs
