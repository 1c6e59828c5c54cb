#include "train/plan.h"

#include <algorithm>

#include "base/error.h"
#include "base/memory.h"
#include "config/methods.h"
#include "graph/partition.h"
#include "nn/cost.h"

namespace gs {

namespace {

constexpr double kMib = 1 << 20;
constexpr double kProgram = 150 * kMib;  // libtorch itself
constexpr double kSquareMatrices = 4;    // of N x N, that the naive constraint holds at a time

// Floats that a step holds for each node: what the layers and heads make, kept for the way back,
// and as much again on the way.
double columns_of(const RunOptions& options) {
  const ModelOptions& m = options.model;
  const auto d = static_cast<double>(m.aug_dim), k = static_cast<double>(m.dim),
             layers = static_cast<double>(m.layers);
  if (options.method.method != "graphsurgeon") {  // at most two networks of two views
    const double hidden =
        options.method.hidden > 0 ? static_cast<double>(options.method.hidden) : k;
    const bool classifier = method_info(options.method.method).supervised();
    return 8 * (layers * hidden + (classifier ? 0 : 2 * k));
  }
  return m.mode == AugmentMode::pre ? 4 * d + (2 * layers + 2) * 2 * k
                                    : (2 * layers + 2) * d + 6 * k;
}

double feature_bytes(const Dataset& data, double rows) {
  return static_cast<double>(data.features.bytes()) * rows /
         static_cast<double>(std::max<int64_t>(1, data.nodes()));
}

double nodes_of_batch(const Dataset& data, const RunOptions& options, LoaderKind kind) {
  const LoaderOptions& l = options.loader;
  const auto n = static_cast<double>(data.nodes());
  const double degree = static_cast<double>(data.graph.edges()) / n;
  switch (kind) {
    case LoaderKind::neighbor: {
      double found = std::min(n, static_cast<double>(l.batch_size));
      for (const int64_t fanout : l.fanouts_of(options.model.layers))
        found *= 1 + (fanout < 0 ? degree : std::min(degree, static_cast<double>(fanout)));
      return std::min(n, found);
    }
    case LoaderKind::cluster: {
      const auto parts = static_cast<double>(l.parts > 0 ? l.parts : usual_parts(data.nodes()));
      return std::min(n, n / parts * static_cast<double>(l.parts_per_batch));
    }
    case LoaderKind::saint: {
      const int64_t draws = l.saint_sampler == SaintSampler::walk   ? 1 + l.walk_length
                            : l.saint_sampler == SaintSampler::edge ? 2
                                                                    : 1;
      return static_cast<double>(l.subgraphs) * std::min(n, static_cast<double>(l.roots * draws));
    }
    default:
      return n;
  }
}

Plan plan_for(const Dataset& data, const RunOptions& options, LoaderKind kind) {
  const auto n = static_cast<double>(data.nodes()), m = static_cast<double>(data.graph.edges());
  const double rows = nodes_of_batch(data, options, kind);
  double batch = 4 * rows * columns_of(options), kept = kProgram;
  if (options.loss.constraint == Constraint::naive && options.method.method == "graphsurgeon")
    batch += 4 * rows * rows * kSquareMatrices;
  if (kind == LoaderKind::full) {
    const bool post =
        options.model.mode == AugmentMode::post && options.method.method == "graphsurgeon";
    if (post && !data.features.sparse() &&
        aggregate_once(data.nodes(), data.features.width(), options.model.aug_dim))
      kept += 4 * n * static_cast<double>(data.features.width());
    if (!data.graph.symmetric) kept += 4 * m + 8 * n;  // the reverse graph
  } else {
    const double ready = static_cast<double>(options.loader.prefetch) + 1;
    batch += feature_bytes(data, rows) * ready;
    kept += 4 * n * (3 + 2 * static_cast<double>(std::max<int64_t>(1, options.loader.workers)));
    if (kind == LoaderKind::saint) kept += 4 * m;  // how often each entry was drawn
  }
  Plan plan;
  plan.loader = kind;
  plan.nodes = data.nodes(), plan.edges = data.graph.edges();
  plan.batch_nodes = static_cast<int64_t>(rows);
  plan.batch_mib = batch / kMib;
  plan.total_mib = (batch + kept) / kMib;
  plan.limit_mib = options.loader.memory > 0 ? static_cast<double>(options.loader.memory)
                                             : 0.8 * static_cast<double>(available_memory()) / kMib;
  return plan;
}

bool works(const RunOptions& options, LoaderKind kind) {
  return method_info(options.method.method).works_with(kind);
}

bool fits(const Plan& plan) { return plan.total_mib <= plan.limit_mib; }

// What to type instead.
std::string hint_for(const Dataset& data, RunOptions options, const Plan& plan) {
  if (plan.loader == LoaderKind::saint) return "lower --roots or --subgraphs, or raise --memory";
  if (plan.loader == LoaderKind::cluster) return "lower --parts-per-batch, or raise --parts";
  if (!works(options, LoaderKind::neighbor))
    return works(options, LoaderKind::saint) ? "try --loader saint, or raise --memory"
                                             : "raise --memory";
  options.loader.batch_size = std::min<int64_t>(
      plan.loader == LoaderKind::neighbor ? options.loader.batch_size : 4096, data.nodes());
  while (options.loader.batch_size > 16 && !fits(plan_for(data, options, LoaderKind::neighbor)))
    options.loader.batch_size /= 2;
  if (!fits(plan_for(data, options, LoaderKind::neighbor)))
    return "raise --memory, or lower --fanouts, --aug-dim or --prefetch";
  return fmt::format("try --loader neighbor --batch-size {}, or raise --memory",
                     options.loader.batch_size);
}

}  // namespace

std::string Plan::text() const {
  const auto name = name_of(names_of(LoaderKind{}), loader);
  return fmt::format(
      "plan: {} nodes, {} edges; --loader {}, at most about {} nodes a batch, {:.0f} MiB a step, "
      "{:.0f} "
      "MiB in all",
      nodes, edges, name, batch_nodes, batch_mib, total_mib);
}

Plan make_plan(const Dataset& data, const RunOptions& options, LoaderKind loader,
               const std::string& where) {
  Plan plan = plan_for(data, options, loader == LoaderKind::automatic ? LoaderKind::full : loader);
  const bool full_serves =
      fits(plan) && works(options, LoaderKind::full) && !options.loader.chosen_seeds();
  if (loader == LoaderKind::automatic && !full_serves)
    for (const LoaderKind sampled : {LoaderKind::neighbor, LoaderKind::cluster, LoaderKind::saint})
      if (works(options, sampled)) {
        plan = plan_for(data, options, sampled);
        break;
      }
  if (!fits(plan))
    fail_data(
        where,
        fmt::format("training with --loader {} needs about {:.0f} MiB, and there are {:.0f}",
                    name_of(names_of(LoaderKind{}), plan.loader), plan.total_mib, plan.limit_mib),
        hint_for(data, options, plan));
  return plan;
}

}  // namespace gs
