// An operator that a backward pass needs, kept alive by the autograd context of its forward pass.
#pragma once

#include <torch/csrc/autograd/custom_function.h>

#include <memory>
#include <utility>

namespace gs {

template <class T>
struct KeptObject : torch::CustomClassHolder {
  explicit KeptObject(std::shared_ptr<const T> o) : object(std::move(o)) {}
  std::shared_ptr<const T> object;
};

template <class T>
void keep(torch::autograd::AutogradContext* context, std::shared_ptr<const T> object) {
  context->saved_data["self"] =
      c10::IValue::make_capsule(c10::make_intrusive<KeptObject<T>>(std::move(object)));
}

// What keep<T>() was given; it lives as long as the context.
template <class T>
const T& kept(torch::autograd::AutogradContext* context) {
  return *static_cast<const KeptObject<T>&>(*context->saved_data["self"].toCapsule()).object;
}

}  // namespace gs
