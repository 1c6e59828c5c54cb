#include "train/plan.h"

#include <algorithm>

#include "base/error.h"
#include "base/mapped_files.h"
#include "base/memory.h"
#include "loader/loader.h"
#include "method/method.h"
#include "nn/cost.h"
#include "nn/expected_shapes.h"
#include "options/loaders.h"
#include "options/methods.h"

namespace gs {

namespace {

constexpr double kMib = 1 << 20;
constexpr double kProgram = 150 * kMib;  // libtorch itself

double feature_bytes(const Dataset& data, double rows) {
  return static_cast<double>(data.features.bytes()) * rows /
         static_cast<double>(std::max<int64_t>(1, data.nodes()));
}

template <class T>
double bytes_in_memory(const Array<T>& array) {
  return is_mapped(array.data()) ? 0 : static_cast<double>(array.bytes());
}

// The arrays of the data that are not views of a mapped file.
double bytes_in_memory(const Dataset& data) {
  const Csr& g = data.graph;
  double bytes = bytes_in_memory(g.offsets) + bytes_in_memory(g.neighbors) +
                 bytes_in_memory(g.weights) + bytes_in_memory(data.labels.multi);
  if (!data.features.sparse()) return bytes + bytes_in_memory(data.features.dense_matrix().values);
  const SparseMatrix& x = data.features.sparse_matrix();
  return bytes + bytes_in_memory(x.offsets) + bytes_in_memory(x.indices) +
         bytes_in_memory(x.values);
}

// Weights, their gradients, Adam's two moments, and the weights that a selection keeps.
double parameter_bytes(const Dataset& data, const RunOptions& options) {
  const ShapesOnly shapes;
  const auto method = make_method(
      {data.features.width(), data.labels.task, data.labels.classes, options, Device{}, Random(0)});
  double learned = 0, fixed = 0;
  for (const auto& weight : method->parameters().weights())
    learned += static_cast<double>(weight.tensor.numel());
  for (const auto& buffer : method->parameters().buffers())
    fixed += static_cast<double>(buffer.tensor.numel());
  const bool selects =
      method_info(options.method.method).supervised() || options.train.select == Select::val;
  const double kept = selects ? static_cast<double>(options.train.num_splits) : 0;
  return 4 * (4 * learned + fixed + kept * (learned + fixed));
}

Plan plan_for(const Dataset& data, const RunOptions& options, std::string_view loader) {
  const auto n = static_cast<double>(data.nodes()), m = static_cast<double>(data.graph.edges());
  const bool full = loader == kFullBatch;
  const LoaderCost cost = full ? LoaderCost{.batch_nodes = n}
                               : loader_maker(loader).cost({data.nodes(), data.graph.edges()},
                                                           options.loader, options.model.layers);
  const StepCost step = method_maker(options.method.method).step_cost(options);
  const double rows = cost.batch_nodes;
  double batch = 4 * rows * step.floats_per_node + 4 * rows * rows * step.square_matrices;
  double kept = kProgram + m * cost.bytes_per_edge + parameter_bytes(data, options);
  // The free memory, which is the limit otherwise, is what the data in memory has left.
  if (options.loader.memory > 0) kept += bytes_in_memory(data);
  if (full) {
    if (step.aggregates_once && !data.features.sparse() &&
        aggregate_once(data.nodes(), data.features.width(), options.model.aug_dim))
      kept += 4 * n * static_cast<double>(data.features.width());
    if (!data.graph.symmetric) kept += 4 * m + 8 * n;  // the reverse graph
  } else {
    const double ready = static_cast<double>(options.loader.prefetch) + 1;
    batch += feature_bytes(data, rows) * ready;
    const auto workers = static_cast<double>(std::max<int64_t>(1, options.loader.workers));
    // Indices and values of the batches that are ready or being made, and of the one in use, which
    // has its transpose too.
    batch += 8 * cost.batch_edges * (ready + 2 * workers + 3);
    kept += 4 * n * (3 + 2 * workers);
  }
  Plan plan;
  plan.loader = loader;
  plan.nodes = data.nodes(), plan.edges = data.graph.edges();
  plan.batch_nodes = static_cast<int64_t>(rows);
  plan.batch_mib = batch / kMib;
  plan.total_mib = (batch + kept) / kMib;
  plan.limit_mib = options.loader.memory > 0 ? static_cast<double>(options.loader.memory)
                                             : 0.8 * static_cast<double>(available_memory()) / kMib;
  return plan;
}

bool works(const RunOptions& options, std::string_view loader) {
  return method_info(options.method.method).loaders.allows(loader);
}

bool fits(const Plan& plan) { return plan.total_mib <= plan.limit_mib; }

// The first sampled loader that the method works with, or full.
std::string_view sampled_loader(const RunOptions& options) {
  for (const LoaderInfo& loader : loaders())
    if (loader.name != kFullBatch && works(options, loader.name)) return loader.name;
  return kFullBatch;
}

// The options to type instead.
std::string hint_for(const Dataset& data, const RunOptions& options, const Plan& plan) {
  const bool full = plan.loader == kFullBatch;
  const std::string_view loader = full ? sampled_loader(options) : std::string_view(plan.loader);
  if (loader == kFullBatch) return "raise --memory";
  return loader_maker(loader).hint(options.loader, full, [&](const LoaderOptions& tried) {
    RunOptions changed = options;
    changed.loader = tried;
    return fits(plan_for(data, changed, loader));
  });
}

}  // namespace

std::string Plan::text() const {
  return fmt::format(
      "plan: {} nodes, {} edges; --loader {}, at most about {} nodes per batch, {:.0f} MiB per "
      "step, {:.0f} MiB in all",
      nodes, edges, loader, batch_nodes, batch_mib, total_mib);
}

Plan make_plan(const Dataset& data, const RunOptions& options, const std::string& loader,
               const std::string& where) {
  const bool automatic = loader == "auto";
  Plan plan = plan_for(data, options, automatic ? kFullBatch : std::string_view(loader));
  const bool full_serves =
      fits(plan) && works(options, kFullBatch) && !options.loader.chooses_targets();
  if (automatic && !full_serves) plan = plan_for(data, options, sampled_loader(options));
  if (!fits(plan))
    fail_data(where,
              fmt::format("training with --loader {} needs about {:.0f} MiB, but only {:.0f} are "
                          "available",
                          plan.loader, plan.total_mib, plan.limit_mib),
              hint_for(data, options, plan));
  return plan;
}

}  // namespace gs
