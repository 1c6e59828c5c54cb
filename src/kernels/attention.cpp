#include "kernels/attention.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention.cpp"
#include <hwy/foreach_target.h>  // this file again, once for each target
//
#include <hwy/contrib/math/math-inl.h>

#include "kernels/attention-inl.h"
#include "kernels/philox-inl.h"

#ifndef GS_KERNELS_ATTENTION_ONCE
#define GS_KERNELS_ATTENTION_ONCE
namespace gs {

constexpr int64_t kDrawsPerBlock = 8;  // heads that one Philox block serves

// Entries of a row that take part in a sum, and their weights.
struct EntryList {
  std::vector<int32_t> index;
  std::vector<float> weight;
  int64_t count = 0;
};

// A thread's buffers for one row. Vectors of entries may reach past the last one.
struct AttentionWork {
  static constexpr size_t kPast = 16;
  int64_t count = 0;           // entries, the node itself among them
  std::vector<int32_t> index;  // the other ends
  std::vector<uint32_t> kept;  // bits of a block of heads, when there is dropout
  std::vector<float> z, a, largest, d;
  EntryList positive, rest;  // by the sign of z

  void resize(size_t entries) {
    if (entries + kPast <= index.size()) return;
    const size_t size = 2 * entries + kPast;
    for (std::vector<int32_t>* v : {&index, &positive.index, &rest.index}) v->resize(size);
    for (std::vector<float>* v : {&z, &a, &largest, &d, &positive.weight, &rest.weight})
      v->resize(size);
    kept.resize(size);
  }
};

inline AttentionWork& attention_work() {
  thread_local AttentionWork work;
  return work;
}

}  // namespace gs
#endif

