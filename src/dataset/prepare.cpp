// The part of loading that is the same for every format; see load.h.
#include <algorithm>
#include <atomic>
#include <cmath>

#include <fmt/ranges.h>

#include "base/parallel.h"
#include "dataset/catalog.h"
#include "dataset/load.h"
#include "dataset/make_features.h"
#include "dataset/splits.h"

namespace gs {

namespace {

// First index in [0, count) for which `bad` holds, or -1. A whole block is looked through before
// anything is decided: that loop has no branch and works on several entries at a time.
template <class Bad>
int64_t first_bad(int64_t count, const Bad& bad) {
  constexpr int64_t kCheckGrain = 1 << 20, kBlock = 1 << 10;
  std::atomic<int64_t> first = count;
  parallel_for(count, kCheckGrain, [&](int64_t begin, int64_t end) {
    for (int64_t stop; begin < end && begin < first; begin = stop) {
      stop = std::min(end, begin + kBlock);
      int32_t found = 0;
      for (int64_t i = begin; i < stop; ++i) found |= static_cast<int32_t>(bad(i));
      if (!found) continue;
      while (!bad(begin)) ++begin;
      int64_t seen = first;
      while (begin < seen && !first.compare_exchange_weak(seen, begin)) {
      }
      return;
    }
  });
  return first == count ? -1 : first.load();
}

std::string edge_place(const RawDataset& raw, int64_t edge) {
  return raw.edge_place ? raw.edge_place(edge) : fmt::format("{}, edge {}", raw.edges_where, edge);
}

void check_edges(const RawDataset& raw) {
  const EdgeList& e = raw.edges;
  check_node_count(raw.nodes, raw.edges_where);
  GS_ASSERT(e.target.size() == e.source.size() &&
            (e.weight.empty() || e.weight.size() == e.source.size()));
  const auto outside = [limit = static_cast<uint32_t>(raw.nodes)](int32_t id) {
    return static_cast<uint32_t>(id) >= limit;  // a negative id is a large unsigned one
  };
  const int64_t bad =
      first_bad(e.size(), [&, source = e.source.data(), target = e.target.data()](int64_t i) {
        return (int{outside(source[i])} | int{outside(target[i])}) != 0;  // without a branch
      });
  if (bad >= 0) {
    fail_data(edge_place(raw, bad),
              fmt::format("edge {} -> {} names node {}, but there are {} nodes", e.source[bad],
                          e.target[bad], outside(e.source[bad]) ? e.source[bad] : e.target[bad],
                          raw.nodes),
              "node ids count from 0; is the edge file of another dataset?");
  }
  if (e.weight.empty()) return;
  const int64_t odd = first_bad(
      e.size(), [&](int64_t i) { return !(e.weight[i] >= 0) || !std::isfinite(e.weight[i]); });
  if (odd >= 0)
    fail_data(edge_place(raw, odd),
              fmt::format("edge weight {} is not a finite number of 0 or more", e.weight[odd]),
              "remove or fix the weight column");
}

bool all_ones(const std::vector<float>& weights) {
  return std::all_of(weights.begin(), weights.end(), [](float w) { return w == 1; });
}

EdgeList to_edges(const Csr& graph) {
  EdgeList list;
  list.nodes = graph.nodes();
  list.target.resize(graph.edges());
  list.source.assign(graph.neighbors.begin(), graph.neighbors.end());
  list.weight.assign(graph.weights.begin(), graph.weights.end());
  for (int64_t v = 0; v < graph.nodes(); ++v)
    std::fill(list.target.begin() + graph.offsets[v], list.target.begin() + graph.offsets[v + 1],
              static_cast<int32_t>(v));
  return list;
}

// Mapped features beyond this size are not read through at every opening; training has its own
// alarm for NaN.
constexpr int64_t kScanLimit = int64_t{4} << 30;

void check_features(const Features& features, int64_t nodes, const std::string& where) {
  if (features.rows() != nodes)
    fail_data(where, fmt::format("{} feature rows for {} nodes", features.rows(), nodes),
              "features need one row per node, in the order of the node ids");
  if (features.bytes() > kScanLimit) return;
  const Array<float>& values =
      features.sparse() ? features.sparse_matrix().values : features.dense_matrix().values;
  const int64_t bad =
      first_bad(values.size(), [v = values.data()](int64_t i) { return !std::isfinite(v[i]); });
  if (bad < 0) return;
  int64_t row = 0, column = 0;
  if (features.sparse()) {
    const SparseMatrix& m = features.sparse_matrix();
    row = std::upper_bound(m.offsets.begin(), m.offsets.end(), bad) - m.offsets.begin() - 1;
    column = m.indices[bad];
  } else {
    row = bad / features.width(), column = bad % features.width();
  }
  fail_data(fmt::format("{}, row {}, column {}", where, row, column),
            fmt::format("feature value {} is not finite", values[bad]),
            "replace missing values before loading");
}

void check_labels(const Labels& labels, int64_t nodes, const std::string& where) {
  if (labels.task == Task::none) return;
  if (labels.classes > Labels::most_classes(nodes))
    fail_data(where, fmt::format("{} classes for {} nodes", labels.classes, nodes),
              "labels are class numbers from 0; number the classes without gaps");
  const int64_t rows = labels.task == Task::multilabel
                           ? labels.multi.size() / std::max<int64_t>(1, labels.classes)
                           : labels.single.size();
  if (rows != nodes)
    fail_data(where, fmt::format("{} labels for {} nodes", rows, nodes),
              "labels need one entry per node; -1 means unknown");
  if (labels.task != Task::multilabel) {
    const int64_t bad = first_bad(nodes, [&](int64_t i) {
      return labels.single[i] < -1 || labels.single[i] >= labels.classes;
    });
    if (bad >= 0)
      fail_data(
          fmt::format("{}, node {}", where, bad),
          fmt::format("label {} is outside the {} classes", labels.single[bad], labels.classes),
          "labels are class numbers from 0, -1 where unknown");
    return;
  }
  const int64_t bad = first_bad(labels.multi.size(), [&](int64_t i) {
    return labels.multi[i] > 1 && labels.multi[i] != Labels::kUnknown;
  });
  if (bad >= 0)
    fail_data(fmt::format("{}, node {}", where, bad / labels.classes),
              fmt::format("multi-label entry {} is neither 0 nor 1", labels.multi[bad]),
              "multi-label rows hold 0 and 1");
  const int64_t torn = first_bad(nodes, [&](int64_t v) {
    const auto row = labels.multi.slice(v * labels.classes, (v + 1) * labels.classes);
    const auto unknown = std::ranges::count(row, Labels::kUnknown);
    return unknown != 0 && unknown != labels.classes;
  });
  if (torn >= 0)
    fail_data(fmt::format("{}, node {}", where, torn), "is labeled in part only",
              "a row holds 0 and 1, or is unknown throughout");
}

void check_names(const std::vector<std::string>& list, int64_t wanted, std::string_view what,
                 const std::string& where) {
  if (!list.empty() && static_cast<int64_t>(list.size()) != wanted)
    fail_data(where, fmt::format("{} {} names for {} of them", list.size(), what, wanted),
              "remove or fix the names");
}

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

void build_graph(RawDataset& raw, const CatalogEntry* entry, const LoadOptions& options,
                 Dataset& out, std::vector<std::string>& done) {
  const bool built = raw.graph.nodes() > 0;
  bool symmetrize = entry && !built ? entry->symmetrize : raw.symmetrize;
  SelfLoops loops =
      entry && !built ? (entry->drop_loops ? SelfLoops::drop : SelfLoops::keep) : raw.self_loops;
  if (options.symmetrize != Switch::automatic) symmetrize = options.symmetrize == Switch::yes;
  switch (options.self_loops) {
    case LoopRule::automatic:
      break;
    case LoopRule::keep:
      loops = SelfLoops::keep;
      break;
    case LoopRule::drop:
      loops = SelfLoops::drop;
      break;
    case LoopRule::add:
      loops = SelfLoops::add;
      break;
  }
  out.raw_edges = raw.raw_edges ? raw.raw_edges : (built ? raw.graph.edges() : raw.edges.size());
  if (built && (!symmetrize || raw.graph.symmetric) && loops == SelfLoops::keep) {
    out.graph = std::move(raw.graph);
    out.dropped = raw.dropped;
    return;
  }
  if (built) raw.edges = to_edges(raw.graph), raw.graph = {};
  else check_edges(raw);
  if (all_ones(raw.edges.weight)) raw.edges.weight.clear();
  raw.edges.nodes = raw.nodes;
  out.graph = build_csr(std::move(raw.edges), {.symmetrize = symmetrize, .self_loops = loops},
                        &out.dropped);
  out.dropped.self_loops += raw.dropped.self_loops;
  out.dropped.duplicates += raw.dropped.duplicates;
  if (symmetrize) done.emplace_back("symmetrized");
  if (loops == SelfLoops::drop) done.emplace_back("self-loops dropped");
  if (loops == SelfLoops::add) done.emplace_back("self-loops added");
}

// Puts the columns in the order of the data that the treatment was fitted on.
void arrange_columns(RawDataset& raw, const FeatureTreatment& fitted, Dataset& out,
                     std::vector<std::string>& done) {
  if (raw.feature_names.empty()) {
    if (raw.width() == std::ssize(fitted.columns))
      out.notes.emplace_back(
          "the feature columns have no names here; they are taken in the order of the training "
          "data");
    return;
  }
  if (raw.feature_names == fitted.columns) return;
  raw.features = arranged(raw.features, raw.feature_names, fitted.columns, raw.features_where);
  raw.feature_names = fitted.columns;
  done.emplace_back("feature columns put in the order of the training data");
}

void treat_features(RawDataset& raw, const CatalogEntry* entry, const LoadOptions& options,
                    Dataset& out, std::vector<std::string>& done) {
  if (!raw.has_features) {
    if (options.make_features == MakeFeatures::none) {
      out.features = {DenseMatrix{raw.nodes, 0, {}}};
      return;
    }
    out.features =
        make_features(options.make_features, out.graph, options.make_width, options.seed);
    done.emplace_back(fmt::format("{} {}", name_of(names_of(MakeFeatures{}), options.make_features),
                                  kFeaturesMade));
    return;
  }
  raw.wait_for_features();
  check_features(raw.features, raw.nodes, raw.features_where);
  if (options.fitted) check_recipe(*options.fitted, raw.recipe, raw.features_where);
  if (options.fitted && !options.fitted->columns.empty())
    arrange_columns(raw, *options.fitted, out, done);
  FeatureTreatment& treatment = out.feature_treatment;
  if (options.fitted) {
    treatment = *options.fitted;
    check_treatment(treatment, raw.features.width(), raw.features_where);
  } else if (options.features != FeatureRule::automatic) {
    treatment = fitted_treatment(options.features, raw.features);
  } else if (!raw.recipe.empty()) {
    treatment.rule = FeatureRule::raw;  // scaled by the recipe
  } else if (entry) {
    treatment.rule = entry->binarize ? FeatureRule::binary : FeatureRule::raw;
  } else {
    const SuitableRule found = suitable_rule(raw.features, options.binary_weights);
    treatment = fitted_treatment(found.rule, raw.features);
    out.treatment_reason = found.reason;
  }
  treatment.columns = raw.feature_names;
  treatment.recipe = std::move(raw.recipe);
  out.features = treated(treatment, std::move(raw.features));
  if (const std::string_view words = done_to_features(treatment.rule); !words.empty())
    done.emplace_back(words);
}

}  // namespace

Dataset prepare(RawDataset raw, const std::string& format, const LoadOptions& options) {
  Dataset out;
  const CatalogEntry* entry = recognize(format, raw.nodes, raw.width(), raw.labels.classes);
  out.name = entry ? std::string(entry->name) : raw.name;
  out.format = format;
  check_labels(raw.labels, raw.nodes, raw.labels_where);
  check_names(raw.node_ids, raw.nodes, "node", raw.edges_where);
  check_names(raw.feature_names, raw.width(), "feature", raw.features_where);
  check_names(raw.class_names, raw.labels.classes, "class", raw.labels_where);
  check_splits(raw.splits, raw.nodes, raw.labels, raw.splits_where);

  std::vector<std::string> done;
  if (!raw.treatment.empty()) done.push_back(raw.treatment);
  if (format == "edge-list" && !raw.treatment.empty()) out.notes.push_back(raw.treatment);
  const bool as_usual =
      options.symmetrize == Switch::automatic && options.self_loops == LoopRule::automatic;
  build_graph(raw, entry, options, out, done);
  treat_features(raw, entry, options, out, done);
  out.treatment = joined(done);
  out.labels = std::move(raw.labels);
  out.splits = std::move(raw.splits);
  out.node_ids = std::move(raw.node_ids);
  out.feature_names = std::move(raw.feature_names);
  out.class_names = std::move(raw.class_names);
  if (format == "edge-list" && raw.symmetrize && options.symmetrize == Switch::automatic)
    out.notes.emplace_back("edges are taken as undirected; --symmetrize no keeps their direction");
  if (entry && as_usual && out.graph.edges() != entry->edges)
    out.notes.push_back(fmt::format("{} usually has {} stored edges; this file has {}",
                                    entry->title, entry->edges, out.graph.edges()));
  return out;
}

}  // namespace gs
