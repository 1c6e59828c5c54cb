// Adam (Kingma & Ba), as torch.optim.Adam computes it, with state that a checkpoint can hold.
#pragma once

#include <map>
#include <string>

#include "nn/parameters.h"

namespace gs {

struct AdamOptions {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
};

class Adam {
 public:
  Adam(const Parameters& parameters, const AdamOptions& options);

  // Takes one step. Gradients are scaled down to a joint norm of `clip` if it is above 0, and stay
  // unchanged themselves; a weight without a gradient is skipped. Returns the norm before clipping;
  // if it is not finite, no step is taken.
  double step(double clip = 0);

  // The state as named tensors ("m.NAME", "v.NAME") and the number of steps taken.
  std::vector<NamedTensor> state() const;
  int64_t steps() const { return steps_; }
  void set_steps(int64_t steps) { steps_ = steps; }

 private:
  struct Moments {
    at::Tensor weight, first, second;
    std::string name;
  };
  double native_step(double clip);
  double plain_step(double clip);

  AdamOptions options_;
  bool native_;
  std::vector<Moments> moments_;
  int64_t steps_ = 0;
};

}  // namespace gs
