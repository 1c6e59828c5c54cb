#include "kernels/spmm.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/dropout.h"
#include "kernels/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/spmm.cpp"
#include <hwy/foreach_target.h>  // this file again, once for each target
//
#include "kernels/epilogue-inl.h"

#ifndef GS_KERNELS_SPMM_ONCE
#define GS_KERNELS_SPMM_ONCE
namespace gs {

constexpr int64_t kPackBlock = 1024;  // rows packed as one piece; column sums are per piece

// Columns [first, first + width) of a call, packed at `tile` with `stride` floats per row.
struct TileJob {
  const Spmm* call;
  int64_t first, width, stride;
  float* tile;
  float* sums;  // of each pack block: [blocks, stride], or null
};

}  // namespace gs
#endif

HWY_BEFORE_NAMESPACE();
namespace gs::HWY_NAMESPACE {

constexpr int64_t kMaxTile = 128;

// Columns per tile of so many packed rows: as many as keep it in a core's own cache. Vectors of 8
// come with 16 registers, which hold the even and odd sums of 64 columns at most, and with a
// smaller cache.
int64_t tile_columns(int64_t rows) {
  if constexpr (kFloatLanes < 16) return rows <= 1792 ? 64 : 32;
  if (rows <= 2048) return 128;
  if (rows <= 4096) return 64;
  return rows <= 12288 ? 32 : 16;
}

// Rows [begin, end) of x into the tile; columns past the width become zero.
void pack_rows(const TileJob& job, int64_t begin, int64_t end) {
  const Spmm& call = *job.call;
  const EpilogueBackward& before = call.before;
  const int64_t words = bit_words(call.width);
  const float* columns[kMaxTile];
  if (call.x_transposed)
    for (int64_t c = 0; c < job.width; ++c) {
      const int64_t column = job.first + c;
      columns[c] = call.x_next && column >= call.split
                       ? call.x_next + (column - call.split) * call.x_stride
                       : call.x + column * call.x_stride;
    }
  for (int64_t r = begin; r < end; ++r) {
    float* out = job.tile + r * job.stride;
    const float factor = call.column_scale ? call.column_scale[r] : 1.0f;
    if (call.x_transposed) {
      for (int64_t c = 0; c < job.width; ++c) out[c] = columns[c][r] * factor;
    } else {
      const int64_t at = r * call.x_stride + job.first;
      for (int64_t c = 0; c < job.width; c += 32) {
        const int64_t run = std::min<int64_t>(32, job.width - c);
        uint32_t kept = ~0u;
        if (before.kept) {  // a tile begins at a multiple of 16
          const int64_t bit = job.first + c;
          kept = before.kept[r * words + bit / 32] >> (bit % 32);
          if (bit % 32 + run > 32) kept |= before.kept[r * words + bit / 32 + 1] << (32 - bit % 32);
        }
        epilogue_backward_run(run, before.output ? before.output + at + c : nullptr, kept,
                              before.scale, factor, call.x + at + c, out + c,
                              job.sums ? job.sums + r / kPackBlock * job.stride + c : nullptr);
      }
    }
    for (int64_t c = job.width; c < job.stride; ++c) out[c] = 0;
  }
}

// The sum of row `r` over kVectors vectors of columns at x (rows `stride` apart), even and odd
// entries apart. With kPartial only the first `last` lanes of the last vector are there. With
// kFetch what is needed some entries later is fetched meanwhile, as x does not stay in cache.
template <int kVectors, bool kValues, bool kScaled, bool kPartial, bool kFetch>
HWY_INLINE void gather(const Spmm& call, int64_t r, const float* x, int64_t stride, int64_t last,
                       float* out) {
  const SparseRows& a = call.matrix;
  const auto there = hn::FirstN(kFloats, static_cast<size_t>(last));
  Floats even[kVectors], odd[kVectors];
#pragma GCC unroll 64
  for (int i = 0; i < kVectors; ++i) even[i] = odd[i] = hn::Zero(kFloats);
  constexpr int64_t kAhead = 16;                                      // entries
  constexpr int kLine = 16 / kFloatLanes > 1 ? 16 / kFloatLanes : 1;  // vectors
  const int64_t stop = kFetch ? a.offsets[a.rows] - kAhead : 0;
  const auto add = [&](Floats* sum, int64_t e) HWY_ATTR {
    if constexpr (kFetch)
      if (e < stop) {
        const float* later = x + a.indices[e + kAhead] * stride;
#pragma GCC unroll 64
        for (int i = 0; i < kVectors; i += kLine) hwy::Prefetch(later + i * kFloatLanes);
      }
    const int32_t u = a.indices[e];
    const float* row = x + u * stride;
    const auto value = hn::Set(kFloats, kValues ? a.values[e] : 1.0f);
    const auto scale = hn::Set(kFloats, kScaled ? call.column_scale[u] : 1.0f);
#pragma GCC unroll 64
    for (int i = 0; i < kVectors; ++i) {
      const float* at = row + i * kFloatLanes;
      Floats v = kPartial && i + 1 == kVectors ? hn::MaskedLoad(there, kFloats, at)
                                               : hn::LoadU(kFloats, at);
      if constexpr (kScaled) v = hn::Mul(v, scale);
      if constexpr (kValues) v = hn::Mul(v, value);
      sum[i] = hn::Add(sum[i], v);
    }
  };
  int64_t e = a.offsets[r];
  const int64_t end = a.offsets[r + 1];
  for (; e + 1 < end; e += 2) add(even, e), add(odd, e + 1);
  if (e < end) add(even, e);
#pragma GCC unroll 64
  for (int i = 0; i < kVectors; ++i)
    hn::StoreU(hn::Add(even[i], odd[i]), kFloats, out + i * kFloatLanes);
}

// Diagonal, row scaling and epilogue of columns [first, first + width) of row r, whose sum is `sum`
// and whose own x is `own`; then to its place in y.
HWY_INLINE void put_row(const Spmm& call, int64_t r, int64_t first, int64_t width, bool scaled_own,
                        const float* own, float* sum) {
  const int64_t node = call.first_row + r;
  if (call.self && call.self[r] != 0) {
    const float weight = call.self[r];
    const float scale = scaled_own && call.column_scale ? call.column_scale[node] : 1.0f;
    for (int64_t c = 0; c < width; ++c) sum[c] += own[c] * scale * weight;
  }
  if (call.row_scale)
    for (int64_t c = 0; c < width; ++c) sum[c] *= call.row_scale[r];
  if (call.y_transposed) {
    for (int64_t c = 0; c < width; ++c) {
      const int64_t column = first + c;
      if (call.y_next && column >= call.split)
        call.y_next[(column - call.split) * call.y_stride + r] = sum[c];
      else call.y[column * call.y_stride + r] = sum[c];
    }
    return;
  }
  const EpilogueForward& after = call.after;
  const int64_t words = bit_words(call.width);
  for (int64_t c = 0; c < width; c += 32) {
    const int64_t run = std::min<int64_t>(32, width - c), column = first + c;
    uint32_t kept = ~0u;
    if (after.kept) {
      kept = after.kept[r * words + column / 32] >> (column % 32);
      if (column % 32 + run > 32)
        kept |= after.kept[r * words + column / 32 + 1] << (32 - column % 32);
    }
    const int64_t at = r * call.y_stride + column;
    epilogue_run(after, run, kept, after.bias ? after.bias + column : nullptr,
                 after.skip ? after.skip + at : nullptr, sum + c, call.y + at);
  }
}

template <int kTile, bool kValues>
void tile_rows(const TileJob& job, int64_t begin, int64_t end) {
  const Spmm& call = *job.call;
  HWY_ALIGN float sum[kMaxTile];
  for (int64_t r = begin; r < end; ++r) {
    gather<kTile / kFloatLanes, kValues, false, false, false>(call, r, job.tile, kTile, 0, sum);
    put_row(call, r, job.first, job.width, false, job.tile + (call.first_row + r) * kTile, sum);
  }
}

void sum_rows(const TileJob& job, int64_t begin, int64_t end) {
  const bool values = job.call->matrix.values != nullptr;
  switch (job.stride) {
    case 16:
      return values ? tile_rows<16, true>(job, begin, end) : tile_rows<16, false>(job, begin, end);
    case 32:
      return values ? tile_rows<32, true>(job, begin, end) : tile_rows<32, false>(job, begin, end);
    case 64:
      return values ? tile_rows<64, true>(job, begin, end) : tile_rows<64, false>(job, begin, end);
    default:
      return values ? tile_rows<128, true>(job, begin, end)
                    : tile_rows<128, false>(job, begin, end);
  }
}

// Eight vectors of columns at a time; what is left by halves, the last vector perhaps in part.
template <bool kValues, bool kScaled>
void direct_rows_as(const Spmm& call, int64_t begin, int64_t end) {
  constexpr int64_t kLanes = kFloatLanes;
  HWY_ALIGN float sum[8 * kLanes];
  for (int64_t r = begin; r < end; ++r) {
    const float* own = call.x + (call.first_row + r) * call.x_stride;
    for (int64_t c = 0; c < call.width;) {
      const int64_t left = call.width - c;
      const float* x = call.x + c;
      int64_t width = std::min(left, kLanes);
      if (left >= 8 * kLanes) {
        gather<8, kValues, kScaled, false, true>(call, r, x, call.x_stride, 0, sum),
            width = 8 * kLanes;
      } else if (left >= 4 * kLanes) {
        gather<4, kValues, kScaled, false, true>(call, r, x, call.x_stride, 0, sum),
            width = 4 * kLanes;
      } else if (left >= 2 * kLanes) {
        gather<2, kValues, kScaled, false, true>(call, r, x, call.x_stride, 0, sum),
            width = 2 * kLanes;
      } else if (left >= kLanes) {
        gather<1, kValues, kScaled, false, true>(call, r, x, call.x_stride, 0, sum);
      } else {
        gather<1, kValues, kScaled, true, true>(call, r, x, call.x_stride, left, sum);
      }
      put_row(call, r, c, width, true, own + c, sum);
      c += width;
    }
  }
}

void direct_rows(const Spmm& call, int64_t begin, int64_t end) {
  const bool values = call.matrix.values != nullptr, scaled = call.column_scale != nullptr;
  if (values)
    return scaled ? direct_rows_as<true, true>(call, begin, end)
                  : direct_rows_as<true, false>(call, begin, end);
  return scaled ? direct_rows_as<false, true>(call, begin, end)
                : direct_rows_as<false, false>(call, begin, end);
}

}  // namespace gs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gs {

