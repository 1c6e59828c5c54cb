#include "augment/feature_mask.h"

#include <numeric>
#include <vector>

#include "base/error.h"

namespace gs {

at::Tensor column_mask(int64_t columns, const FeatureMask& mask, const Device& device) {
  GS_ASSERT(mask.each.empty() || std::ssize(mask.each) == columns);
  if (mask.each.empty() && !(mask.probability > 0)) return {};
  const uint64_t key = mask.random.fork("columns").key();
  at::Tensor kept = at::ones({columns});
  float* out = kept.data_ptr<float>();
  for (int64_t c = 0; c < columns; ++c) {
    const double p = mask.each.empty() ? mask.probability : static_cast<double>(mask.each[c]);
    if (static_cast<double>(philox(key, static_cast<uint64_t>(c))[0]) < p * 0x1.0p32) out[c] = 0;
  }
  return kept.to(device.options());
}

at::Tensor row_shuffle(int64_t rows, Random random, const Device& device) {
  at::Tensor order = at::empty({rows}, at::kLong);
  const std::span<int64_t> values(order.data_ptr<int64_t>(), static_cast<size_t>(rows));
  std::iota(values.begin(), values.end(), 0);
  random.fork("rows").shuffle(values);
  return order.to(device.torch);
}

}  // namespace gs
