// Lanes and inner products that the attention kernels share, for each vector target.
#if defined(GS_KERNELS_ATTENTION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GS_KERNELS_ATTENTION_INL_H
#undef GS_KERNELS_ATTENTION_INL_H
#else
#define GS_KERNELS_ATTENTION_INL_H
#endif

#include <algorithm>

#include "kernels/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gs::HWY_NAMESPACE {

HWY_INLINE auto lanes_left(int64_t left) {
  return hn::FirstN(kFloats, static_cast<size_t>(std::min(left, kFloatLanes)));
}

HWY_INLINE float lane_sum(Floats x) { return hn::GetLane(hn::SumOfLanes(kFloats, x)); }

HWY_INLINE void store_lanes(Floats x, int64_t lanes, float* to) {
  if (lanes == kFloatLanes) hn::StoreU(x, kFloats, to);
  else hn::BlendedStore(x, hn::FirstN(kFloats, static_cast<size_t>(lanes)), kFloats, to);
}

HWY_INLINE float dot(const float* a, const float* b, int64_t width) {
  Floats even = hn::Zero(kFloats), odd = even;
  int64_t c = 0;
  for (; c + 2 * kFloatLanes <= width; c += 2 * kFloatLanes) {
    even = hn::MulAdd(hn::LoadU(kFloats, a + c), hn::LoadU(kFloats, b + c), even);
    odd = hn::MulAdd(hn::LoadU(kFloats, a + c + kFloatLanes),
                     hn::LoadU(kFloats, b + c + kFloatLanes), odd);
  }
  for (; c < width; c += kFloatLanes) {
    const auto there = lanes_left(width - c);
    even = hn::MulAdd(hn::MaskedLoad(there, kFloats, a + c), hn::MaskedLoad(there, kFloats, b + c),
                      even);
  }
  return lane_sum(hn::Add(even, odd));
}

}  // namespace gs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
