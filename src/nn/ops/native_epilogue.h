// How the autograd functions of the native kernels hold an epilogue between forward and backward.
#pragma once

#include <torch/csrc/autograd/custom_function.h>

#include <optional>

#include "kernels/epilogue.h"
#include "nn/ops/epilogue.h"

namespace gs {

// An epilogue without its tensors. A skip sum after a ReLU is not fused: y must show what got
// through.
struct EpilogueSpec {
  bool relu = false;
  std::vector<DropoutRule> dropout;

  float scale() const { return dropout.empty() ? 1 : static_cast<float>(dropout[0].scale); }
};

// How a tensor that may be undefined is handed to an autograd function.
using Maybe = std::optional<at::Tensor>;
inline Maybe maybe(const at::Tensor& x) { return x.defined() ? Maybe(x) : std::nullopt; }
inline at::Tensor known(const Maybe& x) { return x ? *x : at::Tensor(); }

inline Epilogue without_skip(Epilogue f) {
  f.skip.reset();
  return f;
}

inline bool serves_natively(const at::Tensor& x) {
  return x.device().is_cpu() && x.scalar_type() == at::kFloat;
}

class NativeEpilogue {
 public:
  NativeEpilogue(const EpilogueSpec& spec, const at::Tensor& bias, const at::Tensor& skip,
                 int64_t rows, int64_t columns);
  const EpilogueForward& kernel() const { return kernel_; }
  // Saves what backward needs: `inputs` of the product, then y or the mask.
  void save(torch::autograd::AutogradContext* context, torch::autograd::variable_list inputs,
            const at::Tensor& y) const;

 private:
  EpilogueForward kernel_;
  at::Tensor bias_, bits_, skip_;
  bool has_bias_;
};

class SavedEpilogue {
 public:
  SavedEpilogue(torch::autograd::AutogradContext* context, const at::Tensor& dy);
  SavedEpilogue(const SavedEpilogue&) = delete;
  SavedEpilogue& operator=(const SavedEpilogue&) = delete;
  const EpilogueBackward& kernel() const { return kernel_; }
  bool nothing() const;  // whether the gradient passes unchanged
  // dx; dy itself when there is nothing to do.
  at::Tensor through(const at::Tensor& dy) const;
  // Once a kernel has run; undefined without a bias.
  at::Tensor bias_gradient() const;
  at::Tensor skip_gradient(const at::Tensor& dy) const { return has_skip_ ? dy : at::Tensor(); }
  const torch::autograd::variable_list& inputs() const { return inputs_; }

 private:
  torch::autograd::variable_list inputs_;
  at::Tensor known_;          // y or the mask
  std::vector<double> bias_;  // kernel_ writes here
  EpilogueBackward kernel_;
  bool has_skip_;
};

}  // namespace gs
