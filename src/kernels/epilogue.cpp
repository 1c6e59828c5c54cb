#include "kernels/epilogue.h"

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "kernels/dropout.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/epilogue.cpp"
#include <hwy/foreach_target.h>  // this file again, once for each target
//
#include "kernels/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gs::HWY_NAMESPACE {

void epilogue_rows(const EpilogueForward& f, int64_t begin, int64_t end, int64_t columns,
                   float* x) {
  const int64_t words = bit_words(columns);
  for (int64_t r = begin; r < end; ++r) {
    float* row = x + r * columns;
    for (int64_t c = 0; c < columns; c += 32) {
      const int64_t width = std::min<int64_t>(32, columns - c);
      epilogue_run(f, width, f.kept ? f.kept[r * words + c / 32] : ~0u,
                   f.bias ? f.bias + c : nullptr, f.skip ? f.skip + r * columns + c : nullptr,
                   row + c, row + c);
    }
  }
}

// Rows [begin, end); the column sums go to sums[columns], which start at zero.
void epilogue_backward_rows(const EpilogueBackward& f, const float* dy, int64_t begin, int64_t end,
                            int64_t columns, float* dx, float* sums) {
  const int64_t words = bit_words(columns);
  for (int64_t r = begin; r < end; ++r)
    for (int64_t c = 0; c < columns; c += 32) {
      const int64_t width = std::min<int64_t>(32, columns - c), at = r * columns + c;
      epilogue_backward_run(width, f.output ? f.output + at : nullptr,
                            f.kept ? f.kept[r * words + c / 32] : ~0u, f.scale, 1.0f, dy + at,
                            dx + at, sums ? sums + c : nullptr);
    }
}

}  // namespace gs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gs {

HWY_EXPORT(epilogue_rows);
HWY_EXPORT(epilogue_backward_rows);

namespace {

constexpr int64_t kBlock = 1024;  // rows; column sums are added block by block, in double

}  // namespace

void epilogue_forward(const EpilogueForward& f, int64_t rows, int64_t columns, float* x) {
  parallel_for(rows, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, columns)),
               [&](int64_t begin, int64_t end) {
                 HWY_DYNAMIC_DISPATCH(epilogue_rows)(f, begin, end, columns, x);
               });
}

void epilogue_backward(const EpilogueBackward& f, const float* dy, int64_t rows, int64_t columns,
                       float* dx) {
  const int64_t blocks = (rows + kBlock - 1) / kBlock;
  std::vector<float> sums(f.bias ? static_cast<size_t>(blocks * columns) : 0);
  parallel_for(blocks, 1, [&](int64_t first, int64_t last) {
    for (int64_t b = first; b < last; ++b) HWY_DYNAMIC_DISPATCH(epilogue_backward_rows)
    (f, dy, b * kBlock, std::min(rows, (b + 1) * kBlock), columns, dx,
     f.bias ? sums.data() + b * columns : nullptr);
  });
  if (!f.bias) return;
  std::fill(f.bias, f.bias + columns, 0.0);
  for (int64_t b = 0; b < blocks; ++b)
    for (int64_t c = 0; c < columns; ++c) f.bias[c] += sums[static_cast<size_t>(b * columns + c)];
}

}  // namespace gs
#endif
