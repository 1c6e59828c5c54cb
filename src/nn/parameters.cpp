#include "nn/parameters.h"

#include <algorithm>
#include <cmath>

#include "nn/expected_shapes.h"

namespace gs {

double glorot_bound(int64_t inputs, int64_t outputs) {
  return std::sqrt(6.0 / static_cast<double>(inputs + outputs));
}

double linear_bound(int64_t inputs) {
  return 1 / std::sqrt(static_cast<double>(std::max<int64_t>(1, inputs)));
}

namespace {

at::Tensor without_memory(at::IntArrayRef shape) {
  return at::empty(shape, at::device(at::kMeta).dtype(at::kFloat));
}

}  // namespace

at::Tensor Parameters::add(const std::string& name, at::Tensor value) {
  if (!value.is_meta()) value = value.to(device_.options());
  value.set_requires_grad(true);
  weights_.push_back({name, value});
  return value;
}

at::Tensor Parameters::uniform(const std::string& name, at::IntArrayRef shape, double bound) {
  ExpectedShapes::check(name, shape.data(), shape.size());
  if (ShapesOnly::wanted()) return add(name, without_memory(shape));
  at::Tensor value = at::empty(shape, at::kDouble);
  Random stream = random_.fork(name);
  double* data = value.data_ptr<double>();
  for (int64_t i = 0; i < value.numel(); ++i) data[i] = bound * (2 * stream.uniform() - 1);
  return add(name, value);
}

at::Tensor Parameters::constant(const std::string& name, at::IntArrayRef shape, double value) {
  ExpectedShapes::check(name, shape.data(), shape.size());
  if (ShapesOnly::wanted()) return add(name, without_memory(shape));
  return add(name, at::full(shape, value, at::kDouble));
}

at::Tensor Parameters::buffer(const std::string& name, at::IntArrayRef shape, double value) {
  ExpectedShapes::check(name, shape.data(), shape.size());
  buffers_.push_back({name, ShapesOnly::wanted() ? without_memory(shape)
                                                 : at::full(shape, value, device_.options())});
  return buffers_.back().tensor;
}

void Parameters::adopt(const Parameters& other) {
  for (const auto& [name, tensor] : other.all())
    buffers_.push_back({name, tensor.set_requires_grad(false)});
}

std::vector<NamedTensor> Parameters::all() const {
  std::vector<NamedTensor> out = weights_;
  out.insert(out.end(), buffers_.begin(), buffers_.end());
  return out;
}

int64_t Parameters::count() const {
  int64_t total = 0;
  for (const auto& weight : weights_) total += weight.tensor.numel();
  return total;
}

void Parameters::zero_gradients() {
  for (auto& weight : weights_) weight.tensor.mutable_grad() = at::Tensor();
}

}  // namespace gs
