#include "core/in_process.h"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <nlohmann/json.hpp>

#include "base/parallel.h"
#include "core/results.h"
#include "dataset/reader.h"
#include "dataset/readers/npz_parts.h"
#include "dataset/splits.h"
#include "eval/probe.h"
#include "method/embed.h"
#include "nn/cost.h"
#include "nn/memory.h"
#include "nn/place.h"
#include "objective/spectrum.h"

namespace gs {

namespace {

constexpr int64_t kIdsGrain = 1 << 14;

// libtorch's own warnings (that sparse tensors are in beta, say) are not for our users.
struct Silence final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

// What a call changes in the process, for as long as it lasts.
class Guest {
 public:
  explicit Guest(int wanted) : threads_before_(at::get_num_threads()), quiet_(&silence_) {
    set_threads(wanted);
    at::set_num_threads(threads());
  }
  ~Guest() { at::set_num_threads(threads_before_); }
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;

 private:
  int threads_before_;
  Silence silence_;
  c10::WarningUtils::WarningHandlerGuard quiet_;
  RecycledTensorMemory memory_;
};

// 32-bit ids. Those that do not fit become -1, which prepare() refuses by name.
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
  if (ones) values.clear();  // as binarised features of a file are kept
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

void check_no_files(const LoadOptions& options) {
  for (const auto& [name, value] : {std::pair{"--format", &options.format},
                                    {"--features-file", &options.features_file},
                                    {"--labels-file", &options.labels_file},
                                    {"--splits-file", &options.splits_file}})
    if (!value->empty())
      fail_usage(name, "is for files, and this graph comes from memory",
                 "pass features, labels and masks with the graph");
}

at::Tensor tensor_of(const DenseMatrix& z) { return view_of(z.values, {z.rows, z.columns}); }

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
    validate(arrays.graph, "adjacency");
    raw.graph = std::move(arrays.graph);
    raw.graph.symmetric = is_symmetric(raw.graph);
  } else {
    raw.edges = {raw.nodes, narrowed(arrays.source), narrowed(arrays.target),
                 std::vector<float>(arrays.weight.begin(), arrays.weight.end())};
  }
  raw.has_features = arrays.has_features;
  if (raw.has_features) {
    if (arrays.features.rows() == raw.nodes) arrays.features = in_cheaper_form(arrays.features);
    raw.features = std::move(arrays.features);
  }
  raw.labels = labels_of(arrays);
  raw.splits = std::move(arrays.splits);
  raw.node_ids = std::move(arrays.node_ids);
  raw.class_names = std::move(arrays.class_names);
  return prepare(std::move(raw), "memory", options);
}

nlohmann::json train_on(const Dataset& data, const TrainCall& call, int threads,
                        Progress& progress) {
  const Guest guest(threads);
  return to_json(train(data, call, progress), call);
}

DenseMatrix embed_with(const std::filesystem::path& run, const MakeDataset& make, int threads,
                       Progress& progress) {
  const Guest guest(threads);
  const LoadedModel loaded = load_model(run, place_for("cpu"));
  const Dataset data = make(loaded.info.options.load);
  const at::Tensor z = embed(loaded, data, data.name, {}, progress);
  return {z.size(0), z.size(1), Array<float>(std::make_shared<at::Tensor>(z), floats(z))};
}

std::vector<double> validation_of(const DenseMatrix& z, const Dataset& data,
                                  const RunOptions& options, int threads) {
  const Guest guest(threads);
  const auto seed = static_cast<uint64_t>(options.train.seed);
  ProbeOptions probe;
  probe.probe_epochs = probe_epochs(options.protocol, data.name);
  return validation_scores(tensor_of(z), data.labels,
                           make_splits(data, options.train.splits, options.train.runs, seed), probe,
                           seed);
}

double effective_rank_of(const DenseMatrix& z, int threads) {
  const Guest guest(threads);
  return effective_rank(tensor_of(z));
}

}  // namespace gs