HWY_EXPORT(tile_columns);
HWY_EXPORT(pack_rows);
HWY_EXPORT(sum_rows);
HWY_EXPORT(direct_rows);

namespace {

constexpr int64_t kRowGrain = 4096;  // entries that are worth a thread's while

// A row of x that is gathered fewer times than this is not worth packing, nor is a matrix of so
// many rows that even the narrowest tile does not stay in cache.
constexpr int64_t kPackFrom = 16, kPackRows = int64_t{1} << 17;
constexpr int64_t kScaleFrom = 8;  // the same, for a copy of whole rows that are scaled once

float* scratch(size_t count) {
  thread_local Scratch buffer;
  return buffer.floats(count);
}

std::span<const int64_t> row_offsets(const SparseRows& a) {
  return {a.offsets, static_cast<size_t>(a.rows + 1)};
}

bool does_nothing(const EpilogueBackward& before) {
  return !before.output && !before.kept && !before.bias && before.scale == 1;
}

// Adds up the column sums of all pack blocks of all tiles.
void sum_bias(const Spmm& call, const std::vector<float>& sums, int64_t blocks, int64_t stride) {
  for (int64_t c = 0; c < call.width; ++c) {
    double total = 0;
    for (int64_t b = 0; b < blocks; ++b)
      total += sums[static_cast<size_t>((c / stride * blocks + b) * stride + c % stride)];
    call.before.bias[c] = total;
  }
}

void pack_shared(const TileJob& job) {
  const int64_t rows = job.call->matrix.columns;
  parallel_for((rows + kPackBlock - 1) / kPackBlock, 1, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(pack_rows)(job, begin * kPackBlock, std::min(rows, end * kPackBlock));
  });
}

