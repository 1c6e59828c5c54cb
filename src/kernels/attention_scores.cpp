// The scores of kernels/attention.h: inner products of messages with two vectors per head.
#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "kernels/attention.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention_scores.cpp"
#include <hwy/foreach_target.h>  // this file again, once for each target
//
#include "kernels/attention-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gs::HWY_NAMESPACE {

void score_rows(const AttentionScores& call, int64_t begin, int64_t end, float* source,
                float* target) {
  for (int64_t r = begin; r < end; ++r)
    for (int64_t h = 0; h < call.heads; ++h) {
      const float* message = call.messages + r * call.columns() + h * call.width;
      const int64_t at = r * call.heads + h;
      source[at] = dot(message, call.source_vector + h * call.width, call.width);
      if (r < call.targets)
        target[at] = dot(message, call.target_vector + h * call.width, call.width);
    }
}

// Rows [begin, end); the vectors' gradients are added to two rows of `sums`.
void unscore_rows(const AttentionScores& call, const float* source, const float* target,
                  int64_t begin, int64_t end, float* messages, float* sums) {
  const int64_t columns = call.columns();
  for (int64_t r = begin; r < end; ++r)
    for (int64_t h = 0; h < call.heads; ++h) {
      const auto ds = hn::Set(kFloats, source[r * call.heads + h]);
      const auto dt = hn::Set(kFloats, r < call.targets ? target[r * call.heads + h] : 0.0f);
      for (int64_t c = h * call.width; c < (h + 1) * call.width; c += kFloatLanes) {
        const int64_t lanes = std::min((h + 1) * call.width - c, kFloatLanes), at = r * columns + c;
        const auto there = hn::FirstN(kFloats, static_cast<size_t>(lanes));
        const auto load = [&](const float* from)
                              HWY_ATTR { return hn::MaskedLoad(there, kFloats, from); };
        const auto message = load(call.messages + at);
        auto gradient = load(messages + at);
        gradient = hn::MulAdd(ds, load(call.source_vector + c), gradient);
        gradient = hn::MulAdd(dt, load(call.target_vector + c), gradient);
        store_lanes(gradient, lanes, messages + at);
        store_lanes(hn::MulAdd(ds, message, load(sums + c)), lanes, sums + c);
        store_lanes(hn::MulAdd(dt, message, load(sums + columns + c)), lanes, sums + columns + c);
      }
    }
}

}  // namespace gs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gs {

HWY_EXPORT(score_rows);
HWY_EXPORT(unscore_rows);

namespace {

constexpr int64_t kScoreBlock = 1024;  // rows; the vectors' gradients are added block by block

}  // namespace

void attention_scores(const AttentionScores& call, float* source, float* target) {
  parallel_for(call.rows, attention_row_grain(call.columns()), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(score_rows)(call, begin, end, source, target);
  });
}

void attention_scores_backward(const AttentionScores& call, const float* source,
                               const float* target, float* messages, double* source_vector,
                               double* target_vector) {
  const int64_t blocks = (call.rows + kScoreBlock - 1) / kScoreBlock, columns = call.columns();
  std::vector<float> sums(static_cast<size_t>(blocks * 2 * columns));
  parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) HWY_DYNAMIC_DISPATCH(unscore_rows)
    (call, source, target, b * kScoreBlock, std::min(call.rows, (b + 1) * kScoreBlock), messages,
     sums.data() + b * 2 * columns);
  });
  std::fill(source_vector, source_vector + columns, 0.0);
  std::fill(target_vector, target_vector + columns, 0.0);
  for (int64_t b = 0; b < blocks; ++b)
    for (int64_t c = 0; c < columns; ++c) {
      source_vector[c] += sums[static_cast<size_t>(2 * b * columns + c)];
      target_vector[c] += sums[static_cast<size_t>((2 * b + 1) * columns + c)];
    }
}

}  // namespace gs
#endif
