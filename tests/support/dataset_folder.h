// A small dataset that uses all of our own folder format.
#pragma once

#include <vector>

#include "dataset/folder/folder.h"
#include "support/files.h"
#include "support/graphs.h"

namespace gs::test {

// Everything that the format can hold: weights, sparse features with values, an unlabeled node,
// splits, odd names.
inline Dataset rich() {
  Dataset data;
  data.name = "toy";
  data.format = "edge-list";
  data.graph = build_csr(edge_list(4, {{0, 1, 0.1f}, {1, 2, 2}, {3, 3, 1e-30f}}, true), {});
  data.features = {SparseMatrix{4, 5, std::vector<int64_t>{0, 2, 2, 3, 4},
                                std::vector<int32_t>{1, 4, 0, 3},
                                std::vector<float>{0.5f, -1.25f, 3, 1e20f}}};
  data.labels = {.task = Task::multiclass,
                 .classes = 3,
                 .single = std::vector<int32_t>{0, 2, -1, 1},
                 .multi = {}};
  data.splits = {Split{{0}, {1}, {3}}, Split{{1, 3}, {}, {0}}};
  data.node_ids = {"a", "", "tab\there, back\\slash", "two\nlines\r"};
  data.feature_names = {"f0", "\\n", "f2", "naïve", "f4"};
  data.class_names = {"x", "y", "z"};
  data.raw_edges = 7;
  data.dropped = {.self_loops = 1, .duplicates = 3};
  data.treatment = "duplicates merged";
  return data;
}

inline RawDataset reread(const fs::path& folder) {
  ReadRequest request;
  request.path = folder;
  return read_folder(request);
}

}  // namespace gs::test
