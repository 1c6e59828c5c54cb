#include "kernels/dropout.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dropout.cpp"
#include <hwy/foreach_target.h>  // this file again, once for each target
//
#include "kernels/philox-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gs::HWY_NAMESPACE {

// Sets bits [at, at + count) of a row of words from the low bits of `values`.
inline void put(uint32_t* words, int64_t at, int64_t count, uint64_t values) {
  if (count <= 0) return;
  if (count < 64) values &= (uint64_t{1} << count) - 1;
  const int64_t shift = at % 32;
  uint32_t* word = words + at / 32;
  word[0] |= static_cast<uint32_t>(values << shift);
  if (shift + count > 32) word[1] |= static_cast<uint32_t>(values >> (32 - shift));
}

// The 128 bits of group `group` in row `row`, as eight runs of 16.
HWY_INLINE void group_bits(uint64_t key, uint32_t threshold, uint64_t row, uint32_t group,
                           uint64_t runs[8]) {
  constexpr size_t kLanes = hn::MaxLanes(kWords);
  for (int d = 0; d < 8; ++d) runs[d] = 0;
  for (size_t first = 0; first < 16; first += kLanes) {
    Words c0 = hn::Set(kWords, static_cast<uint32_t>(row));
    Words c1 = hn::Set(kWords, static_cast<uint32_t>(row >> 32));
    Words c2 = hn::Iota(kWords, group * 16 + static_cast<uint32_t>(first));
    Words c3 = hn::Zero(kWords);
    philox_lanes(key, c0, c1, c2, c3);
    const Words words[4] = {c0, c1, c2, c3};
    for (int w = 0; w < 4; ++w)
      for (int half = 0; half < 2; ++half) {
        uint64_t kept = 0;
        hn::StoreMaskBits(kSigned, kept_lanes(words[w], half, threshold),
                          reinterpret_cast<uint8_t*>(&kept));
        runs[2 * w + half] |= (kept & ((uint64_t{1} << kLanes) - 1)) << first;
      }
  }
}

void kept_rows(const DropoutRule* views, int64_t count, int64_t first_row, int64_t begin,
               int64_t end, int64_t columns, uint32_t* bits) {
  const int64_t words = bit_words(count * columns);
  for (int64_t r = begin; r < end; ++r) {
    uint32_t* row = bits + r * words;
    std::fill(row, row + words, 0);
    for (int64_t v = 0; v < count; ++v)
      for (int64_t c = 0; c < columns; c += 128) {
        uint64_t runs[8];
        group_bits(views[v].key, views[v].threshold,
                   static_cast<uint64_t>(views[v].row(first_row + r)),
                   static_cast<uint32_t>(c / 128), runs);
        for (int64_t d = 0; d < 8; d += 2)
          put(row, v * columns + c + 16 * d, std::min<int64_t>(32, columns - c - 16 * d),
              runs[d] | runs[d + 1] << 16);
      }
  }
}

}  // namespace gs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gs {

HWY_EXPORT(kept_rows);

DropoutRule dropout_rule(uint64_t key, double probability) {
  const auto threshold =
      static_cast<uint32_t>(std::lround(std::clamp(probability, 0.0, 65535.0 / 65536) * 65536));
  return {key, threshold, 65536.0 / (65536.0 - threshold), nullptr};
}

namespace {

// Rows of this many elements in all are worth a thread's while.
int64_t grain(int64_t columns) {
  return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, columns));
}

}  // namespace

template <class T>
void dropout_mask(const DropoutRule& rule, int64_t first_row, int64_t rows, int64_t columns,
                  T* mask) {
  const T kept = static_cast<T>(rule.scale);
  parallel_for(rows, grain(columns), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      for (int64_t group = 0; group * 128 < columns; ++group)
        for (int64_t b = 0; b < 16; ++b) {
          const PhiloxBlock block = philox(rule.key, static_cast<uint64_t>(rule.row(first_row + r)),
                                           static_cast<uint64_t>(group * 16 + b));
          for (int64_t d = 0; d < 8; ++d) {
            const int64_t column = group * 128 + d * 16 + b;
            if (column >= columns) break;
            const uint32_t draw = (block[d / 2] >> (16 * (d % 2))) & 0xFFFF;
            mask[r * columns + column] = draw < rule.threshold ? T{0} : kept;
          }
        }
  });
}

template void dropout_mask<float>(const DropoutRule&, int64_t, int64_t, int64_t, float*);
template void dropout_mask<double>(const DropoutRule&, int64_t, int64_t, int64_t, double*);

void kept_bits(std::span<const DropoutRule> views, int64_t first_row, int64_t rows, int64_t columns,
               uint32_t* bits) {
  const auto count = static_cast<int64_t>(views.size());
  parallel_for(rows, grain(count * columns), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(kept_rows)(views.data(), count, first_row, begin, end, columns, bits);
  });
}

}  // namespace gs
#endif
