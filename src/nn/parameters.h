// The named tensors of a model, in the order they were made: weights (with gradients) and buffers
// (running statistics). Modules keep the tensors they add; optimizer, checkpoint and warm start see
// them here by name.
#pragma once

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "nn/device.h"

namespace gs {

// Bounds of uniform starting weights: Glorot's, and those of PyTorch's Linear.
double glorot_bound(int64_t inputs, int64_t outputs);
double linear_bound(int64_t inputs);

struct NamedTensor {
  std::string name;
  at::Tensor tensor;
};

class Parameters {
 public:
  Parameters(const Device& device, Random random) : device_(device), random_(random) {}

  // Uniform in [-bound, bound]; drawn from a stream of this name, so that adding a layer does not
  // change the others.
  at::Tensor uniform(const std::string& name, at::IntArrayRef shape, double bound);
  at::Tensor constant(const std::string& name, at::IntArrayRef shape, double value);
  at::Tensor buffer(const std::string& name, at::IntArrayRef shape, double value);
  // Keeps all that `other` has as buffers of its own, sharing storage: they get no gradients then.
  void adopt(const Parameters& other);

  const std::vector<NamedTensor>& weights() const { return weights_; }
  const std::vector<NamedTensor>& buffers() const { return buffers_; }
  std::vector<NamedTensor> all() const;  // weights, then buffers
  int64_t count() const;                 // numbers in the weights
  const Device& device() const { return device_; }
  void zero_gradients();

 private:
  at::Tensor add(const std::string& name, at::Tensor value);

  Device device_;
  Random random_;
  std::vector<NamedTensor> weights_, buffers_;
};

}  // namespace gs