// Row by row, from x where it lies, or from a copy of whole rows when x must change on its way or
// its scaling would be gathered too often.
void spmm_direct(const Spmm& call) {
  const SparseRows& a = call.matrix;
  Spmm rows = call;
  const bool scale_first =
      call.column_scale && !call.direct && a.nonzeros() >= kScaleFrom * a.columns;
  if (scale_first || !does_nothing(call.before)) {
    const int64_t blocks = (a.columns + kPackBlock - 1) / kPackBlock;
    const int64_t stride = (call.width + 15) / 16 * 16;
    std::vector<float> sums(call.before.bias ? static_cast<size_t>(blocks * stride) : 0);
    float* copy = scratch(static_cast<size_t>(a.columns * stride));
    pack_shared({&call, 0, call.width, stride, copy, sums.empty() ? nullptr : sums.data()});
    if (call.before.bias) sum_bias(call, sums, blocks, stride);
    rows.x = copy, rows.x_stride = stride, rows.column_scale = nullptr, rows.before = {};
  }
  parallel_for_weighted(row_offsets(a), kRowGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(direct_rows)(rows, begin, end);
  });
}

}  // namespace

void spmm(const Spmm& call) {
  const SparseRows& a = call.matrix;
  if (a.rows == 0 || call.width == 0) return;
  const bool plain = !call.x_transposed && !call.y_transposed;
  const bool pays = a.nonzeros() >= kPackFrom * a.columns && a.columns <= kPackRows;
  if (plain && (call.direct || !pays)) return spmm_direct(call);
  const int64_t stride = HWY_DYNAMIC_DISPATCH(tile_columns)(a.columns);
  const int64_t tiles = (call.width + stride - 1) / stride;
  const int64_t blocks = (a.columns + kPackBlock - 1) / kPackBlock;
  std::vector<float> sums(call.before.bias ? static_cast<size_t>(tiles * blocks * stride) : 0);
  const auto job = [&](int64_t t, float* tile) {
    return TileJob{&call,  t * stride, std::min(stride, call.width - t * stride),
                   stride, tile,       sums.empty() ? nullptr : sums.data() + t * blocks * stride};
  };
  const auto size = static_cast<size_t>(a.columns * stride);

  // Whole tiles, one per thread, as far as they go round; what is left over is shared by rows.
  const int64_t whole = tiles / threads() * threads();
  parallel_for(whole, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const TileJob one = job(t, scratch(size));
      HWY_DYNAMIC_DISPATCH(pack_rows)(one, 0, a.columns);
      HWY_DYNAMIC_DISPATCH(sum_rows)(one, 0, a.rows);
    }
  });
  for (int64_t t = whole; t < tiles; ++t) {
    const TileJob shared = job(t, scratch(size));
    pack_shared(shared);
    parallel_for_weighted(row_offsets(a), kRowGrain, [&](int64_t begin, int64_t end) {
      HWY_DYNAMIC_DISPATCH(sum_rows)(shared, begin, end);
    });
  }

  if (call.before.bias) sum_bias(call, sums, blocks, stride);
}

}  // namespace gs
#endif
