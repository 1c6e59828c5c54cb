#include "nn/conv/conv.h"

#include "base/error.h"
#include "nn/cost.h"
#include "nn/ops/linear.h"
#include "options/convolutions.h"

namespace gs {

at::Tensor Conv::map(const Input& x, const at::Tensor& weight, int64_t views) const {
  return gs::linear(x, weight, Epilogue::none(native_), views);
}

at::Tensor Conv::plus_bias(const at::Tensor& x, int64_t views) const {
  return x + repeated(bias_, views);
}

at::Tensor Conv::messages(const Input& x, int64_t views) const { return map(x, weight_, views); }

bool Conv::aggregates_first(const Input& x, const SparseOperator& adjacency) const {
  if (x.sparse() || !linear()) return false;
  const SparseOperator::Size all = adjacency.whole();
  return aggregating_first_is_cheaper(all.rows, all.columns, all.nonzeros, inputs(), outputs());
}

at::Tensor Conv::forward(const Input& x, const SparseOperator& adjacency, const Pass& pass,
                         const at::Tensor& aggregated) const {
  GS_ASSERT(linear() || !aggregated.defined());
  const at::Tensor heard = aggregated.defined()             ? aggregated
                           : aggregates_first(x, adjacency) ? adjacency.apply(x.dense())
                                                            : at::Tensor();
  const at::Tensor sums = heard.defined() ? messages(heard, pass.views)
                                          : aggregate(adjacency, messages(x, pass.views), pass);
  return output(sums, adjacency.rows() == x.rows() ? x : x.slice(0, adjacency.rows()), pass);
}

at::Tensor Conv::fused(const Input& x, const SparseOperator& adjacency, const Pass& pass,
                       const at::Tensor& aggregated, Epilogue epilogue) const {
  GS_ASSERT(fuses());
  epilogue.bias = repeated(bias_, pass.views);
  if (aggregated.defined()) return gs::linear(aggregated, weight_, epilogue, pass.views);
  if (aggregates_first(x, adjacency))
    return gs::linear(adjacency.apply(x.dense()), weight_, epilogue, pass.views);
  return adjacency.apply(messages(x, pass.views), epilogue);
}

at::Tensor LinearConv::aggregate(const SparseOperator& adjacency, const at::Tensor& messages,
                                 const Pass& /*pass*/) const {
  return adjacency.apply(messages);
}

RowBlock LinearConv::aggregate_rows(const SparseOperator& adjacency,
                                    const at::Tensor& messages) const {
  return [&adjacency, sources = adjacency.sources(messages)](int64_t begin, int64_t end) {
    return adjacency.slice(begin, end)->apply(sources);
  };
}

std::unique_ptr<const Conv> make_conv(std::string_view name, const ConvSetting& setting) {
  std::unique_ptr<const Conv> made;
  convolution_info(name);  // complains about an unknown name
  for_each_convolution([&]<class C>(const ConvolutionRow<C>& row) {
    if (row.name == name) made = make_conv<C>(setting);
  });
  GS_ASSERT(made);
  return made;
}

}  // namespace gs
