#include "kernels/dropout.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/random.h"

namespace gs {

DropoutRule dropout_rule(uint64_t key, double probability) {
  const auto threshold =
      static_cast<uint32_t>(std::lround(std::clamp(probability, 0.0, 65535.0 / 65536) * 65536));
  return {key, threshold, 65536.0 / (65536.0 - threshold)};
}

template <class T>
void dropout_mask(const DropoutRule& rule, int64_t first_row, int64_t rows, int64_t columns,
                  T* mask) {
  const T kept = static_cast<T>(rule.scale);
  parallel_for(rows, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, columns)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t r = begin; r < end; ++r) {
                   T* out = mask + r * columns;
                   for (int64_t c = 0; c < columns; c += 8) {
                     const PhiloxBlock block =
                         philox(rule.key, static_cast<uint64_t>(first_row + r),
                                static_cast<uint64_t>(c / 8));
                     const int64_t count = std::min<int64_t>(8, columns - c);
                     for (int64_t i = 0; i < count; ++i) {
                       const uint32_t draw = (block[i / 2] >> (16 * (i % 2))) & 0xFFFF;
                       out[c + i] = draw < rule.threshold ? T{0} : kept;
                     }
                   }
                 }
               });
}

template void dropout_mask<float>(const DropoutRule&, int64_t, int64_t, int64_t, float*);
template void dropout_mask<double>(const DropoutRule&, int64_t, int64_t, int64_t, double*);

}  // namespace gs