HWY_BEFORE_NAMESPACE();
namespace gs::HWY_NAMESPACE {

constexpr hn::CappedTag<int32_t, 16> kIndices;

// Entries of row r, and `node` itself (unless negative) where the row does not store it.
void read_row(const SparseRows& rows, int64_t r, int64_t node, AttentionWork& work) {
  const int64_t first = rows.offsets[r], count = rows.offsets[r + 1] - first;
  work.resize(static_cast<size_t>(count) + 1);
  bool stored = node < 0;
  for (int64_t k = 0; k < count; ++k) {
    const int32_t other = rows.indices[first + k];
    work.index[k] = other;
    stored |= other == node;
  }
  work.count = count;
  if (!stored) work.index[work.count++] = static_cast<int32_t>(node);
}

// Which entries dropout keeps in heads [8 block, 8 block + heads) of a view, one bit per head.
// `node` is the target of all entries or, in backward, their source.
void draw_kept(const DropoutRule& rule, int64_t node, bool node_is_target, int64_t block,
               int64_t heads, AttentionWork& work) {
  const auto own = hn::Set(kWords, static_cast<uint32_t>(node));
  for (int64_t k = 0; k < work.count; k += kFloatLanes) {
    const auto other = hn::LoadU(kWords, reinterpret_cast<const uint32_t*>(work.index.data()) + k);
    Words c0 = node_is_target ? own : other, c1 = node_is_target ? other : own;
    Words c2 = hn::Set(kWords, static_cast<uint32_t>(block)), c3 = hn::Zero(kWords);
    philox_lanes(rule.key, c0, c1, c2, c3);
    const Words words[4] = {c0, c1, c2, c3};
    auto bits = hn::Zero(kWords);
    for (int64_t d = 0; d < std::min(heads, kDrawsPerBlock); ++d) {
      const auto kept =
          hn::RebindMask(kWords, kept_lanes(words[d / 2], static_cast<int>(d % 2), rule.threshold));
      bits = hn::Or(bits, hn::IfThenElseZero(kept, hn::Set(kWords, 1u << d)));
    }
    hn::StoreU(bits, kWords, work.kept.data() + k);
  }
}

HWY_INLINE Floats leaky(Floats z, Floats slope) {
  return hn::IfThenElse(hn::Gt(z, hn::Zero(kFloats)), z, hn::Mul(z, slope));
}

// Entries whose weight is not dropped into the two lists, weights being a * scale. `bit` is the
// head's in work.kept, or 0 without dropout.
HWY_INLINE void list_entries(AttentionWork& work, uint32_t bit, float scale) {
  const auto zero = hn::Zero(kFloats), times = hn::Set(kFloats, scale);
  EntryList &positive = work.positive, &rest = work.rest;
  positive.count = rest.count = 0;
  for (int64_t k = 0; k < work.count; k += kFloatLanes) {
    auto there = lanes_left(work.count - k);
    if (bit != 0)
      there = hn::And(there, hn::RebindMask(kFloats, hn::TestBit(hn::LoadU(kWords, &work.kept[k]),
                                                                 hn::Set(kWords, bit))));
    const auto above = hn::Gt(hn::LoadU(kFloats, &work.z[k]), zero);
    const auto weight = hn::Mul(hn::LoadU(kFloats, &work.a[k]), times);
    const auto index = hn::LoadU(kIndices, &work.index[k]);
    const auto put = [&](EntryList& list, auto mask) HWY_ATTR {
      hn::CompressStore(index, hn::RebindMask(kIndices, mask), kIndices, &list.index[list.count]);
      list.count +=
          static_cast<int64_t>(hn::CompressStore(weight, mask, kFloats, &list.weight[list.count]));
    };
    put(positive, hn::And(there, above));
    put(rest, hn::AndNot(above, there));
  }
}

// sum += weight * row of x over a list, even and odd entries apart.
template <int kVectors, bool kPartial>
HWY_INLINE void add_list(const EntryList& list, const float* x, int64_t stride, int64_t last,
                         Floats* even, Floats* odd) {
  constexpr int64_t kAhead = 8;                                       // entries
  constexpr int kLine = 16 / kFloatLanes > 1 ? 16 / kFloatLanes : 1;  // vectors
  const auto there = hn::FirstN(kFloats, static_cast<size_t>(last));
  const int32_t* index = list.index.data();
  const auto add = [&](Floats* sum, int64_t k) HWY_ATTR {
    if (k + kAhead < list.count) {
      const float* later = x + index[k + kAhead] * stride;
#pragma GCC unroll 64
      for (int i = 0; i < kVectors; i += kLine) hwy::Prefetch(later + i * kFloatLanes);
    }
    const float* row = x + index[k] * stride;
    const auto weight = hn::Set(kFloats, list.weight[k]);
#pragma GCC unroll 64
    for (int i = 0; i < kVectors; ++i) {
      const float* at = row + i * kFloatLanes;
      const Floats v = kPartial && i + 1 == kVectors ? hn::MaskedLoad(there, kFloats, at)
                                                     : hn::LoadU(kFloats, at);
      sum[i] = hn::MulAdd(weight, v, sum[i]);
    }
  };
  int64_t k = 0;
  for (; k + 1 < list.count; k += 2) add(even, k), add(odd, k + 1);
  if (k < list.count) add(even, k);
}

// Sums of rows of x by both lists over kVectors vectors of columns from c on; put(column, lanes,
// sum over z > 0, sum over all) takes each vector.
template <int kVectors, bool kPartial, class Put>
HWY_INLINE void sum_vectors(const AttentionWork& work, const float* x, int64_t stride, int64_t c,
                            int64_t last, const Put& put) {
  Floats even[kVectors], odd[kVectors], positive[kVectors];
#pragma GCC unroll 64
  for (int i = 0; i < kVectors; ++i) even[i] = odd[i] = hn::Zero(kFloats);
  add_list<kVectors, kPartial>(work.positive, x + c, stride, last, even, odd);
#pragma GCC unroll 64
  for (int i = 0; i < kVectors; ++i) positive[i] = hn::Add(even[i], odd[i]);
  add_list<kVectors, kPartial>(work.rest, x + c, stride, last, even, odd);
#pragma GCC unroll 64
  for (int i = 0; i < kVectors; ++i)
    put(c + i * kFloatLanes, kPartial && i + 1 == kVectors ? last : kFloatLanes, positive[i],
        hn::Add(even[i], odd[i]));
}

// The same over all columns of a head.
template <class Put>
HWY_INLINE void sum_columns(const AttentionWork& work, const float* x, int64_t stride,
                            int64_t width, const Put& put) {
  constexpr int64_t kLanes = kFloatLanes;
  int64_t c = 0;
  for (; width - c >= 8 * kLanes; c += 8 * kLanes)
    sum_vectors<8, false>(work, x, stride, c, 0, put);
  if (width - c >= 4 * kLanes) sum_vectors<4, false>(work, x, stride, c, 0, put), c += 4 * kLanes;
  if (width - c >= 2 * kLanes) sum_vectors<2, false>(work, x, stride, c, 0, put), c += 2 * kLanes;
  if (width - c >= kLanes) sum_vectors<1, false>(work, x, stride, c, 0, put), c += kLanes;
  if (c < width) sum_vectors<1, true>(work, x, stride, c, width - c, put);
}

// z and a of one head's entries; what the softmax was made of comes back.
HWY_INLINE AttentionRow softmax(const Attention& call, int64_t h, float own, AttentionWork& work) {
  const auto zero = hn::Zero(kFloats), slope = hn::Set(kFloats, call.slope);
  for (int64_t k = 0; k < work.count; ++k)
    work.z[k] = own + call.source_scores[work.index[k] * call.heads + h];
  const auto least = hn::Set(kFloats, -std::numeric_limits<float>::infinity());
  Floats top = least;
  for (int64_t k = 0; k < work.count; k += kFloatLanes)
    top = hn::Max(
        top, hn::IfThenElse(lanes_left(work.count - k), hn::LoadU(kFloats, &work.z[k]), least));
  float largest = hn::GetLane(hn::MaxOfLanes(kFloats, top));
  largest = largest > 0 ? largest : largest * call.slope;  // leaky() keeps the order
  Floats sums = zero;
  for (int64_t k = 0; k < work.count; k += kFloatLanes) {
    const auto e = leaky(hn::LoadU(kFloats, &work.z[k]), slope);
    const auto power = hn::Exp(kFloats, hn::Sub(e, hn::Set(kFloats, largest)));
    hn::StoreU(power, kFloats, &work.a[k]);
    sums = hn::Add(sums, hn::IfThenElseZero(lanes_left(work.count - k), power));
  }
  const float inverse = 1 / lane_sum(sums);
  Floats positive = zero;
  for (int64_t k = 0; k < work.count; k += kFloatLanes) {
    const auto a = hn::Mul(hn::LoadU(kFloats, &work.a[k]), hn::Set(kFloats, inverse));
    hn::StoreU(a, kFloats, &work.a[k]);
    const auto above = hn::Gt(hn::LoadU(kFloats, &work.z[k]), zero);
    positive = hn::Add(positive, hn::IfThenElseZero(hn::And(above, lanes_left(work.count - k)), a));
  }
  return {own, largest, inverse, lane_sum(positive)};
}

// The same a in backward, where entries are targets; the sum of a leaky'(z) d comes back.
HWY_INLINE float softmax_again(const Attention& call, const AttentionRow* targets, int64_t h,
                               float own, AttentionWork& work) {
  for (int64_t k = 0; k < work.count; ++k) {
    const AttentionRow& target = targets[work.index[k] * call.heads + h];
    work.z[k] = target.target_score + own;
    work.largest[k] = target.largest;
    work.a[k] = target.inverse_sum;
    work.d[k] = target.positive;
  }
  const auto zero = hn::Zero(kFloats), slope = hn::Set(kFloats, call.slope);
  Floats sums = zero;
  for (int64_t k = 0; k < work.count; k += kFloatLanes) {
    const auto z = hn::LoadU(kFloats, &work.z[k]);
    const auto power =
        hn::Exp(kFloats, hn::Sub(leaky(z, slope), hn::LoadU(kFloats, &work.largest[k])));
    const auto a = hn::Mul(power, hn::LoadU(kFloats, &work.a[k]));
    hn::StoreU(a, kFloats, &work.a[k]);
    const auto d = hn::Mul(a, hn::LoadU(kFloats, &work.d[k]));
    const auto term = hn::IfThenElse(hn::Gt(z, zero), d, hn::Mul(d, slope));
    sums = hn::Add(sums, hn::IfThenElseZero(lanes_left(work.count - k), term));
  }
  return lane_sum(sums);
}

// Calls body(head, bit of the head in work.kept) for every head, having drawn what is kept.
template <class Body>
HWY_INLINE void for_heads(const Attention& call, int64_t node, bool node_is_target,
                          AttentionWork& work, const Body& body) {
  const auto views = static_cast<int64_t>(call.dropout.size());
  if (views == 0) {
    for (int64_t h = 0; h < call.heads; ++h) body(h, 0u);
    return;
  }
  const int64_t heads = call.heads / views;
  for (int64_t v = 0; v < views; ++v)
    for (int64_t h = 0; h < heads; ++h) {
      if (h % kDrawsPerBlock == 0)
        draw_kept(call.dropout[v], node, node_is_target, h / kDrawsPerBlock, heads - h, work);
      body(v * heads + h, 1u << (h % kDrawsPerBlock));
    }
}

HWY_INLINE float dropout_scale(const Attention& call) {
  return call.dropout.empty() ? 1.0f : static_cast<float>(call.dropout[0].scale);
}

void attention_rows(const Attention& call, int64_t begin, int64_t end, float* out, float* positive,
                    AttentionRow* kept) {
  AttentionWork& work = attention_work();
  const float scale = dropout_scale(call);
  const int64_t columns = call.columns();
  for (int64_t r = begin; r < end; ++r) {
    read_row(call.rows, r, call.first_row + r, work);
    for_heads(call, call.first_row + r, true, work, [&](int64_t h, uint32_t bit) HWY_ATTR {
      const AttentionRow row = softmax(call, h, call.target_scores[r * call.heads + h], work);
      if (kept) kept[r * call.heads + h] = row;
      list_entries(work, bit, scale);
      const int64_t at = r * columns + h * call.width;
      sum_columns(work, call.messages + h * call.width, columns, call.width,
                  [&](int64_t c, int64_t lanes, Floats above, Floats all) HWY_ATTR {
                    store_lanes(all, lanes, out + at + c);
                    if (positive) store_lanes(above, lanes, positive + at + c);
                  });
    });
  }
}

// d and dt of targets [begin, end).
void target_rows(const Attention& call, const AttentionBackward& back, int64_t begin, int64_t end,
                 AttentionRow* targets) {
  for (int64_t i = begin * call.heads; i < end * call.heads; ++i) {
    const int64_t at = i * call.width;  // heads of all rows follow each other
    const float d = dot(back.gradient + at, back.out + at, call.width);
    const float above = dot(back.gradient + at, back.positive + at, call.width);
    targets[i] = back.kept[i];
    targets[i].positive = d;
    back.target_scores[i] = (1 - call.slope) * (above - d * back.kept[i].positive);
  }
}

// dh and ds of sources [begin, end).
void source_rows(const Attention& call, const AttentionBackward& back, int64_t begin, int64_t end,
                 const AttentionRow* targets) {
  AttentionWork& work = attention_work();
  const float scale = dropout_scale(call);
  const int64_t columns = call.columns(), rows = back.transpose.columns;
  for (int64_t j = begin; j < end; ++j) {
    read_row(back.transpose, j, j < rows ? j : -1, work);
    for_heads(call, j, false, work, [&](int64_t h, uint32_t bit) HWY_ATTR {
      const float d = softmax_again(call, targets, h, call.source_scores[j * call.heads + h], work);
      list_entries(work, bit, scale);
      const int64_t at = j * columns + h * call.width;
      Floats with_all = hn::Zero(kFloats), with_above = with_all;
      sum_columns(work, back.gradient + h * call.width, columns, call.width,
                  [&](int64_t c, int64_t lanes, Floats above, Floats all) HWY_ATTR {
                    const auto message =
                        hn::MaskedLoad(hn::FirstN(kFloats, static_cast<size_t>(lanes)), kFloats,
                                       call.messages + at + c);
                    with_all = hn::MulAdd(message, all, with_all);
                    with_above = hn::MulAdd(message, above, with_above);
                    store_lanes(all, lanes, back.messages + at + c);
                  });
      back.source_scores[j * call.heads + h] =
          call.slope * lane_sum(with_all) + (1 - call.slope) * lane_sum(with_above) - d;
    });
  }
}

}  // namespace gs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gs {

