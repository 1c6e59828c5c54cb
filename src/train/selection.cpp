#include "train/selection.h"

#include "eval/predictions.h"
#include "eval/probe.h"

namespace gs {

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
