#include "command/arrays.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "dataset/check_sparse.h"
#include "dataset/reader.h"
#include "dataset/readers/npz_parts.h"
#include "nn/cost.h"

namespace gs {

namespace {

constexpr int64_t kIdsGrain = 1 << 14;

// 32-bit ids. Those that do not fit become -1, which prepare() reports.
std::vector<int32_t> narrowed(const Array<int64_t>& ids) {
  std::vector<int32_t> out(static_cast<size_t>(ids.size()));
  parallel_for(ids.size(), kIdsGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t id = ids[i];
      out[static_cast<size_t>(i)] = id == static_cast<int32_t>(id) ? static_cast<int32_t>(id) : -1;
    }
  });
  return out;
}

SparseMatrix to_sparse(const DenseMatrix& m) {
  std::vector<int64_t> offsets(static_cast<size_t>(m.rows) + 1);
  parallel_for(m.rows, 64, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      for (const float value : m.row(r)) offsets[r] += value != 0;
  });
  const int64_t nonzeros = exclusive_scan(offsets);
  std::vector<int32_t> indices(static_cast<size_t>(nonzeros));
  std::vector<float> values(static_cast<size_t>(nonzeros));
  parallel_for(m.rows, 64, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      int64_t at = offsets[r];
      for (int64_t c = 0; c < m.columns; ++c)
        if (const float value = m.values[r * m.columns + c]; value != 0)
          indices[at] = static_cast<int32_t>(c), values[at++] = value;
    }
  });
  const bool ones =
      std::all_of(values.begin(), values.end(), [](float value) { return value == 1; });
  if (ones) values.clear();  // the form of binarized features
  return {m.rows, m.columns, std::move(offsets), std::move(indices), std::move(values)};
}

Features in_cheaper_form(Features features) {
  if (features.sparse() || dense_is_cheaper(features.rows(), features.width(), features.nonzeros()))
    return features;
  return {to_sparse(features.dense_matrix())};
}

Labels labels_of(const GraphArrays& arrays) {
  if (!arrays.multi_labels.empty())
    return {Task::multilabel, arrays.classes, {}, arrays.multi_labels};
  if (arrays.labels.empty()) return {};
  return class_labels({arrays.labels.begin(), arrays.labels.end()}, "y");
}

void check_features(const Features& features) {
  if (features.sparse()) {
    check_sparse(features.sparse_matrix(), "x",
                 "pass a matrix that scipy's check_format() accepts");
  } else if (const DenseMatrix& m = features.dense_matrix();
             m.rows < 0 || m.columns < 0 || m.values.size() != m.rows * m.columns) {
    fail_data("x", fmt::format("{} values for {} rows of {}", m.values.size(), m.rows, m.columns),
              "pass one row of features per node");
  }
}

void check_no_files(const LoadOptions& options) {
  for (const auto& [name, value] : {std::pair{"--format", &options.format},
                                    {"--features-file", &options.features_file},
                                    {"--labels-file", &options.labels_file},
                                    {"--splits-file", &options.splits_file}})
    if (!value->empty())
      fail_usage(name, "applies to files, but this graph comes from memory",
                 "pass features, labels and masks with the graph");
}

}  // namespace

Dataset dataset_from(GraphArrays arrays, const LoadOptions& options) {
  check_no_files(options);
  RawDataset raw;
  raw.name = std::move(arrays.name);
  raw.nodes = arrays.nodes;
  raw.edges_where = "edge_index", raw.features_where = "x";
  raw.labels_where = "y", raw.splits_where = "masks";
  check_node_count(raw.nodes, raw.edges_where);
  if (arrays.graph.nodes() > 0) {
    if (arrays.graph.nodes() != raw.nodes)
      fail_data("adjacency", fmt::format("{} rows for {} nodes", arrays.graph.nodes(), raw.nodes),
                "pass a square matrix");
    validate(arrays.graph, "adjacency");
    raw.graph = std::move(arrays.graph);
    raw.graph.symmetric = is_symmetric(raw.graph);
  } else {
    raw.edges = {raw.nodes, narrowed(arrays.source), narrowed(arrays.target),
                 std::vector<float>(arrays.weight.begin(), arrays.weight.end())};
  }
  raw.has_features = arrays.has_features;
  if (raw.has_features) {
    check_features(arrays.features);
    if (arrays.features.rows() == raw.nodes) arrays.features = in_cheaper_form(arrays.features);
    raw.features = std::move(arrays.features);
  }
  raw.labels = labels_of(arrays);
  raw.splits = std::move(arrays.splits);
  raw.node_ids = std::move(arrays.node_ids);
  raw.feature_names = std::move(arrays.feature_names);
  raw.class_names = std::move(arrays.class_names);
  raw.recipe = std::move(arrays.recipe);
  raw.symmetrize = arrays.undirected;
  return prepare(std::move(raw), "memory", options);
}

void check_treated_alike(const Dataset& data, const FeatureTreatment& treatment) {
  const FeatureTreatment& own = data.feature_treatment;
  const bool same_columns =
      own.columns.empty() || treatment.columns.empty() || own.columns == treatment.columns;
  if (!same_treatment(own, treatment) || !same_columns)
    fail_data(data.name,
              same_columns
                  ? "its features were prepared by another rule, or by statistics of its own"
                  : "its feature columns are not those of the training data",
              "pass the graph or the path of the data instead of a loaded Dataset");
}

}  // namespace gs