HWY_EXPORT(attention_rows);
HWY_EXPORT(target_rows);
HWY_EXPORT(source_rows);

namespace {

constexpr int64_t kEntryGrain = 1024;  // entries that are worth a thread's while

void check(const Attention& call) {
  GS_ASSERT(call.slope >= 0 && call.slope <= 1);
  GS_ASSERT(call.dropout.empty() || call.heads % static_cast<int64_t>(call.dropout.size()) == 0);
}

std::span<const int64_t> offsets_of(const SparseRows& rows) {
  return {rows.offsets, static_cast<size_t>(rows.rows) + 1};
}

}  // namespace

void attention(const Attention& call, float* out, float* positive, AttentionRow* kept) {
  check(call);
  if (call.rows.rows == 0) return;
  parallel_for_weighted(offsets_of(call.rows), kEntryGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(attention_rows)(call, begin, end, out, positive, kept);
  });
}

void attention_backward(const Attention& call, const AttentionBackward& back) {
  check(call);
  GS_ASSERT(call.first_row == 0 && back.transpose.columns == call.rows.rows);
  std::vector<AttentionRow> targets(static_cast<size_t>(call.rows.rows * call.heads));
  parallel_for(call.rows.rows, attention_row_grain(call.columns()),
               [&](int64_t begin, int64_t end) {
                 HWY_DYNAMIC_DISPATCH(target_rows)(call, back, begin, end, targets.data());
               });
  if (back.transpose.rows == 0) return;
  parallel_for_weighted(offsets_of(back.transpose), kEntryGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(source_rows)(call, back, begin, end, targets.data());
  });
}

template <class T>
void attention_mask(const DropoutRule& rule, std::span<const int64_t> targets,
                    std::span<const int64_t> sources, int64_t heads, T* mask) {
  const T kept = static_cast<T>(rule.scale);
  for (size_t e = 0; e < targets.size(); ++e)
    for (int64_t h = 0; h < heads; ++h) {
      const auto low = static_cast<uint64_t>(targets[e]) | static_cast<uint64_t>(sources[e]) << 32;
      const PhiloxBlock block = philox(rule.key, low, static_cast<uint64_t>(h / kDrawsPerBlock));
      const int64_t d = h % kDrawsPerBlock;
      const uint32_t draw = (block[static_cast<size_t>(d / 2)] >> (16 * (d % 2))) & 0xFFFF;
      mask[static_cast<int64_t>(e) * heads + h] = draw < rule.threshold ? T{0} : kept;
    }
}

template void attention_mask<float>(const DropoutRule&, std::span<const int64_t>,
                                    std::span<const int64_t>, int64_t, float*);
template void attention_mask<double>(const DropoutRule&, std::span<const int64_t>,
                                     std::span<const int64_t>, int64_t, double*);

}  // namespace gs
#endif
