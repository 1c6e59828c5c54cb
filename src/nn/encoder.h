// A GNN encoder: L layers, each convolution, norm, activation, dropout, joined by the skip rule.
// Which of these the last layer has is up to its shape: GraphSurgeon's shared encoder h has norm
// and dropout there but no activation, a classifier none of them. One forward serves training and
// inference, one view or two side by side; layer-wise inference over blocks of rows
// (method/inference.h) calls the same per-layer steps.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "config/model_options.h"
#include "nn/adjacency.h"
#include "nn/linear.h"

namespace gs {

enum class Activation { relu, prelu, elu };

struct EncoderShape {
  Convolution convolution = Convolution::gcn;
  int64_t inputs = 0, hidden = 0, outputs = 0;  // hidden: of every layer but the last
  int64_t layers = 2;
  NormKind norm = NormKind::none;
  Skip skip = Skip::none;  // a sum needs layers of one width
  Activation activation = Activation::relu;
  double dropout = 0;
  int64_t heads =
      1;  // of attention, side by side in a hidden layer's width; the last layer has one
  double attention_dropout = 0;
  bool norm_last = true, activate_last = false, drop_last = true;

  int64_t widest() const { return std::max(hidden, outputs); }
};

class Encoder {
 public:
  // `views` is how many views keep batch-norm statistics of their own: 2 in pre mode, 1 in post
  // mode.
  Encoder(Parameters& store, const std::string& name, const EncoderShape& shape, int views = 1);
  // GraphSurgeon's: every layer has the output's width.
  Encoder(Parameters& store, const std::string& name, int64_t inputs, int64_t outputs,
          const ModelOptions& options, int views);

  // [sources, views * inputs] -> [targets, views * width]: of the first and the last layer; on a
  // whole graph both are N. `aggregated`, when given, is A x, made once for features that do not
  // change.
  at::Tensor forward(const Input& x, const Adjacency& adjacency, const Pass& pass,
                     const at::Tensor& aggregated = {}) const;

  // The steps of layer `l`: messages of source rows, what target rows hear of them, and the output
  // of target rows from that and their own input. forward() is these over all rows, fused where the
  // kernels can; callers may go through rows in blocks.
  at::Tensor messages(int64_t l, const Input& x, int64_t views = 1) const;
  at::Tensor aggregate(int64_t l, const SparseOperator& adjacency, const at::Tensor& messages,
                       const Pass& pass) const;
  // By a block of rows from `first_row` on, without gradients. `scores` are of all messages.
  at::Tensor aggregate(int64_t l, const SparseOperator& block, const at::Tensor& messages,
                       const Scores& scores, int64_t first_row) const;
  Scores scores(int64_t l, const SparseOperator& adjacency, const at::Tensor& messages) const;
  at::Tensor output(int64_t l, const at::Tensor& aggregated, const Input& x,
                    const Pass& pass) const;

  int64_t layers() const { return static_cast<int64_t>(layers_.size()); }
  int64_t width(int64_t l) const { return layers_[static_cast<size_t>(l)].weight.size(0); }
  const EncoderShape& shape() const { return shape_; }

 private:
  struct Layer {
    at::Tensor weight, bias;               // messages: x weight'; bias behind the aggregation
    at::Tensor root;                       // SAGE: x root' is added
    ScoreVectors attention;                // GAT: [1, heads, width of a head]
    at::Tensor skip, skip_bias;            // learned linear skip
    at::Tensor gain, shift;                // norm
    at::Tensor running_mean, running_var;  // [views, width], batch norm
    at::Tensor slope;                      // PReLU
  };
  // A layer whose output is finish(A x W'), with nothing else in between.
  bool is_plain(const Layer& layer) const;
  // Whether A x is made before x W', rather than behind it: the same sum at another price.
  bool aggregates_first(const Layer& layer, const Input& x, const SparseOperator& adjacency) const;
  at::Tensor plain_layer(int64_t l, const Input& x, const SparseOperator& adjacency,
                         const Pass& pass, const at::Tensor& aggregated,
                         const at::Tensor& skip) const;
  at::Tensor normalised(const Layer& layer, const at::Tensor& x, const Pass& pass) const;
  at::Tensor activated(int64_t l, const at::Tensor& x) const;  // where that is not a ReLU
  AttentionOptions attention(int64_t l, const Pass& pass) const;
  Finishing finishing(int64_t l, const Pass& pass) const;  // ReLU and dropout of layer l

  bool is_last(int64_t l) const { return l + 1 == shape_.layers; }
  bool attends() const { return shape_.convolution == Convolution::gat; }
  int64_t heads(int64_t l) const { return is_last(l) ? 1 : shape_.heads; }
  bool activates(int64_t l) const { return shape_.activate_last || !is_last(l); }

  EncoderShape shape_;
  bool native_;
  std::vector<Layer> layers_;
};

}  // namespace gs
