#include "eval/logistic.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "nn/ops/torch_sparse.h"

namespace gs {

namespace {

// Training rows beyond this are kept in one order only, which costs a third of the speed.
constexpr int64_t kCopiedBytes = int64_t{256} << 20;

at::Tensor index_of(std::span<const int32_t> nodes, at::Device device) {
  return at::from_blob(const_cast<int32_t*>(nodes.data()), {static_cast<int64_t>(nodes.size())},
                       at::kInt)
      .to(device);
}

at::Tensor gather_rows(const at::Tensor& csr, std::span<const int32_t> nodes, at::ScalarType type) {
  const at::Tensor rows = index_of(nodes, csr.device()).to(at::kLong);
  const at::Tensor crow = csr.crow_indices();
  const at::Tensor first = crow.index_select(0, rows).to(at::kLong);
  const at::Tensor counts = crow.index_select(0, rows + 1).to(at::kLong) - first;
  const at::Tensor offsets = at::cat({at::zeros({1}, counts.options()), counts.cumsum(0)});
  const int64_t total = offsets[-1].item<int64_t>();
  const at::Tensor shift = at::repeat_interleave(first - offsets.slice(0, 0, -1), counts, 0, total);
  const at::Tensor places = at::arange(total, counts.options()).add_(shift);
  const at::Tensor columns = csr.col_indices().index_select(0, places);
  const at::Tensor values = csr.values().index_select(0, places).to(type);
  return at::_sparse_csr_tensor_unsafe(offsets.to(columns.scalar_type()), columns, values,
                                       {rows.size(0), csr.size(1)},
                                       values.options().layout(at::kSparseCsr));
}

// 1 / length, and 0 for rows of zeros; lengths in double, since squares of floats may overflow.
at::Tensor inverse_lengths(const at::Tensor& squares) {
  return at::where(squares > 0, squares.rsqrt(), 0.0);
}

}  // namespace

at::Tensor rows_of(const Input& x, std::span<const int32_t> nodes, at::ScalarType type, bool unit) {
  if (x.sparse()) {
    at::Tensor rows = gather_rows(matrix_of(x.sparse_operator()), nodes, type);
    if (!unit) return rows;
    const at::Tensor values = rows.values().to(at::kDouble);
    const at::Tensor crow = rows.crow_indices().to(at::kLong);
    const at::Tensor counts = crow.slice(0, 1) - crow.slice(0, 0, -1);
    const at::Tensor row = at::repeat_interleave(counts);
    const at::Tensor squares =
        at::zeros({counts.size(0)}, values.options()).index_add_(0, row, values.square());
    rows.values().mul_(inverse_lengths(squares).index_select(0, row));
    return rows;
  }
  const at::Tensor rows = x.dense().detach().index_select(0, index_of(nodes, x.device()));
  if (!unit) return rows.to(type);
  const at::Tensor precise = rows.to(at::kDouble);
  return (precise * inverse_lengths(precise.square().sum({1}, true))).to(type);
}

LinearWeights LinearWeights::zeros(const Input& x, int64_t problems, int64_t classes,
                                   at::ScalarType type) {
  const auto options = at::TensorOptions().device(x.device()).dtype(type);
  return {at::zeros({problems, x.width() * classes}, options),
          at::zeros({problems, classes}, options)};
}

at::Tensor LinearWeights::matrices(const Input& x) const {
  const int64_t problems = w.size(0), classes = b.size(1);
  return x.sparse() ? w.view({problems, x.width(), classes})
                    : w.view({problems, classes, x.width()}).transpose(1, 2);
}

RowBatch::RowBatch(const Input& x, const NodeLists& nodes, at::ScalarType type, Use use, bool unit)
    : width_(x.width()) {
  for (const auto& list : nodes) {
    counts_.push_back(static_cast<int64_t>(list.size()));
    longest_ = std::max(longest_, counts_.back());
  }
  if (x.sparse()) {
    for (const auto& list : nodes) {
      matrices_.push_back(rows_of(x, list, type, unit));
      if (use == Use::training) transposes_.push_back(matrices_.back().t().to_sparse_csr());
    }
    return;
  }
  const auto problems = static_cast<int64_t>(nodes.size());
  const auto options = at::TensorOptions().device(x.device()).dtype(type);
  const bool by_row = use != Use::scores;
  const bool by_column =
      use != Use::once &&
      (!by_row ||
       problems * longest_ * width_ * static_cast<int64_t>(c10::elementSize(type)) <= kCopiedBytes);
  if (by_row) rows_ = at::zeros({problems, longest_, width_}, options);
  if (by_column) columns_ = at::zeros({problems, width_, longest_}, options);
  for (int64_t r = 0; r < problems; ++r) {
    const auto& list = nodes[static_cast<size_t>(r)];
    const at::Tensor part = rows_of(x, list, type, unit);
    if (by_row) rows_[r].slice(0, 0, count(r)).copy_(part);
    if (by_column) columns_[r].slice(1, 0, count(r)).copy_(part.t());
  }
  if (!by_column) columns_ = rows_.transpose(1, 2);
}

void RowBatch::scores(const LinearWeights& weights, at::Tensor& out) const {
  const int64_t problems = weights.w.size(0), classes = weights.b.size(1);
  if (matrices_.empty()) {
    at::bmm_out(out, weights.w.view({problems, classes, width_}), columns_);
  } else {
    out.zero_();
    for (int64_t r = 0; r < problems; ++r)
      out[r]
          .slice(1, 0, count(r))
          .copy_(
              at::mm(matrices_[static_cast<size_t>(r)], weights.w[r].view({width_, classes})).t());
  }
  out.add_(weights.b.unsqueeze(2));
}

void RowBatch::project(const at::Tensor& score_gradient, LinearWeights& out) const {
  const int64_t problems = out.w.size(0), classes = out.b.size(1);
  if (matrices_.empty()) {
    at::Tensor w = out.w.view({problems, classes, width_});
    at::bmm_out(w, score_gradient, rows_);
  } else {
    for (int64_t r = 0; r < problems; ++r) {
      const at::Tensor by_row = score_gradient[r].slice(1, 0, count(r)).t().contiguous();
      out.w[r].view({width_, classes}).copy_(at::mm(transposes_[static_cast<size_t>(r)], by_row));
    }
  }
  at::sum_out(out.b, score_gradient, {2});
}

LogisticBatch::LogisticBatch(const Input& x, const Labels& labels, const NodeLists& nodes,
                             at::ScalarType type)
    : rows_(x, nodes, type, RowBatch::Use::training), multi_(labels.task == Task::multilabel) {
  const auto problems = static_cast<int64_t>(nodes.size());
  const int64_t classes = labels.classes, longest = rows_.longest();
  row_weight_ = at::zeros({problems, 1, longest}, type);
  target_ = at::zeros({problems, classes, longest}, type);
  for (int64_t r = 0; r < problems; ++r) {
    const auto& list = nodes[static_cast<size_t>(r)];
    const at::Tensor target = target_[r];
    const double weight = 1 / static_cast<double>(rows_.count(r) * (multi_ ? classes : 1));
    row_weight_[r].slice(1, 0, rows_.count(r)).fill_(weight);
    AT_DISPATCH_FLOATING_TYPES(type, "probe_targets", [&] {
      auto* out = target.data_ptr<scalar_t>();
      for (int64_t i = 0; i < rows_.count(r); ++i) {
        const int64_t node = list[static_cast<size_t>(i)];
        if (multi_) {
          for (int64_t c = 0; c < classes; ++c)
            if (labels.multi[node * classes + c] == 1)
              out[c * longest + i] = static_cast<scalar_t>(weight);
        } else {
          const int32_t c = labels.single[node];
          GS_ASSERT(c >= 0 && c < classes);
          out[c * longest + i] = static_cast<scalar_t>(weight);
        }
      }
    });
  }
  row_weight_ = row_weight_.to(x.device());
  target_ = target_.to(x.device());
  scores_ = at::zeros_like(target_);
  score_gradient_ = multi_ ? scores_ : at::empty_like(target_);
}

at::Tensor LogisticBatch::gradient(const LinearWeights& weights, LinearWeights& out,
                                   bool with_losses) {
  rows_.scores(weights, scores_);
  at::Tensor losses;
  if (with_losses) {
    const at::Tensor partition =
        multi_ ? at::log_sigmoid(scores_.neg()).neg_() : scores_.logsumexp({1}, true);
    losses = (partition * row_weight_).sum({1, 2}) - (scores_ * target_).sum({1, 2});
  }
  if (multi_) scores_.sigmoid_();
  else at::softmax_out(score_gradient_, scores_, 1);
  score_gradient_.mul_(row_weight_).sub_(target_);
  rows_.project(score_gradient_, out);
  return losses;
}

}  // namespace gs
