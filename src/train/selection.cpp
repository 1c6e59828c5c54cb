#include "train/selection.h"

#include "dataset/splits.h"
#include "eval/predictions.h"
#include "eval/probe.h"
#include "options/methods.h"

namespace gs {

bool selects(const RunOptions& options) {
  return method_info(options.method.method).supervised() || options.train.select == Select::val;
}

std::vector<Split> needed_splits(const Dataset& data, const RunOptions& options,
                                 const TrainRequest& request) {
  const bool select = selects(options);
  if (!select && options.loader.target_nodes != "train") return {};
  if (data.labels.task == Task::none) {
    if (method_info(options.method.method).supervised())
      fail_data(request.data,
                fmt::format("has no labels, which {} learns from", options.method.method),
                "use a method that needs none, such as graphsurgeon");
    fail_data(request.data,
              fmt::format("has no labels, which {} needs",
                          select ? "--select val" : "--target-nodes train"),
              select ? "leave --select at 'last'" : "leave --target-nodes at 'all'");
  }
  return make_splits(data, options.train.splits, select ? options.train.num_splits : 1,
                     static_cast<uint64_t>(request.split_seed.value_or(options.train.seed)));
}

Selection::Selection(const Dataset& data, const RunOptions& options,
                     const std::vector<Split>& splits)
    : data_(data), options_(options), splits_(splits) {
  kept_.weights.resize(splits.size());
  kept_.scores.assign(splits.size(), -1);
}

bool Selection::due(int64_t epoch, bool last) const {
  return active() && (epoch % options_.train.select_every == 0 || last);
}

double Selection::score(const at::Tensor& output, std::optional<int64_t> split,
                        const Parameters& parameters) {
  if (split) {
    const auto s = static_cast<size_t>(*split);
    const double score = validation_score(output, data_.labels, splits_[s]);
    keep_if_better(s, score, parameters);
    return score;
  }
  ProbeOptions probe{.probe = Probe::paper};
  probe.probe_epochs = probe_epochs(options_.protocol, data_.name);
  const auto scores = validation_scores(output, data_.labels, splits_, probe,
                                        static_cast<uint64_t>(options_.train.seed));
  double mean = 0;
  for (size_t s = 0; s < splits_.size(); ++s) {
    mean += scores[s] / static_cast<double>(splits_.size());
    keep_if_better(s, scores[s], parameters);
  }
  return mean;
}

void Selection::keep_if_better(size_t split, double score, const Parameters& parameters) {
  if (!(score > kept_.scores[split])) return;
  kept_.scores[split] = score;
  for (const auto& [name, tensor] : parameters.all())
    kept_.weights[split][name] = tensor.detach().clone();
}

TensorMap Selection::best(const TensorMap& last) {
  for (TensorMap& weights : kept_.weights)
    if (weights.empty()) weights = last;
  return active() ? kept_.weights[0] : last;
}

}  // namespace gs
