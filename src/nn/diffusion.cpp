#include "nn/diffusion.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "nn/ops/native_sparse.h"
#include "nn/products.h"

namespace gs {

namespace {

constexpr int64_t kBlockValues = int64_t{1} << 22;  // values of a block of columns
constexpr int64_t kFewestColumns = 16, kMostColumns = 256;
constexpr double kSmallest = 1e-12;  // sums below it count as 0

// Depends on the graph alone, so that the same columns are always computed together.
int64_t block_width(int64_t rows) {
  const int64_t width = kBlockValues / std::max<int64_t>(1, rows);
  return std::clamp(width / 16 * 16, kFewestColumns, kMostColumns);
}

at::Tensor degrees(const Batch& whole) {
  const auto& offsets = whole.graphs.at(0).matrix.offsets;
  const at::Tensor ends = at::from_blob(const_cast<int64_t*>(offsets.data()),
                                        {static_cast<int64_t>(offsets.size())}, at::kLong);
  return (ends.slice(0, 1) - ends.slice(0, 0, -1)).unsqueeze(1);
}

const SparseMatrix* native_matrix(const Input& x) {
  const auto* native =
      x.sparse() ? dynamic_cast<const NativeSparse*>(&x.sparse_operator()) : nullptr;
  return native ? &native->matrix() : nullptr;
}

// entry(row, value) of every stored value.
template <class Entry>
std::vector<float> map_values(const SparseMatrix& m, const Entry& entry) {
  std::vector<float> out(static_cast<size_t>(m.nonzeros()));
  for (int64_t r = 0; r < m.rows; ++r)
    for (int64_t k = m.offsets[r]; k < m.offsets[r + 1]; ++k)
      out[static_cast<size_t>(k)] = entry(r, m.values.empty() ? 1.0f : m.values[k]);
  return out;
}

// x^(5/8) of values that are not negative. Square roots round alike everywhere, pow() does not.
void raise_powers(const at::Tensor& x) {
  const at::Tensor root = x.sqrt();
  x.copy_(root).sqrt_().sqrt_().mul_(root);
}

float raised(float v) {
  const float root = std::sqrt(v);
  return std::sqrt(std::sqrt(root)) * root;
}

std::vector<double> row_sums(const SparseMatrix& m, bool squared) {
  std::vector<double> out(static_cast<size_t>(m.rows));
  map_values(m, [&](int64_t r, float v) {
    out[static_cast<size_t>(r)] += squared ? static_cast<double>(v) * v : std::abs(v);
    return v;
  });
  return out;
}

// Sums of |x| over rows, [N, 1].
at::Tensor row_sums(const Input& x) {
  at::Tensor out = at::zeros({x.rows(), 1}, at::kDouble);
  if (const SparseMatrix* m = native_matrix(x)) {
    std::ranges::copy(row_sums(*m, /*squared=*/false), out.data_ptr<double>());
  } else {
    for (int64_t begin = 0; begin < x.width(); begin += kMostColumns)
      out += columns_of(x, begin, std::min(x.width(), begin + kMostColumns))
                 .abs()
                 .sum({1}, true, at::kDouble)
                 .cpu();
  }
  return out.to(at::TensorOptions().device(x.device()).dtype(at::kFloat));
}

// Data Error if a value is negative, which has no share of a sum and no root.
void require_shares(const Input& x, Transform transform) {
  bool negative = false;
  if (const SparseMatrix* m = native_matrix(x)) {
    negative = std::any_of(m->values.begin(), m->values.end(), [](float v) { return v < 0; });
  } else {
    for (int64_t begin = 0; begin < x.width() && !negative; begin += kMostColumns)
      negative =
          (columns_of(x, begin, std::min(x.width(), begin + kMostColumns)) < 0).any().item<bool>();
  }
  if (negative)
    fail_data("features",
              fmt::format("some are negative, so that rows have no {0} (--row-transform {0})",
                          name_of(names_of(transform), transform)),
              "solve with --row-transform unit");
}

// Hop 0 of sparse features, transformed; nullptr for others.
std::shared_ptr<const SparseOperator> sparse_own(const Input& x, const GraphFilter& filter,
                                                 Transform transform) {
  const SparseMatrix* m = native_matrix(x);
  if (!m || filter.coefficients.size() > 1) return nullptr;
  SparseMatrix out = *m;
  if (transform == Transform::powers)
    out.values = map_values(*m, [](int64_t, float v) { return raised(v); });
  const bool scaled = transform == Transform::unit || transform == Transform::powers;
  const std::vector<double> sums = row_sums(out, scaled);
  out.values = map_values(out, [&](int64_t r, float v) {
    const auto sum = static_cast<float>(sums[static_cast<size_t>(r)]);
    const float share = v / std::max(sum, static_cast<float>(kSmallest));
    if (transform == Transform::shares) return std::sqrt(std::max(share, 0.0f));
    if (scaled) return v / std::sqrt(std::max(sum, static_cast<float>(kSmallest * kSmallest)));
    return v;
  });
  return std::make_shared<NativeSparse>(out);
}

template <class Hop>
std::vector<at::Tensor> polynomials(at::Tensor x, std::span<const GraphFilter> filters,
                                    const Hop& hop) {
  size_t terms = 0;
  std::vector<at::Tensor> out;
  for (const GraphFilter& filter : filters) {
    terms = std::max(terms, filter.coefficients.size());
    out.push_back(x * filter.coefficients.at(0));
  }
  for (size_t k = 1; k < terms; ++k) {
    x = hop(x);
    for (size_t f = 0; f < filters.size(); ++f)
      if (k < filters[f].coefficients.size()) out[f].add_(x, filters[f].coefficients[k]);
  }
  return out;
}

}  // namespace

std::vector<at::Tensor> diffuse(const SparseOperator& adjacency, const at::Tensor& x,
                                std::span<const GraphFilter> filters) {
  return polynomials(x, filters, [&](const at::Tensor& t) { return adjacency.apply(t); });
}

at::Tensor columns_of(const Input& x, int64_t begin, int64_t end) {
  if (!x.sparse()) return x.dense().slice(1, begin, end).contiguous();
  at::Tensor pick =
      at::zeros({end - begin, x.width()}, at::TensorOptions().device(x.device()).dtype(at::kFloat));
  pick.slice(1, begin, end).fill_diagonal_(1);
  return x.times(pick);
}

FilteredRows filtered_rows(const Batch& whole, std::span<const GraphFilter> filters,
                           Transform transform, const at::Tensor& nodes) {
  const at::NoGradGuard no_gradient;
  GS_ASSERT(transform != Transform::automatic);
  const Input& x = whole.features;
  if (transform == Transform::shares || transform == Transform::powers)
    require_shares(x, transform);
  const SparseOperator& adjacency = whole.adjacency.layer(0);
  at::Tensor units = at::zeros({x.rows(), nodes.size(0)}, at::kFloat);
  units.scatter_(0, nodes.unsqueeze(0), 1);
  const at::Tensor all_sums = row_sums(x);
  FilteredRows out;
  std::vector<at::Tensor> magnitudes;
  for (const at::Tensor& from : polynomials(
           units, filters, [&](const at::Tensor& t) { return adjacency.apply_transposed(t); })) {
    at::Tensor part = x.sparse() ? x.sparse_operator().apply_transposed(from).t().contiguous()
                                 : transposed_product(from, x.dense());
    const at::Tensor sums = transposed_product(from, all_sums);
    if (transform == Transform::shares) part.div_(sums.clamp_min(kSmallest)).clamp_min_(0).sqrt_();
    if (transform == Transform::powers) raise_powers(part.clamp_min_(0));
    if (transform == Transform::unit || transform == Transform::powers)
      part.div_(part.norm(2, {1}, true).clamp_min_(kSmallest));
    out.parts.push_back(part);
    magnitudes.push_back(sums);
  }
  magnitudes.push_back(degrees(whole).index_select(0, nodes).to(at::kFloat));
  out.magnitudes = at::cat(magnitudes, 1);
  return out;
}

at::Tensor DiffusedTall::times(const at::Tensor& p) const {
  const Input& x = batch_.features;
  return diffuse(batch_.adjacency.layer(0),
                 x.sparse() ? x.sparse_operator().apply(p) : product(x.dense(), p),
                 std::span(&filter_, 1))[0];
}

at::Tensor DiffusedTall::transposed_times(const at::Tensor& q) const {
  const Input& x = batch_.features;
  const SparseOperator& adjacency = batch_.adjacency.layer(0);
  const at::Tensor back = polynomials(q, std::span(&filter_, 1), [&](const at::Tensor& t) {
    return adjacency.apply_transposed(t);
  })[0];
  return x.sparse() ? x.sparse_operator().apply_transposed(back)
                    : transposed_product(x.dense(), back);
}

FilteredFeatures::FilteredFeatures(const Batch& whole, std::vector<GraphFilter> filters,
                                   Transform transform)
    : batch_(whole), filters_(std::move(filters)), transform_(transform) {
  const at::NoGradGuard no_gradient;
  GS_ASSERT(transform != Transform::automatic);
  if (transform == Transform::shares || transform == Transform::powers)
    require_shares(batch_.features, transform);
  sums_ = diffuse(batch_.adjacency.layer(0), row_sums(batch_.features), filters_);
  for (const GraphFilter& filter : filters_)
    sparse_.push_back(sparse_own(batch_.features, filter, transform));
  if (transform != Transform::unit && transform != Transform::powers) return;
  for (size_t f = 0; f < filters_.size(); ++f)
    lengths_.push_back(at::zeros({rows(), 1}, sums_[f].options().dtype(at::kDouble)));
  visit_plain([&](int64_t, std::span<const at::Tensor> parts) {
    for (size_t f = 0; f < parts.size(); ++f) {
      if (!parts[f].defined()) continue;
      if (transform == Transform::powers) raise_powers(parts[f].clamp_min_(0));
      lengths_[f] += parts[f].square().sum({1}, true, at::kDouble);
    }
  });
  for (at::Tensor& length : lengths_)
    length = length.sqrt().clamp_min_(kSmallest).to(sums_[0].options());
}

void FilteredFeatures::visit_plain(const Visit& visit) const {
  std::vector<GraphFilter> dense;
  for (size_t f = 0; f < filters_.size(); ++f)
    if (!sparse_[f]) dense.push_back(filters_[f]);
  if (dense.empty()) return;
  const int64_t step = block_width(rows());
  for (int64_t begin = 0; begin < width(); begin += step) {
    const at::Tensor x = columns_of(batch_.features, begin, std::min(width(), begin + step));
    std::vector<at::Tensor> made = diffuse(batch_.adjacency.layer(0), x, dense), parts;
    for (size_t f = 0, d = 0; f < filters_.size(); ++f)
      parts.push_back(sparse_[f] ? at::Tensor() : made[d++]);
    visit(begin, parts);
  }
}

void FilteredFeatures::visit(const Visit& visit, Progress& progress) const {
  const at::NoGradGuard no_gradient;
  progress.start("diffusing", width(), "columns");
  visit_plain([&](int64_t begin, std::span<const at::Tensor> plain) {
    std::vector<at::Tensor> parts(plain.begin(), plain.end());
    int64_t columns = 0;
    for (size_t f = 0; f < parts.size(); ++f) {
      if (!parts[f].defined()) continue;
      columns = parts[f].size(1);
      if (transform_ == Transform::shares)
        parts[f].div_(sums_[f].clamp_min(kSmallest)).clamp_min_(0).sqrt_();
      if (transform_ == Transform::powers) raise_powers(parts[f].clamp_min_(0));
      if (!lengths_.empty()) parts[f].div_(lengths_[f]);
    }
    visit(begin, parts);
    progress.advance(columns);
  });
  progress.finish();
}

at::Tensor FilteredFeatures::magnitudes() const {
  std::vector<at::Tensor> columns(sums_);
  columns.push_back(degrees(batch_).to(sums_[0].options()));
  return at::cat(columns, 1);
}

}  // namespace gs
