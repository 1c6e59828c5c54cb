#include "method/spectral.h"

#include <ATen/core/grad_mode.h>

#include <cmath>

#include "method/maker.h"
#include "nn/products.h"
#include "nn/scratch_matrix.h"
#include "nn/shrinkage.h"

namespace gs {

namespace {

// Directions are solved from at least this many rows if there are more, evenly spaced; from all of
// them as long as the matrices have no more than this many values.
constexpr int64_t kFewestRows = int64_t{1} << 17, kMostValues = int64_t{1} << 30;
constexpr int64_t kSummedRows = 4096;
constexpr int64_t kNodesAtOnce = 128;  // of embed_rows()
constexpr double kTiny = 1e-30;
constexpr double kLowest = 0.01;  // share of the mean that a magnitude of 0 counts as

// Columns of each filter's part: its share of what the magnitudes leave, one at least.
std::vector<int64_t> part_widths(std::span<const GraphFilter> filters, int64_t columns,
                                 int64_t features) {
  double shares = 0, before = 0;
  for (const GraphFilter& filter : filters) shares += filter.share;
  std::vector<int64_t> out;
  int64_t begin = 0;
  for (const GraphFilter& filter : filters) {
    before += filter.share;
    const int64_t end = std::llround(static_cast<double>(columns) * before / shares);
    out.push_back(std::clamp<int64_t>(end - begin, 1, features));
    begin = end;
  }
  return out;
}

// rho^(a + 1/2) of singular values s, of columns whose mean square length is `unit`.
at::Tensor column_weights(const at::Tensor& s, double unit, const SpectralOptions& options) {
  const at::Tensor squares = s.square() / std::max(unit, kTiny);
  const at::Tensor rho = options.noise >= 1
                             ? squares / squares.max().clamp_min(kTiny)
                             : squares / (squares + options.noise / (1 - options.noise));
  return rho.pow(options.power + 0.5);
}

// Squared lengths of the columns, less `mean`.
at::Tensor column_squares(const TallMatrix& matrix, const at::Tensor& mean) {
  at::Tensor out = at::zeros({matrix.columns()}, at::kDouble);
  for (int64_t begin = 0; begin < matrix.rows(); begin += kSummedRows)
    out +=
        (matrix.block(begin, std::min(matrix.rows(), begin + kSummedRows)).to(at::kDouble) - mean)
            .square()
            .sum({0});
  return out;
}

at::Tensor column_mean(const TallMatrix& matrix, bool center) {
  if (!center) return at::zeros({matrix.columns()}, at::kDouble);
  const at::Tensor ones = at::ones({matrix.rows(), 1}, at::kFloat);
  return matrix.transposed_times(ones).squeeze(1).to(at::kDouble) /
         static_cast<double>(matrix.rows());
}

}  // namespace

struct Spectral::Kept {
  int64_t step = 1;              // every `step`-th row is kept
  std::vector<at::Tensor> rows;  // per filter; undefined where the matrix is sparse
  std::vector<at::Tensor> mean;  // per filter, of all rows, in double
  std::vector<int64_t> begins;   // first columns of the blocks that they were made in
};

Spectral::Spectral(const MethodSetting& setting)
    : Method(setting),
      options_(setting.options.spectral),
      filters_(options_.parsed_filters()),
      random_(setting.random.fork("spectral")) {
  const auto count = static_cast<int64_t>(filters_.size());
  const int64_t magnitudes = has_magnitudes() ? count + 1 : 0;
  const std::vector<int64_t> widths =
      part_widths(filters_, setting.options.model.dim - magnitudes, setting.features);
  for (int64_t f = 0; f < count; ++f) {
    const int64_t width = widths[static_cast<size_t>(f)];
    const std::string name = fmt::format("filter.{}", f);
    parts_.push_back({parameters_.buffer(name + ".directions", {setting.features, width}, 0),
                      parameters_.buffer(name + ".offset", {width}, 0)});
  }
  if (magnitudes == 0) return;
  magnitude_unit_ = parameters_.buffer("magnitudes.unit", {magnitudes}, 1);
  magnitude_mean_ = parameters_.buffer("magnitudes.mean", {magnitudes}, 0);
  magnitude_scale_ = parameters_.buffer("magnitudes.scale", {magnitudes}, 0);
}

bool Spectral::unformed() const {
  return options_.transform == Transform::none && !options_.scale_columns && filters_.size() == 1 &&
         features() > kExactWidth && parameters_.device().torch == at::kCPU;
}

Spectral::Kept Spectral::keep(const FilteredFeatures& features, const InferenceOptions& options,
                              Progress& progress) const {
  Kept out;
  const auto count = static_cast<int64_t>(filters_.size());
  const int64_t most = std::max(kFewestRows, kMostValues / (features.width() * count));
  out.step = (features.rows() + most - 1) / most;
  const int64_t rows = (features.rows() + out.step - 1) / out.step;
  for (size_t f = 0; f < filters_.size(); ++f) {
    out.rows.push_back(features.sparse(f) ? at::Tensor()
                                          : scratch_matrix(rows, features.width(), Device{},
                                                           options.memory / (2 * count)));
    out.mean.push_back(at::zeros({features.width()}, at::kDouble));
  }
  features.visit(
      [&](int64_t begin, std::span<const at::Tensor> parts) {
        out.begins.push_back(begin);
        for (size_t f = 0; f < parts.size(); ++f) {
          if (!parts[f].defined()) continue;
          const int64_t end = begin + parts[f].size(1);
          out.rows[f].slice(1, begin, end).copy_(parts[f].slice(0, 0, features.rows(), out.step));
          if (options_.center)
            out.mean[f].slice(0, begin, end).copy_(parts[f].mean({0}, false, at::kDouble));
        }
      },
      progress);
  return out;
}

void Spectral::solve_part(size_t f, const TallMatrix& matrix, const at::Tensor& mean,
                          const at::Tensor& squares) {
  Part& part = parts_[f];
  at::Tensor scale = at::ones_like(mean);
  if (options_.scale_columns)
    scale = at::where(squares > kTiny, squares.clamp_min(kTiny).rsqrt(), 0.0);
  // The noise level is read from the whole spectrum.
  const bool denoise =
      options_.denoise && options_.transform == Transform::unit && matrix.columns() <= kExactWidth;
  const Directions found = leading_directions({matrix, mean, scale},
                                              denoise ? matrix.columns() : part.directions.size(1),
                                              random_.fork("directions", static_cast<int64_t>(f)));
  const at::Tensor s = found.values;
  const double captured = std::max(kTiny, s.square().sum().item<double>());
  // The squared length of the whole matrix, and its mean over columns.
  double all = captured, unit = captured / static_cast<double>(s.size(0));
  if (options_.scale_columns) {
    all = (squares > kTiny).sum().item<double>(), unit = 1;
  } else if (squares.defined()) {
    all = std::max(captured, squares.sum().item<double>());
    unit = all / static_cast<double>(squares.size(0));
  }
  const at::Tensor g = column_weights(s, unit, options_);
  // The part's rows have a mean square length of weight^2, were all directions kept.
  const double energy_out = g.square().sum().item<double>() * std::max(1.0, all / captured);
  const double factor = filters_[f].weight *
                        std::sqrt(static_cast<double>(matrix.rows()) / std::max(kTiny, energy_out));
  at::Tensor gain = at::where(s > 1e-6 * s.max(), g / s.clamp_min(kTiny), 0.0) * factor;
  if (denoise) {
    const at::Tensor kept = shrinkage(s, matrix.rows(), matrix.columns());
    const bool last = f + 1 == filters_.size();  // something has to stay, were all of it noise
    if (!last || (kept > 0).any().item<bool>()) gain = gain * kept;
  }
  // Fewer than the part's if there are few nodes.
  const int64_t width = std::min(part.directions.size(1), s.size(0));
  const at::Tensor w =
      (found.vectors.to(at::kDouble) * scale.unsqueeze(1) * gain).slice(1, 0, width);
  part.directions.slice(1, 0, width).copy_(w);
  part.offset.slice(0, 0, width).copy_(at::mv(w.t(), mean));
}

void Spectral::solve_magnitudes(const at::Tensor& magnitudes) {
  const at::Tensor columns = magnitudes.to(at::kDouble);
  const at::Tensor unit = columns.mean(0).clamp_min(1e-12);
  const at::Tensor logs = (columns / unit + kLowest).log();
  const at::Tensor deviation = logs.std(0, /*unbiased=*/false);
  magnitude_unit_.copy_(unit);
  magnitude_mean_.copy_(logs.mean(0));
  magnitude_scale_.copy_(at::where(deviation > 1e-6, options_.magnitudes / deviation, 0.0) /
                         std::sqrt(static_cast<double>(columns.size(1))));
}

at::Tensor Spectral::solve(const Batch& whole, const InferenceOptions& options,
                           Progress& progress) {
  const at::NoGradGuard no_gradient;
  if (unformed()) {
    progress.start("solving", 1, "filters");
    const DiffusedTall matrix(whole, filters_[0]);
    solve_part(0, matrix, column_mean(matrix, options_.center), {});
    progress.advance(1);
    progress.finish();
    if (has_magnitudes())
      solve_magnitudes(FilteredFeatures(whole, filters_, options_.transform).magnitudes());
    return embed(whole, options, progress);
  }
  const FilteredFeatures features(whole, filters_, options_.transform);
  const Kept kept = keep(features, options, progress);
  progress.start("solving", static_cast<int64_t>(filters_.size()), "filters");
  for (size_t f = 0; f < filters_.size(); ++f) {
    if (features.sparse(f)) {
      const SparseTall matrix(features.sparse(f));
      const at::Tensor mean = column_mean(matrix, options_.center);
      solve_part(f, matrix, mean, column_squares(matrix, mean));
    } else {
      const DenseTall matrix(kept.rows[f]);
      solve_part(f, matrix, kept.mean[f], column_squares(matrix, kept.mean[f]));
    }
    progress.advance(1);
  }
  progress.finish();
  if (has_magnitudes()) solve_magnitudes(features.magnitudes());
  if (kept.step > 1) return embed(whole, options, progress);
  at::Tensor out = output_matrix(features.rows(), options);
  for (size_t b = 0; b < kept.begins.size(); ++b) {
    const int64_t begin = kept.begins[b],
                  end = b + 1 < kept.begins.size() ? kept.begins[b + 1] : features.width();
    std::vector<at::Tensor> blocks;
    for (const at::Tensor& rows : kept.rows)
      blocks.push_back(rows.defined() ? rows.slice(1, begin, end).contiguous() : rows);
    add_columns(out, begin, blocks);
  }
  complete(out, features);
  return out;
}

std::vector<at::Tensor> Spectral::directions() const {
  std::vector<at::Tensor> out;
  for (const Part& part : parts_) out.push_back(part.directions);
  return out;
}

Loss Spectral::loss(const Batch&, const Step&) { GS_ASSERT(!"solved, not trained"); }

at::Tensor Spectral::output_matrix(int64_t rows, const InferenceOptions& options) const {
  int64_t width = has_magnitudes() ? magnitude_mean_.size(0) : 0;
  for (const Part& part : parts_) width += part.directions.size(1);
  return scratch_matrix(rows, width, parameters_.device(), options.memory / 2).zero_();
}

void Spectral::add_columns(at::Tensor& out, int64_t begin,
                           std::span<const at::Tensor> blocks) const {
  int64_t column = 0;
  for (size_t f = 0; f < blocks.size(); ++f) {
    const at::Tensor& w = parts_[f].directions;
    if (blocks[f].defined()) {
      at::Tensor part = out.slice(1, column, column + w.size(1));
      add_product(part, blocks[f], w.slice(0, begin, begin + blocks[f].size(1)));
    }
    column += w.size(1);
  }
}

void Spectral::complete(at::Tensor& out, const FilteredFeatures& features) const {
  int64_t column = 0;
  for (size_t f = 0; f < parts_.size(); ++f) {
    const auto& [directions, offset] = parts_[f];
    at::Tensor part = out.slice(1, column, column + offset.size(0));
    if (features.sparse(f)) part.copy_(features.sparse(f)->apply(directions));
    part -= offset;
    column += offset.size(0);
  }
  if (!has_magnitudes()) return;
  out.slice(1, column).copy_(magnitude_columns(features.magnitudes()));
}

at::Tensor Spectral::magnitude_columns(const at::Tensor& magnitudes) const {
  const at::Tensor logs = (magnitudes / magnitude_unit_ + kLowest).log_();
  return (logs - magnitude_mean_) * magnitude_scale_;
}

at::Tensor Spectral::embed_rows(const Batch& whole, const at::Tensor& nodes,
                                const InferenceOptions& options, Progress& progress) const {
  const at::NoGradGuard no_gradient;
  const bool on_cpu = parameters_.device().torch == at::kCPU;
  if (nodes.size(0) >= features() || !on_cpu)
    return Method::embed_rows(whole, nodes, options, progress);
  std::vector<at::Tensor> out;
  progress.start("embedding", nodes.size(0), "nodes");
  for (int64_t begin = 0; begin < nodes.size(0); begin += kNodesAtOnce) {
    const at::Tensor some = nodes.slice(0, begin, begin + kNodesAtOnce);
    const FilteredRows rows = filtered_rows(whole, filters_, options_.transform, some);
    std::vector<at::Tensor> columns;
    for (size_t f = 0; f < parts_.size(); ++f)
      columns.push_back(product(rows.parts[f], parts_[f].directions) - parts_[f].offset);
    if (has_magnitudes()) columns.push_back(magnitude_columns(rows.magnitudes));
    out.push_back(at::cat(columns, 1));
    progress.advance(some.size(0));
  }
  return at::cat(out, 0);
}

at::Tensor Spectral::embed(const Batch& whole, const InferenceOptions& options,
                           Progress& progress) const {
  const at::NoGradGuard no_gradient;
  if (unformed() && !has_magnitudes())
    return DiffusedTall(whole, filters_[0]).times(parts_[0].directions).sub_(parts_[0].offset);
  const FilteredFeatures features(whole, filters_, options_.transform);
  at::Tensor out = output_matrix(features.rows(), options);
  features.visit(
      [&](int64_t begin, std::span<const at::Tensor> blocks) { add_columns(out, begin, blocks); },
      progress);
  complete(out, features);
  return out;
}

std::optional<int64_t> Spectral::hops() const {
  size_t terms = 2;  // the degree, a magnitude, reads one hop
  for (const GraphFilter& filter : filters_) terms = std::max(terms, filter.coefficients.size());
  return static_cast<int64_t>(terms) - 1;
}

StepCost Spectral::step_cost(const RunOptions& options) {
  const auto filters = static_cast<double>(options.spectral.parsed_filters().size());
  return {.floats_per_node = static_cast<double>(options.model.dim) + 64 * (2 + 2 * filters)};
}

template MethodMaker method_maker<Spectral>();

}  // namespace gs
