// The core for a program that shares its process with other users of libtorch (the Python package):
// datasets from arrays that the caller holds, training and embedding of a dataset that is already
// there. No libtorch in this header. A call takes the thread count it is given and leaves
// libtorch's own settings (threads, allocator, warnings) as it found them.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/progress.h"
#include "config/calls.h"
#include "dataset/dataset.h"

namespace gs {

// A graph as others hold it. Arrays are read where they lie; what they view must stay unchanged
// while the dataset lives.
struct GraphArrays {
  std::string name = "memory";
  int64_t nodes = 0;
  Array<int64_t> source, target;  // edge i goes from source[i] to target[i] ...
  Array<float> weight;            // ... with this weight, or empty
  Csr graph;                      // instead of those: row v lists the sources of v's edges
  Features features;
  bool has_features = false;
  // Class ids, one a node, -1 where unknown; or N x classes of 0 and 1 (Labels::kUnknown where a
  // row is unknown), for several classes a node. Empty where there are none.
  Array<int32_t> labels;
  Array<uint8_t> multi_labels;
  int64_t classes = 0;  // columns of multi_labels
  std::vector<Split> splits;
  std::vector<std::string> node_ids, class_names;
};

// Checks and treats the arrays as a file's content: the graph as it is unless `options` say
// otherwise, since it comes from a program and not from a format with habits. Dense features that
// are mostly zeros become sparse where that is the cheaper form, as bag-of-words files have them.
Dataset dataset_from(GraphArrays arrays, const LoadOptions& options);

// How a dataset is made once it is known how it is to be treated.
using MakeDataset = std::function<Dataset(const LoadOptions& options)>;

// Trains as TrainCall says, on `data`; the result is that of CoreApi::train. `threads`: 0 takes
// every core.
nlohmann::json train_on(const Dataset& data, const TrainCall& call, int threads,
                        Progress& progress = no_progress());

// The embeddings that a run's model gives to the graph of `make`, which is asked for it as the
// run's own data was treated. Data Error when the features' width is another.
DenseMatrix embed_with(const std::filesystem::path& run, const MakeDataset& make, int threads,
                       Progress& progress = no_progress());

// Of embeddings that were not tuned on: the best validation score of a linear probe on each split
// (percent; no test node is read), and the effective rank.
std::vector<double> validation_of(const DenseMatrix& z, const Dataset& data,
                                  const RunOptions& options, int threads);
double effective_rank_of(const DenseMatrix& z, int threads);

}  // namespace gs
