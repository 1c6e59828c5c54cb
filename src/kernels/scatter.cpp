#include "kernels/scatter.h"

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "kernels/dropout.h"
#include "kernels/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/scatter.cpp"
#include <hwy/foreach_target.h>  // this file again, once for each target
//
#include "kernels/epilogue-inl.h"

#ifndef GS_KERNELS_SCATTER_ONCE
#define GS_KERNELS_SCATTER_ONCE
namespace gs {

constexpr int64_t kWidestTile = 256;  // columns
constexpr int64_t kSumBlock = 1024;   // rows whose column sums are floats, before they are doubles

// Columns [first, first + width) of a call, summed at `tile` with `stride` floats per row.
struct ScatterTile {
  const Scatter* call;
  int64_t first, width, stride;
  float* tile;
};

}  // namespace gs
#endif

HWY_BEFORE_NAMESPACE();
namespace gs::HWY_NAMESPACE {

// Row r of x, brought back through its epilogue, to `out`; columns past the width become zero.
HWY_INLINE void bring_back(const ScatterTile& job, int64_t r, float* out, float* sums) {
  const Scatter& call = *job.call;
  const EpilogueBackward& before = call.before;
  const int64_t words = bit_words(call.width), at = r * call.x_stride + job.first;
  for (int64_t c = 0; c < job.width; c += 32) {
    const int64_t run = std::min<int64_t>(32, job.width - c), bit = job.first + c;
    uint32_t kept = ~0u;
    if (before.kept) {
      kept = before.kept[r * words + bit / 32] >> (bit % 32);
      if (bit % 32 + run > 32) kept |= before.kept[r * words + bit / 32 + 1] << (32 - bit % 32);
    }
    epilogue_backward_run(run, before.output ? before.output + at + c : nullptr, kept, before.scale,
                          1.0f, call.x + at + c, out + c, sums ? sums + c : nullptr);
  }
}

// Adds kVectors vectors at `row` to the rows of the tile that row r's entries name; the row stays
// in registers meanwhile.
template <int kVectors, bool kValues>
HWY_INLINE void add_row(const ScatterTile& job, int64_t r, const float* row) {
  const SparseRows& a = job.call->matrix;
  Floats x[kVectors];
#pragma GCC unroll 64
  for (int i = 0; i < kVectors; ++i) x[i] = hn::Load(kFloats, row + i * kFloatLanes);
  for (int64_t e = a.offsets[r]; e < a.offsets[r + 1]; ++e) {
    float* out = job.tile + a.indices[e] * job.stride;
    const auto value = hn::Set(kFloats, kValues ? a.values[e] : 1.0f);
#pragma GCC unroll 64
    for (int i = 0; i < kVectors; ++i) {
      float* at = out + i * kFloatLanes;
      const Floats by = kValues ? hn::Mul(x[i], value) : x[i];
      hn::Store(hn::Add(hn::Load(kFloats, at), by), kFloats, at);
    }
  }
}

template <int kColumns, bool kValues>
HWY_INLINE void add_rows(const ScatterTile& job) {
  const Scatter& call = *job.call;
  const int64_t rows = call.matrix.rows;
  HWY_ALIGN float row[kColumns] = {}, block[kColumns] = {};
  float* sums = call.before.bias ? block : nullptr;
  for (int64_t r = 0; r < rows; ++r) {
    bring_back(job, r, row, sums);
    add_row<kColumns / kFloatLanes, kValues>(job, r, row);
    if (sums && ((r + 1) % kSumBlock == 0 || r + 1 == rows)) {
      for (int64_t c = 0; c < job.width; ++c) call.before.bias[job.first + c] += sums[c];
      std::fill(sums, sums + job.width, 0.0f);
    }
  }
}

template <bool kValues>
void add_rows_of(const ScatterTile& job) {
  switch (job.stride) {
    case 16:
      return add_rows<16, kValues>(job);
    case 32:
      return add_rows<32, kValues>(job);
    case 64:
      return add_rows<64, kValues>(job);
    default:
      return add_rows<kWidestTile, kValues>(job);
  }
}

void scatter_tile(const ScatterTile& job) {
  const Scatter& call = *job.call;
  const int64_t rows = call.matrix.columns;
  std::fill(job.tile, job.tile + rows * job.stride, 0.0f);
  if (call.before.bias)
    std::fill(call.before.bias + job.first, call.before.bias + job.first + job.width, 0.0);
  if (call.matrix.values) add_rows_of<true>(job);
  else add_rows_of<false>(job);
  constexpr int64_t kRun = 16;  // rows of the tile that are turned at once: a line of each column
  for (int64_t begin = 0; begin < rows; begin += kRun) {
    const int64_t end = std::min(rows, begin + kRun);
    for (int64_t c = 0; c < job.width; ++c) {
      const int64_t column = job.first + c;
      float* out = call.y_next && column >= call.split
                       ? call.y_next + (column - call.split) * call.y_stride
                       : call.y + column * call.y_stride;
      for (int64_t r = begin; r < end; ++r) out[r] = job.tile[r * job.stride + c];
    }
  }
}

}  // namespace gs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gs {

HWY_EXPORT(scatter_tile);

namespace {

// Entries per row below which it pays, and bytes of a tile that a core's own cache holds beside the
// stream.
constexpr int64_t kFewEntries = 64, kTileBytes = int64_t{1} << 20;
constexpr int64_t kWidths[] = {kWidestTile, 64, 32,
                               16};  // multiples of 16: half a word of mask bits

// The widest that leaves a tile for every thread and fits.
int64_t tile_width(const Scatter& call) {
  const int64_t share = (call.width + threads() - 1) / threads();
  const int64_t fits = kTileBytes / 4 / std::max<int64_t>(1, call.matrix.columns);
  for (const int64_t width : kWidths)
    if (width <= std::min(share, fits)) return width;
  return 16;
}

// What the last columns of a call take.
int64_t tile_stride(int64_t columns) {
  for (const int64_t width : {16, 32, 64})
    if (columns <= width) return width;
  return kWidestTile;
}

}  // namespace

bool scatter_pays(const SparseRows& a) {
  return a.nonzeros() < kFewEntries * a.rows && 64 * a.columns <= kTileBytes / 4;
}

void scatter(const Scatter& call) {
  if (call.width == 0 || call.matrix.columns == 0) return;
  const int64_t width = tile_width(call), tiles = (call.width + width - 1) / width;
  parallel_for(tiles, 1, [&](int64_t begin, int64_t end) {
    thread_local Scratch buffer;
    for (int64_t t = begin; t < end; ++t) {
      const int64_t first = t * width, columns = std::min(width, call.width - first);
      const int64_t stride = tile_stride(columns);
      HWY_DYNAMIC_DISPATCH(scatter_tile)
      ({&call, first, columns, stride,
        buffer.floats(static_cast<size_t>(call.matrix.columns * stride))});
    }
  });
}

}  // namespace gs
#endif
