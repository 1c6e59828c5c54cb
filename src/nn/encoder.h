// A GNN encoder: L layers, each convolution, norm, activation, dropout, joined by the skip rule.
// Which of these the last layer has is up to its shape: GraphSurgeon's shared encoder h has norm
// and dropout there but no activation, a classifier none of them. One forward serves training and
// inference, one view or two side by side; layer-wise inference over blocks of rows
// (nn/inference.h) takes the same steps layer by layer.
//
// Thread safety: const calls may run at once, except that training with batch norm updates running
// statistics.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nn/activation.h"
#include "nn/adjacency.h"
#include "nn/conv/conv.h"
#include "nn/norm.h"
#include "nn/skip.h"
#include "options/model.h"

namespace gs {

struct EncoderShape {
  std::string convolution = "gcn";              // a name of options/convolutions.h
  int64_t inputs = 0, hidden = 0, outputs = 0;  // hidden: width of every layer but the last
  int64_t layers = 2;
  NormKind norm = NormKind::none;
  Skip skip = Skip::none;  // a sum needs layers of one width
  Activation activation = Activation::relu;
  double dropout = 0;
  // Attention heads, side by side in a hidden layer's width; the last layer has one.
  int64_t heads = 1;
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

  // [sources, views * inputs] -> [targets, views * width]: sources of the first layer, targets of
  // the last; on a whole graph both are N. `aggregated`, if defined, is A x, made once for features
  // that do not change.
  at::Tensor forward(const Input& x, const Adjacency& adjacency, const Pass& pass,
                     const at::Tensor& aggregated = {}) const;

  // The convolution of layer `l`, and what the layer makes of any target rows that it aggregated;
  // `x` is the input of the same rows. forward() is these over all rows, fused where the kernels
  // can; callers may go through rows in blocks.
  const Conv& conv(int64_t l) const { return *layers_[static_cast<size_t>(l)].conv; }
  at::Tensor output(int64_t l, const at::Tensor& aggregated, const Input& x,
                    const Pass& pass) const;

  int64_t layers() const { return static_cast<int64_t>(layers_.size()); }
  int64_t width(int64_t l) const { return conv(l).outputs(); }
  const EncoderShape& shape() const { return shape_; }

 private:
  struct Layer {
    std::unique_ptr<const Conv> conv;
    std::optional<LinearSkip> skip;         // with Skip::linear
    std::unique_ptr<const NormLayer> norm;  // or null
    ActivationFunction activation;          // or empty: none, or the epilogue's ReLU
    bool fuses = false;                     // the output is epilogue(A x W' + b)
  };

  Layer make_layer(Parameters& store, const std::string& name, int64_t l, int views) const;
  // Skip, norm, activation and epilogue of layer l.
  at::Tensor after_conv(int64_t l, at::Tensor h, const Input& x, const Pass& pass) const;
  Epilogue epilogue(int64_t l, const Pass& pass) const;  // ReLU and dropout of layer l

  bool is_last(int64_t l) const { return l + 1 == shape_.layers; }
  bool activates(int64_t l) const { return shape_.activate_last || !is_last(l); }

  EncoderShape shape_;
  bool native_;
  std::vector<Layer> layers_;
};

}  // namespace gs
