#include "nn/finite.h"

#include <ATen/ATen.h>

#include <cmath>

#include "base/error.h"

namespace gs {

void check_finite(const at::Tensor& embeddings) {
  if (embeddings.numel() == 0) return;
  const auto [low, high] = at::aminmax(embeddings);  // NaN if any is
  if (!std::isfinite(low.item<double>()) || !std::isfinite(high.item<double>()))
    fail_data("embeddings", "hold NaN or infinite values",
              "train with a smaller learning rate, or check the features");
}

}  // namespace gs
