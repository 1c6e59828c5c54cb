#include "kernels/diffusion.h"

#include <algorithm>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/diffusion.cpp"
#include <hwy/foreach_target.h>  // this file again, once for each target
//
#include "kernels/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gs::HWY_NAMESPACE {

constexpr int kTileVectors = static_cast<int>(kTileColumns / kFloatLanes);
constexpr int64_t kSumRows = 256;  // rows whose sums are in float

struct Row {
  Floats v[kTileVectors];

  static HWY_INLINE Row load(const float* at) {
    Row out;
#pragma GCC unroll 16
    for (int i = 0; i < kTileVectors; ++i) out.v[i] = hn::LoadU(kFloats, at + i * kFloatLanes);
    return out;
  }
  HWY_INLINE void store(float* at) const {
#pragma GCC unroll 16
    for (int i = 0; i < kTileVectors; ++i) hn::StoreU(v[i], kFloats, at + i * kFloatLanes);
  }
  HWY_INLINE void add(const Row& other) {
#pragma GCC unroll 16
    for (int i = 0; i < kTileVectors; ++i) v[i] = hn::Add(v[i], other.v[i]);
  }
  HWY_INLINE Row times(float factor) const {
    Row out;
    const auto by = hn::Set(kFloats, factor);
#pragma GCC unroll 16
    for (int i = 0; i < kTileVectors; ++i) out.v[i] = hn::Mul(v[i], by);
    return out;
  }
};

template <bool kValues>
void hop(const Diffusion& d, size_t k, const float* x, float* next, float* const* out) {
  constexpr int64_t kAhead = 16;  // entries
  const SparseRows& a = d.matrix;
  const int64_t stop = a.offsets[a.rows] - kAhead;
  for (int64_t r = 0; r < a.rows; ++r) {
    Row sum;
    if (d.self) {
      sum = Row::load(x + r * kTileColumns).times(d.self[r]);
    } else {
#pragma GCC unroll 16
      for (int i = 0; i < kTileVectors; ++i) sum.v[i] = hn::Zero(kFloats);
    }
    for (int64_t e = a.offsets[r]; e < a.offsets[r + 1]; ++e) {
      if (e < stop) hwy::Prefetch(x + int64_t{a.indices[e + kAhead]} * kTileColumns);
      Row from = Row::load(x + int64_t{a.indices[e]} * kTileColumns);
      if constexpr (kValues) from = from.times(a.values[e]);
      sum.add(from);
    }
    if (d.row_scale) sum = sum.times(d.row_scale[r]);
    for (size_t f = 0; f < d.coefficients.size(); ++f) {
      if (k >= d.coefficients[f].size()) continue;
      float* const to = out[f] + r * kTileColumns;
      Row total = Row::load(to);
      total.add(sum.times(d.coefficients[f][k]));
      total.store(to);
    }
    if (d.column_scale) sum = sum.times(d.column_scale[r]);
    sum.store(next + r * kTileColumns);
  }
}

void diffuse(const Diffusion& d, float* x, float* next, float* const* out) {
  size_t terms = 0;
  for (const auto& coefficients : d.coefficients) terms = std::max(terms, coefficients.size());
  for (int64_t r = 0; r < d.matrix.rows; ++r) {
    Row own = Row::load(x + r * kTileColumns);
    for (size_t f = 0; f < d.coefficients.size(); ++f)
      own.times(d.coefficients[f][0]).store(out[f] + r * kTileColumns);
    if (d.column_scale) own.times(d.column_scale[r]).store(x + r * kTileColumns);
  }
  for (size_t k = 1; k < terms; ++k) {
    if (d.matrix.values) hop<true>(d, k, x, next, out);
    else hop<false>(d, k, x, next, out);
    std::swap(x, next);
  }
}

void put(const float* tile, const TileRows& call) {
  const auto zero = hn::Zero(kFloats);
  HWY_ALIGN float row[kTileColumns], sums[kTileColumns], squares[kTileColumns];
  const bool summed = call.sums || call.squares;
  for (int64_t begin = 0; begin < call.rows; begin += kSumRows) {
    Row sum, square;
#pragma GCC unroll 16
    for (int i = 0; i < kTileVectors; ++i) sum.v[i] = square.v[i] = zero;
    for (int64_t r = begin; r < std::min(call.rows, begin + kSumRows); ++r) {
      Row now = Row::load(tile + r * kTileColumns);
      if (call.row_scale) now = now.times(call.row_scale[r]);
      if (call.root) {
#pragma GCC unroll 16
        for (int i = 0; i < kTileVectors; ++i) now.v[i] = hn::Sqrt(hn::Max(now.v[i], zero));
      }
      if (summed) {
        sum.add(now);
#pragma GCC unroll 16
        for (int i = 0; i < kTileVectors; ++i)
          square.v[i] = hn::Add(square.v[i], hn::Mul(now.v[i], now.v[i]));
      }
      float* const to = call.y + r * call.y_stride;
      if (call.width == kTileColumns) {
        now.store(to);
      } else {
        now.store(row);
        std::copy_n(row, call.width, to);
      }
    }
    if (!summed) continue;
    sum.store(sums), square.store(squares);
    for (int64_t c = 0; c < call.width; ++c) {
      if (call.sums) call.sums[c] += static_cast<double>(sums[c]);
      if (call.squares) call.squares[c] += static_cast<double>(squares[c]);
    }
  }
}

}  // namespace gs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gs {

HWY_EXPORT(diffuse);
HWY_EXPORT(put);

void diffuse_tile(const Diffusion& diffusion, float* x, float* next, std::span<float* const> out) {
  HWY_DYNAMIC_DISPATCH(diffuse)(diffusion, x, next, out.data());
}

void put_tile(const float* tile, const TileRows& call) { HWY_DYNAMIC_DISPATCH(put)(tile, call); }

}  // namespace gs
#endif
