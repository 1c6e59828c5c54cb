// PPRGo (Bojchevski et al. 2020): an MLP of a node's own features, whose predictions are summed by
// personalized PageRank, so that no training step reads the graph.
//   logits_i = sum over j in the top k of pi(i)  pi(i)_j f(x_j)        f an MLP of --layers
//   loss     = cross-entropy of the training nodes
// pi(i) is computed for the training nodes only, by push (graph/ppr.h), before the first step; a
// step reads the features of the nodes that these reach, and no others. Inference computes the sum
// by power iteration over the whole graph: p = alpha f(X) + (1 - alpha) D^-1 A p, from p = f(X),
// until the remaining share falls below 5 percent.
//
// --epsilon is relative to the mean degree: push stops where a node's residual is below epsilon x
// its degree / the graph's mean degree. With the plain degree, push would reach no node of a dense
// graph.
#pragma once

#include "method/method.h"
#include "nn/linear.h"
#include "objective/cross_entropy.h"

namespace gs {

class PprGo final : public Method {
 public:
  explicit PprGo(const MethodSetting& setting);

  void prepare(const Share& share, const Split* split) override;
  Loss loss(const Batch& batch, const Step& step) override;
  at::Tensor embed(const Batch& whole, const InferenceOptions& options = {},
                   Progress& progress = no_progress()) const override;
  at::Tensor output(const Batch& batch) const override;

  int64_t iterations() const;  // steps of the power iteration

 private:
  at::Tensor predict(const Input& x, const Pass& pass) const;  // f(x)

  const MethodOptions options_;
  const double dropout_;
  std::vector<Linear> layers_;
  // The training nodes, and the nodes and weights of their sums.
  TrainingLabels labels_;
  std::optional<Input> features_;
  std::optional<Adjacency> weights_;
};

}  // namespace gs
