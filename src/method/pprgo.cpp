#include "method/pprgo.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "dataset/gather.h"
#include "graph/ppr.h"
#include "method/maker.h"
#include "nn/ops/linear.h"

namespace gs {

namespace {

constexpr double kLeft = 0.05;  // share of a walk that inference may omit

struct Reach {
  std::vector<int32_t> nodes;  // ascending
  SparseMatrix weights;        // one row per training node, one column per node of `nodes`
};

Reach reach_of(const Csr& graph, std::span<const int32_t> training, const MethodOptions& options) {
  const double degree = static_cast<double>(graph.edges()) / static_cast<double>(graph.nodes());
  const auto scores = personalized_pagerank(
      graph, training, {options.alpha, options.epsilon / std::max(1.0, degree), options.top_k});
  Reach out;
  for (const PprScores& walk : scores)
    out.nodes.insert(out.nodes.end(), walk.nodes.begin(), walk.nodes.end());
  std::sort(out.nodes.begin(), out.nodes.end());
  out.nodes.erase(std::unique(out.nodes.begin(), out.nodes.end()), out.nodes.end());
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> indices;
  std::vector<float> values;
  for (const PprScores& walk : scores) {
    std::vector<std::pair<int32_t, float>> row;
    for (size_t i = 0; i < walk.nodes.size(); ++i) {
      const auto found = std::lower_bound(out.nodes.begin(), out.nodes.end(), walk.nodes[i]);
      row.emplace_back(static_cast<int32_t>(found - out.nodes.begin()), walk.scores[i]);
    }
    std::sort(row.begin(), row.end());
    for (const auto& [column, score] : row) indices.push_back(column), values.push_back(score);
    offsets.push_back(std::ssize(indices));
  }
  out.weights = {std::ssize(training), std::ssize(out.nodes), std::move(offsets),
                 std::move(indices), std::move(values)};
  return out;
}

}  // namespace

PprGo::PprGo(const MethodSetting& s)
    : Method(s), options_(s.options.method), dropout_(s.options.model.dropout) {
  if (s.options.model.encoder != "sage")
    fail_usage("--encoder", "pprgo supports only the mean of neighbors", "leave it at sage");
  const int64_t hidden = options_.hidden > 0 ? options_.hidden : s.options.model.dim;
  const int64_t layers = s.options.model.layers;
  for (int64_t l = 0; l < layers; ++l)
    layers_.emplace_back(parameters_, fmt::format("layers.{}", l), l == 0 ? s.features : hidden,
                         l + 1 == layers ? s.classes : hidden);
}

void PprGo::prepare(const Share& share, const Split* split) {
  const Dataset& data = share.data;
  const Device& device = parameters_.device();
  labels_ = TrainingLabels(data.labels, *split, data.nodes(), device.options());
  const Reach reach = reach_of(data.graph, split->train, options_);
  features_ = make_input(gather(data.features, reach.nodes), device);
  weights_ = adjacency_of({{reach.weights, {}}}, device);
}

at::Tensor PprGo::predict(const Input& x, const Pass& pass) const {
  Input h = x.dropped(pass.dropout(dropout_, "features", 0), parameters_.device().native);
  for (size_t l = 0; l < layers_.size(); ++l) {
    Epilogue epilogue = Epilogue::none(parameters_.device().native);
    epilogue.bias = layers_[l].bias();
    if (l + 1 < layers_.size()) {
      epilogue.relu = true;
      epilogue.dropout = pass.dropout(dropout_, "mlp", static_cast<int64_t>(l));
    }
    h = linear(h, layers_[l].weight(), epilogue);
  }
  return h.dense();
}

Loss PprGo::loss(const Batch& /*whole*/, const Step& step) {
  const at::Tensor own = predict(*features_, {true, 0, step.random});
  return cross_entropy(weights_->layer(0).apply(own), labels_.all(), labels_.task());
}

at::Tensor PprGo::output(const Batch& batch) const { return batch.of_targets(embed(batch)); }

int64_t PprGo::iterations() const {
  if (options_.alpha >= 1) return 0;
  return static_cast<int64_t>(std::ceil(std::log(kLeft) / std::log(1 - options_.alpha)));
}

at::Tensor PprGo::embed(const Batch& whole, const InferenceOptions& options,
                        Progress& progress) const {
  const at::NoGradGuard no_gradient;
  const int64_t classes = layers_.back().weight().size(0);
  LayerWise rows(whole, parameters_.device(), classes, 1 + iterations(), options, progress);
  at::Tensor own = rows.matrix(classes);
  rows.fill(own, [&](int64_t b, int64_t e) {
    return predict(whole.features.slice(b, e), Pass::inference());
  });
  const SparseOperator& mean = whole.adjacency.layer(0);
  at::Tensor sums = own;
  for (int64_t i = 0; i < iterations(); ++i) {
    at::Tensor next = rows.matrix(classes);
    rows.fill(next, [&](int64_t b, int64_t e) {
      return options_.alpha * own.slice(0, b, e) +
             (1 - options_.alpha) * mean.slice(b, e)->apply(sums);
    });
    sums = next;
  }
  return sums;
}

template MethodMaker method_maker<PprGo>();

}  // namespace gs
