#include "method/reference.h"

#include <ATen/core/grad_mode.h>

#include "method/maker.h"
#include "nn/diffusion.h"

namespace gs {

namespace {

constexpr int64_t kReferenceColumns = 64;  // columns smoothed at once

}  // namespace

Loss Reference::loss(const Batch&, const Step&) { GS_ASSERT(!"nothing to learn"); }

at::Tensor Reference::output(const Batch& batch) const { return embed(batch); }

at::Tensor Reference::embed(const Batch& whole, const InferenceOptions& options,
                            Progress& progress) const {
  const at::NoGradGuard no_gradient;
  const Input& x = whole.features;
  if (hops_ == 0 && !x.sparse()) return x.dense();
  LayerWise rows(whole, parameters_.device(), x.width(), 1, options, progress);
  at::Tensor out = rows.matrix(x.width());
  for (int64_t begin = 0; begin < x.width(); begin += kReferenceColumns) {
    const int64_t end = std::min(x.width(), begin + kReferenceColumns);
    at::Tensor part = columns_of(x, begin, end);
    for (int64_t hop = 0; hop < hops_; ++hop) part = whole.adjacency.layer(hop).apply(part);
    out.slice(1, begin, end).copy_(part);
  }
  progress.advance(rows.rows());
  return out;
}

template MethodMaker method_maker<Raw>();
template MethodMaker method_maker<Smoothed>();

}  // namespace gs
