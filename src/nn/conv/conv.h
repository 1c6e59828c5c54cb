// A convolution: one layer's way from source rows to target rows,
//   messages   h_j = x_j W'
//   aggregate  what target i hears of its sources' messages
//   output     what it makes of that and of its own input, before norm and activation.
// Rows may hold several views side by side, which share all weights. One convolution is one file in
// this folder and one row in options/convolutions.h.
//
// Thread safety: const calls may run at once; no state but the weights.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "nn/features.h"
#include "nn/parameters.h"
#include "nn/pass.h"

namespace gs {

struct ConvSetting {
  Parameters& store;  // gets the weights, named NAME.*
  std::string name;
  int64_t layer = 0;  // its index in the encoder, which dropout masks depend on
  int64_t inputs = 0, outputs = 0;
  int64_t heads = 1;  // side by side in the outputs; for attention
  double attention_dropout = 0;
};

// Target rows [begin, end).
using RowBlock = std::function<at::Tensor(int64_t begin, int64_t end)>;

class Conv {
 public:
  virtual ~Conv() = default;
  Conv(const Conv&) = delete;
  Conv& operator=(const Conv&) = delete;

  int64_t inputs() const { return weight_.size(1); }
  int64_t outputs() const { return weight_.size(0); }

  // [rows, views * inputs] -> [rows, views * outputs], of any rows.
  at::Tensor messages(const Input& x, int64_t views = 1) const;
  // [sources, K] -> [targets, K].
  virtual at::Tensor aggregate(const SparseOperator& adjacency, const at::Tensor& messages,
                               const Pass& pass) const = 0;
  // The same for blocks of target rows, without dropout and without gradients. Both arguments must
  // outlive the result.
  virtual RowBlock aggregate_rows(const SparseOperator& adjacency,
                                  const at::Tensor& messages) const = 0;
  // `x` is the input of the same target rows.
  virtual at::Tensor output(const at::Tensor& aggregated, const Input& x,
                            const Pass& pass) const = 0;

  // The steps above over all rows. `aggregated`, if defined, is A x: only for linear().
  at::Tensor forward(const Input& x, const SparseOperator& adjacency, const Pass& pass,
                     const at::Tensor& aggregated = {}) const;
  // Whether aggregate() is A times the messages, so that A (x W') may be made as (A x) W'.
  virtual bool linear() const = 0;

  // Whether the output is A x W' + b and nothing else, so that an epilogue may be fused to it.
  virtual bool fuses() const { return false; }
  // epilogue(forward(...)) of such a convolution; the epilogue's bias is set here.
  at::Tensor fused(const Input& x, const SparseOperator& adjacency, const Pass& pass,
                   const at::Tensor& aggregated, Epilogue epilogue) const;

 protected:
  // Made in braces, which keep the order of a model's parameters: the weight comes first.
  struct Weights {
    at::Tensor weight, bias;  // [outputs, inputs], [outputs]
  };
  Conv(const ConvSetting& setting, Weights weights)
      : weight_(std::move(weights.weight)),
        bias_(std::move(weights.bias)),
        native_(setting.store.device().native) {}

  at::Tensor map(const Input& x, const at::Tensor& weight, int64_t views) const;  // x weight'
  at::Tensor plus_bias(const at::Tensor& x, int64_t views) const;

 private:
  // Whether A x is made before x W': the same sum at another price.
  bool aggregates_first(const Input& x, const SparseOperator& adjacency) const;

  at::Tensor weight_, bias_;
  bool native_;
};

// Aggregates by A as it is: what GCN and SAGE share.
class LinearConv : public Conv {
 public:
  at::Tensor aggregate(const SparseOperator& adjacency, const at::Tensor& messages,
                       const Pass& pass) const override;
  RowBlock aggregate_rows(const SparseOperator& adjacency,
                          const at::Tensor& messages) const override;
  bool linear() const override { return true; }

 protected:
  using Conv::Conv;
};

// The convolution of this name (options/convolutions.h); usage Error for an unknown one.
std::unique_ptr<const Conv> make_conv(std::string_view name, const ConvSetting& setting);

// Instantiated for each class in its own file (nn/conv/make.h).
template <class C>
std::unique_ptr<const Conv> make_conv(const ConvSetting& setting);

}  // namespace gs
