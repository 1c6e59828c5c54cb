// Features after graph filters, f(A) X, either a few columns at a time or, where they are only
// multiplied, never formed at all. X is never copied whole.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/progress.h"
#include "nn/batch.h"
#include "nn/singular.h"
#include "options/spectral.h"

namespace gs {

// f(A) x of each filter, for x of N rows: one pass over the hops for all filters.
std::vector<at::Tensor> diffuse(const SparseOperator& adjacency, const at::Tensor& x,
                                std::span<const GraphFilter> filters);

// Columns [begin, end) of the input, dense.
at::Tensor columns_of(const Input& x, int64_t begin, int64_t end);

// Some rows of the filtered and transformed features T(f(A) X), of which FilteredFeatures has all.
// They take f(A)' of one column per row instead of f(A) of one per feature.
struct FilteredRows {
  std::vector<at::Tensor> parts;  // per filter, one row of F columns per node
  at::Tensor magnitudes;          // as FilteredFeatures::magnitudes()
};
FilteredRows filtered_rows(const Batch& whole, std::span<const GraphFilter> filters,
                           Transform transform, const at::Tensor& nodes);

// f(A) X of one filter as a matrix that is never formed. The batch and the filter must outlive it.
class DiffusedTall final : public TallMatrix {
 public:
  DiffusedTall(const Batch& whole, const GraphFilter& filter) : batch_(whole), filter_(filter) {}
  int64_t rows() const override { return batch_.features.rows(); }
  int64_t columns() const override { return batch_.features.width(); }
  at::Tensor times(const at::Tensor& p) const override;
  at::Tensor transposed_times(const at::Tensor& q) const override;
  at::Tensor block(int64_t, int64_t) const override { return {}; }

 private:
  const Batch& batch_;
  const GraphFilter& filter_;
};

// The filtered and transformed features T(f(A) X), one matrix per filter.
class FilteredFeatures {
 public:
  // `transform` is not automatic. The batch must outlive it; it is the whole graph. Data Error if a
  // feature is negative and rows are to become shares or powers.
  FilteredFeatures(const Batch& whole, std::vector<GraphFilter> filters, Transform transform);

  int64_t rows() const { return batch_.features.rows(); }
  int64_t width() const { return batch_.features.width(); }
  // The matrix of filter f where it stays sparse: hop 0 of sparse features. Otherwise nullptr.
  const std::shared_ptr<const SparseOperator>& sparse(size_t f) const { return sparse_[f]; }
  // Every column once, in order: the columns from `begin` of each filter's matrix, contiguous;
  // undefined for filters whose matrix is sparse.
  using Visit = std::function<void(int64_t begin, std::span<const at::Tensor> parts)>;
  void visit(const Visit& visit, Progress& progress = no_progress()) const;
  // What a transform takes from the rows: row sums of f(A) |X| for each filter, then the degrees;
  // N x (filters + 1).
  at::Tensor magnitudes() const;

 private:
  void visit_plain(const Visit& visit) const;

  const Batch& batch_;
  std::vector<GraphFilter> filters_;
  Transform transform_;
  std::vector<at::Tensor> sums_;     // per filter: row sums of f(A) |X|, [N, 1]
  std::vector<at::Tensor> lengths_;  // per filter: row lengths before scaling, [N, 1]
  std::vector<std::shared_ptr<const SparseOperator>> sparse_;
};

}  // namespace gs
