// The element-wise steps of epilogue.h on runs of up to 32 columns, for each vector target.
// Included by the kernels that fuse them.
#if defined(GS_KERNELS_EPILOGUE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GS_KERNELS_EPILOGUE_INL_H
#undef GS_KERNELS_EPILOGUE_INL_H
#else
#define GS_KERNELS_EPILOGUE_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "kernels/epilogue.h"

HWY_BEFORE_NAMESPACE();
namespace gs::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::CappedTag<float, 16> kFloats;
using Floats = hn::Vec<decltype(kFloats)>;
constexpr int64_t kFloatLanes = static_cast<int64_t>(hn::MaxLanes(kFloats));

// The lanes [lane, lane + kFloatLanes) of a word of bits.
HWY_INLINE auto mask_of(uint32_t bits, int64_t lane) {
  const uint64_t word = uint64_t{bits} >> lane;
  return hn::LoadMaskBits(kFloats, reinterpret_cast<const uint8_t*>(&word));
}

// out = skip + dropped(relu(in + bias)) over `width` columns; `kept` has one bit per column.
HWY_INLINE void epilogue_run(const EpilogueForward& f, int64_t width, uint32_t kept,
                             const float* bias, const float* skip, const float* in, float* out) {
  const auto zero = hn::Zero(kFloats), scale = hn::Set(kFloats, f.scale);
  int64_t c = 0;
  for (; c + kFloatLanes <= width; c += kFloatLanes) {
    Floats x = hn::LoadU(kFloats, in + c);
    if (bias) x = hn::Add(x, hn::LoadU(kFloats, bias + c));
    if (f.relu) x = hn::Max(x, zero);
    if (f.kept) x = hn::IfThenElseZero(mask_of(kept, c), hn::Mul(x, scale));
    if (skip) x = hn::Add(x, hn::LoadU(kFloats, skip + c));
    hn::StoreU(x, kFloats, out + c);
  }
  for (; c < width; ++c) {
    float x = in[c];
    if (bias) x += bias[c];
    if (f.relu && !(x > 0)) x = x != x ? x : 0;  // a NaN stays one
    if (f.kept) x = (kept >> c & 1) != 0 ? x * f.scale : 0;
    if (skip) x += skip[c];
    out[c] = x;
  }
}

// dx = dy * scale where let through, and 0 elsewhere; `sums`, when set, grows by it; then dx is
// multiplied by `factor`.
HWY_INLINE void epilogue_backward_run(int64_t width, const float* output, uint32_t kept,
                                      float scale, float factor, const float* dy, float* dx,
                                      float* sums) {
  const auto zero = hn::Zero(kFloats), times = hn::Set(kFloats, scale);
  const auto by = hn::Set(kFloats, factor);
  int64_t c = 0;
  for (; c + kFloatLanes <= width; c += kFloatLanes) {
    Floats g = hn::Mul(hn::LoadU(kFloats, dy + c), times);
    if (output) g = hn::IfThenElseZero(hn::Gt(hn::LoadU(kFloats, output + c), zero), g);
    else g = hn::IfThenElseZero(mask_of(kept, c), g);
    if (sums) hn::StoreU(hn::Add(hn::LoadU(kFloats, sums + c), g), kFloats, sums + c);
    hn::StoreU(hn::Mul(g, by), kFloats, dx + c);
  }
  for (; c < width; ++c) {
    const bool through = output ? output[c] > 0 : (kept >> c & 1) != 0;
    const float g = through ? dy[c] * scale : 0;
    if (sums) sums[c] += g;
    dx[c] = g * factor;
  }
}

}  // namespace gs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
