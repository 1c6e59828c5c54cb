#include "nn/diffusion.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/scratch.h"
#include "nn/ops/native_sparse.h"
#include "nn/products.h"

namespace gs {

namespace {

constexpr int64_t kBlockValues = int64_t{1} << 22;  // values of a block of columns
constexpr int64_t kFewestColumns = 16, kMostColumns = 256;
constexpr int64_t kFilledColumns = 1024;             // between two reports of progress
constexpr int64_t kMostTileRows = int64_t{1} << 17;  // a tile of more does not stay in cache
constexpr double kSmallest = 1e-12;                  // sums below it count as 0

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

// Whether the features are plain floats on the CPU.
bool is_plain(const Batch& whole) {
  const Input& x = whole.features;
  return !x.sparse() && x.device() == at::kCPU && x.dense().scalar_type() == at::kFloat;
}

// Columns [first, first + width) of a matrix that is given by its columns, into a tile of `size`
// floats.
void spread_columns(const SparseRows& by_column, int64_t first, int64_t width, float* tile,
                    int64_t size) {
  std::fill_n(tile, size, 0.0f);
  for (int64_t c = 0; c < width; ++c)
    for (int64_t e = by_column.offsets[first + c]; e < by_column.offsets[first + c + 1]; ++e)
      tile[by_column.indices[e] * kTileColumns + c] = by_column.values ? by_column.values[e] : 1;
}

void copy_columns(const at::Tensor& x, int64_t first, int64_t width, float* tile) {
  const auto* from = x.const_data_ptr<float>() + first * x.stride(1);
  for (int64_t r = 0; r < x.size(0); ++r, from += x.stride(0), tile += kTileColumns) {
    for (int64_t c = 0; c < width; ++c) tile[c] = from[c * x.stride(1)];
    std::fill(tile + width, tile + kTileColumns, 0.0f);
  }
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

// Sums over rows of |x|, or of x squared, [N, 1].
at::Tensor row_sums(const Input& x, bool squared) {
  const auto term = [&](const at::Tensor& part) { return squared ? part.square() : part.abs(); };
  at::Tensor out = at::zeros({x.rows(), 1}, at::kDouble);
  if (const SparseMatrix* m = native_matrix(x)) {
    auto* sums = out.data_ptr<double>();
    map_values(*m, [&](int64_t r, float v) {
      return sums[r] += squared ? static_cast<double>(v) * v : std::abs(v), v;
    });
  } else {
    for (int64_t begin = 0; begin < x.width(); begin += kMostColumns)
      out += term(columns_of(x, begin, std::min(x.width(), begin + kMostColumns)))
                 .sum({1}, true, at::kDouble)
                 .cpu();
  }
  return out.to(at::TensorOptions().device(x.device()).dtype(at::kFloat));
}

// Data Error if a value is negative, which has no share of a sum.
void require_shares(const Input& x) {
  bool negative = false;
  if (const SparseMatrix* m = native_matrix(x)) {
    negative = std::any_of(m->values.begin(), m->values.end(), [](float v) { return v < 0; });
  } else {
    for (int64_t begin = 0; begin < x.width() && !negative; begin += kMostColumns)
      negative =
          (columns_of(x, begin, std::min(x.width(), begin + kMostColumns)) < 0).any().item<bool>();
  }
  if (negative)
    fail_data("features", "some are negative, so that rows have no shares (--row-transform shares)",
              "solve with --row-transform unit");
}

// Hop 0 of sparse features, transformed; nullptr for others.
std::shared_ptr<const SparseOperator> sparse_own(const Input& x, const GraphFilter& filter,
                                                 Transform transform) {
  const SparseMatrix* m = native_matrix(x);
  if (!m || filter.coefficients.size() > 1) return nullptr;
  const at::Tensor by = row_sums(x, transform == Transform::unit);
  const auto* sum = by.const_data_ptr<float>();
  SparseMatrix out = *m;
  out.values = map_values(*m, [&](int64_t r, float v) {
    const float share = v / std::max(sum[r], static_cast<float>(kSmallest));
    if (transform == Transform::shares) return std::sqrt(std::max(share, 0.0f));
    if (transform == Transform::unit)
      return v / std::sqrt(std::max(sum[r], static_cast<float>(kSmallest * kSmallest)));
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
  if (transform == Transform::shares) require_shares(x);
  const SparseOperator& adjacency = whole.adjacency.layer(0);
  at::Tensor units = at::zeros({x.rows(), nodes.size(0)}, at::kFloat);
  units.scatter_(0, nodes.unsqueeze(0), 1);
  const at::Tensor all_sums = row_sums(x, false);
  FilteredRows out;
  std::vector<at::Tensor> magnitudes;
  for (const at::Tensor& from : polynomials(
           units, filters, [&](const at::Tensor& t) { return adjacency.apply_transposed(t); })) {
    at::Tensor part = x.sparse() ? x.sparse_operator().apply_transposed(from).t().contiguous()
                                 : transposed_product(from, x.dense());
    const at::Tensor sums = transposed_product(from, all_sums);
    if (transform == Transform::shares) part.div_(sums.clamp_min(kSmallest)).clamp_min_(0).sqrt_();
    else if (transform == Transform::unit) part.div_(part.norm(2, {1}, true).clamp_min_(kSmallest));
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
    : batch_(whole), filters_(std::move(filters)), transform_(transform), scale_(filters_.size()) {
  const at::NoGradGuard no_gradient;
  GS_ASSERT(transform != Transform::automatic);
  if (transform == Transform::shares) require_shares(batch_.features);
  const SparseOperator& adjacency = batch_.adjacency.layer(0);
  sums_ = diffuse(adjacency, row_sums(batch_.features, false), filters_);
  for (size_t f = 0; f < filters_.size(); ++f) {
    sparse_.push_back(sparse_own(batch_.features, filters_[f], transform));
    if (!sparse_[f]) dense_.push_back(f);
  }
  const auto* native = dynamic_cast<const NativeSparse*>(&adjacency);
  if (native && rows() <= kMostTileRows && (native_matrix(batch_.features) || is_plain(whole))) {
    const Spmm call = native->forward_call();
    tiles_ = {call.matrix, call.row_scale, call.column_scale, call.self, {}};
    for (const size_t f : dense_) {
      const auto& coefficients = filters_[f].coefficients;
      tiles_.coefficients.emplace_back(coefficients.begin(), coefficients.end());
    }
  }
  if (transform == Transform::shares)
    for (const size_t f : dense_) scale_[f] = sums_[f].clamp_min(kSmallest).reciprocal_();
  if (transform != Transform::unit) return;
  std::vector<at::Tensor> squares(filters_.size());
  for (const size_t f : dense_) squares[f] = at::zeros_like(sums_[f], at::kDouble);
  visit([&](int64_t, std::span<const at::Tensor> parts) {  // not scaled yet
    for (const size_t f : dense_) squares[f] += parts[f].square().sum({1}, true, at::kDouble);
  });
  for (const size_t f : dense_)
    scale_[f] = squares[f].sqrt().clamp_min_(kSmallest).reciprocal_().to(sums_[f].options());
}

int64_t FilteredFeatures::block_width() const {
  // Depends on the graph alone, so that the same columns are always computed together.
  const int64_t width = kBlockValues / std::max<int64_t>(1, rows());
  return std::clamp(width / kTileColumns * kTileColumns, kFewestColumns, kMostColumns);
}

void FilteredFeatures::make_columns(int64_t begin, int64_t end, std::span<const at::Tensor> parts,
                                    std::span<Moments> moments) const {
  if (dense_.empty()) return;
  if (tiled()) return make_tiles(begin, end, parts, moments);
  std::vector<GraphFilter> dense;
  for (const size_t f : dense_) dense.push_back(filters_[f]);
  const std::vector<at::Tensor> made =
      diffuse(batch_.adjacency.layer(0), columns_of(batch_.features, begin, end), dense);
  for (size_t d = 0; d < dense_.size(); ++d) {
    const size_t f = dense_[d];
    at::Tensor now = made[d];
    if (scale_[f].defined()) now.mul_(scale_[f]);
    if (transform_ == Transform::shares) now.clamp_min_(0).sqrt_();
    parts[f].copy_(now);
    if (moments.empty()) continue;
    moments[f].sums.slice(0, begin, end).add_(now.sum({0}, false, at::kDouble));
    moments[f].squares.slice(0, begin, end).add_(now.square().sum({0}, false, at::kDouble));
  }
}

void FilteredFeatures::make_tiles(int64_t begin, int64_t end, std::span<const at::Tensor> parts,
                                  std::span<Moments> moments) const {
  const Input& x = batch_.features;
  const auto* sparse =
      x.sparse() ? dynamic_cast<const NativeSparse*>(&x.sparse_operator()) : nullptr;
  const SparseRows by_column = sparse ? sparse->backward_call().matrix : SparseRows{};
  const at::Tensor dense = sparse ? at::Tensor() : x.dense();
  const int64_t nodes = rows(), size = nodes * kTileColumns;
  parallel_for(
      (end - begin + kTileColumns - 1) / kTileColumns, 1, [&](int64_t first, int64_t last) {
        thread_local Scratch scratch;
        float* const tile = scratch.floats(static_cast<size_t>(size) * (2 + dense_.size()));
        std::vector<float*> out;
        for (size_t d = 0; d < dense_.size(); ++d)
          out.push_back(tile + static_cast<int64_t>(2 + d) * size);
        for (int64_t t = first; t < last; ++t) {
          const int64_t at = begin + t * kTileColumns, width = std::min(kTileColumns, end - at);
          if (sparse) spread_columns(by_column, at, width, tile, size);
          else copy_columns(dense, at, width, tile);
          diffuse_tile(tiles_, tile, tile + size, out);
          for (size_t d = 0; d < dense_.size(); ++d) {
            const size_t f = dense_[d];
            put_tile(
                out[d],
                {.rows = nodes,
                 .width = width,
                 .row_scale = scale_[f].defined() ? scale_[f].const_data_ptr<float>() : nullptr,
                 .root = transform_ == Transform::shares,
                 .y = parts[f].data_ptr<float>() + at - begin,
                 .y_stride = parts[f].stride(0),
                 .sums = moments.empty() ? nullptr : moments[f].sums.data_ptr<double>() + at,
                 .squares =
                     moments.empty() ? nullptr : moments[f].squares.data_ptr<double>() + at});
          }
        }
      });
}

void FilteredFeatures::visit(const Visit& visit, Progress& progress) const {
  if (dense_.empty()) return;
  const at::NoGradGuard no_gradient;
  progress.start("diffusing", width(), "columns");
  for (int64_t begin = 0; begin < width(); begin += block_width()) {
    const int64_t end = std::min(width(), begin + block_width());
    std::vector<at::Tensor> parts(filters_.size());
    for (const size_t f : dense_) parts[f] = at::empty({rows(), end - begin}, sums_[f].options());
    make_columns(begin, end, parts, {});
    visit(begin, parts);
    progress.advance(end - begin);
  }
  progress.finish();
}

std::vector<Moments> FilteredFeatures::fill(std::span<const at::Tensor> out,
                                            Progress& progress) const {
  const at::NoGradGuard no_gradient;
  std::vector<Moments> moments(filters_.size());
  for (const size_t f : dense_)
    moments[f] = {at::zeros({width()}, at::kDouble), at::zeros({width()}, at::kDouble)};
  progress.start("diffusing", width(), "columns");
  const int64_t step = tiled() ? kFilledColumns : block_width();
  for (int64_t begin = 0; begin < width() && !dense_.empty(); begin += step) {
    const int64_t end = std::min(width(), begin + step);
    std::vector<at::Tensor> parts(filters_.size());
    for (const size_t f : dense_) parts[f] = out[f].slice(1, begin, end);
    make_columns(begin, end, parts, moments);
    progress.advance(end - begin);
  }
  progress.finish();
  return moments;
}

at::Tensor FilteredFeatures::magnitudes() const {
  std::vector<at::Tensor> columns(sums_);
  columns.push_back(degrees(batch_).to(sums_[0].options()));
  return at::cat(columns, 1);
}

}  // namespace gs
