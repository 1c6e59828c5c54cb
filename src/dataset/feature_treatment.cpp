#include "dataset/feature_treatment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/error.h"
#include "base/parallel.h"
#include "base/text.h"

namespace gs {

namespace {

constexpr int64_t kGrain = 1 << 14;
// Scales differ if one column's spread is this many times the median column's, or its inverse.
constexpr double kDifferentScales = 10;

bool all_ones(std::span<const float> values) {
  return std::ranges::all_of(values, [](float v) { return v == 1; });
}

bool are_counts(std::span<const float> values) {
  return std::ranges::all_of(values, [](float v) { return v >= 1 && v == std::floor(v); });
}

SuitableRule rule_of_words(std::span<const float> values, bool binary_weights) {
  const bool negative = std::ranges::any_of(values, [](float v) { return v < 0; });
  if (values.empty() || negative || all_ones(values)) return {};
  if (are_counts(values)) return {FeatureRule::binary, "features are counts, made binary"};
  if (!binary_weights) return {};
  return {FeatureRule::binary, "features are weights of words, made binary"};
}

struct Ranges {
  std::vector<float> low, high;  // per column
};

Ranges ranges_of(const DenseMatrix& m) {
  Ranges out{std::vector<float>(m.columns, std::numeric_limits<float>::max()),
             std::vector<float>(m.columns, std::numeric_limits<float>::lowest())};
  for (int64_t r = 0; r < m.rows; ++r) {
    const auto row = m.row(r);
    for (int64_t c = 0; c < m.columns; ++c) {
      out.low[c] = std::min(out.low[c], row[c]);
      out.high[c] = std::max(out.high[c], row[c]);
    }
  }
  return out;
}

// Whether the ranges of some columns that are not constant are far larger or smaller than most.
bool scales_differ(const Ranges& ranges) {
  std::vector<double> widths;
  for (size_t c = 0; c < ranges.low.size(); ++c)
    if (ranges.high[c] > ranges.low[c])
      widths.push_back(static_cast<double>(ranges.high[c]) - ranges.low[c]);
  if (widths.empty()) return false;
  std::sort(widths.begin(), widths.end());
  const double middle = widths[widths.size() / 2];
  return widths.back() > kDifferentScales * middle || widths.front() * kDifferentScales < middle;
}

DenseMatrix dense_copy(const Features& features) {
  const int64_t rows = features.rows(), width = features.width();
  if (!features.sparse()) return features.dense_matrix();
  std::vector<float> values(rows * width);
  const SparseMatrix& m = features.sparse_matrix();
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t k = m.offsets[r]; k < m.offsets[r + 1]; ++k)
      values[r * width + m.indices[k]] = m.values.empty() ? 1.0f : m.values[k];
  return {rows, width, std::move(values)};
}

FeatureTreatment standardizing(const DenseMatrix& m) {
  std::vector<double> mean(m.columns), square(m.columns);
  const auto rows = static_cast<double>(std::max<int64_t>(1, m.rows));
  for (int64_t r = 0; r < m.rows; ++r)
    for (int64_t c = 0; c < m.columns; ++c) mean[c] += m.values[r * m.columns + c];
  for (double& s : mean) s /= rows;
  for (int64_t r = 0; r < m.rows; ++r)
    for (int64_t c = 0; c < m.columns; ++c)
      square[c] += std::pow(m.values[r * m.columns + c] - mean[c], 2);
  FeatureTreatment out{FeatureRule::standardize, {mean.begin(), mean.end()}, {}, {}, {}};
  for (const double s : square) {
    const double deviation = std::sqrt(s / rows);
    out.scale.push_back(deviation > 0 ? static_cast<float>(1 / deviation) : 0.0f);
  }
  return out;
}

FeatureTreatment ranging(const DenseMatrix& m) {
  const Ranges ranges = ranges_of(m);
  FeatureTreatment out{FeatureRule::min_max, ranges.low, {}, {}, {}};
  for (int64_t c = 0; c < m.columns; ++c) {
    const double width = static_cast<double>(ranges.high[c]) - ranges.low[c];
    out.scale.push_back(width > 0 ? static_cast<float>(1 / width) : 0.0f);
  }
  return out;
}

Features scaled(const FeatureTreatment& treatment, const Features& features) {
  const DenseMatrix m = dense_copy(features);
  const float least =
      treatment.rule == FeatureRule::min_max ? 0.0f : std::numeric_limits<float>::lowest();
  std::vector<float> values(m.values.size());
  parallel_for(m.rows, 64, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * m.columns; i < end * m.columns; ++i) {
      const int64_t c = i % m.columns;
      values[i] = std::max(least, (m.values[i] - treatment.shift[c]) * treatment.scale[c]);
    }
  });
  return {DenseMatrix{m.rows, m.columns, std::move(values)}};
}

Features binarized(const Features& features) {
  if (!features.sparse()) {
    const DenseMatrix& m = features.dense_matrix();
    std::vector<float> values(m.values.size());
    parallel_for(m.values.size(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) values[i] = m.values[i] > 0 ? 1.0f : 0.0f;
    });
    return {DenseMatrix{m.rows, m.columns, std::move(values)}};
  }
  const SparseMatrix& m = features.sparse_matrix();
  if (m.values.empty()) return features;
  if (std::all_of(m.values.begin(), m.values.end(), [](float v) { return v > 0; }))
    return {SparseMatrix{m.rows, m.columns, m.offsets, m.indices, {}}};
  std::vector<int64_t> offsets(m.rows + 1);
  std::vector<int32_t> indices;
  for (int64_t r = 0; r < m.rows; ++r) {
    for (int64_t k = m.offsets[r]; k < m.offsets[r + 1]; ++k)
      if (m.values[k] > 0) indices.push_back(m.indices[k]);
    offsets[r + 1] = static_cast<int64_t>(indices.size());
  }
  return {SparseMatrix{m.rows, m.columns, std::move(offsets), std::move(indices), {}}};
}

// Divides each row by its sum where that is not 0, as PyG's NormalizeFeatures does with its floor
// of 1.
Features row_normalized(const Features& features) {
  const bool sparse = features.sparse();
  const auto scale_rows = [&](const auto& value_at, const auto& begin_of, std::vector<float>& out) {
    parallel_for(features.rows(), 64, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        double sum = 0;
        for (int64_t k = begin_of(r); k < begin_of(r + 1); ++k) sum += value_at(k);
        for (int64_t k = begin_of(r); k < begin_of(r + 1); ++k)
          out[k] = static_cast<float>(value_at(k) / std::max(sum, 1.0));
      }
    });
  };
  if (!sparse) {
    const DenseMatrix& m = features.dense_matrix();
    std::vector<float> values(m.values.size());
    scale_rows([&](int64_t k) { return m.values[k]; }, [&](int64_t r) { return r * m.columns; },
               values);
    return {DenseMatrix{m.rows, m.columns, std::move(values)}};
  }
  const SparseMatrix& m = features.sparse_matrix();
  std::vector<float> values(m.nonzeros());
  scale_rows([&](int64_t k) { return m.values.empty() ? 1.0f : m.values[k]; },
             [&](int64_t r) { return m.offsets[r]; }, values);
  return {SparseMatrix{m.rows, m.columns, m.offsets, m.indices, std::move(values)}};
}

// The position of each name.
std::map<std::string_view, int64_t> positions_of(const std::vector<std::string>& names,
                                                 const std::string& where) {
  std::map<std::string_view, int64_t> out;
  for (const std::string& name : names)
    if (!out.emplace(name, std::ssize(out)).second)
      fail_data(where, fmt::format("two feature columns are named '{}'", printable(name)),
                "give every column a name of its own, or remove the names and keep the order");
  return out;
}

}  // namespace

SuitableRule suitable_rule(const Features& features, bool binary_weights) {
  if (features.sparse()) {
    const Array<float>& values = features.sparse_matrix().values;
    return rule_of_words({values.data(), static_cast<size_t>(values.size())}, binary_weights);
  }
  const DenseMatrix& dense = features.dense_matrix();
  const Ranges ranges = ranges_of(dense);
  if (!scales_differ(ranges)) return {};
  // Values without a sign stay so: what they are shares of means something.
  const bool negative =
      std::any_of(ranges.low.begin(), ranges.low.end(), [](float v) { return v < 0; });
  if (negative)
    return {FeatureRule::standardize, "feature columns have different scales, standardized"};
  return {FeatureRule::min_max, "feature columns have different scales, brought to [0, 1]"};
}

FeatureTreatment fitted_treatment(FeatureRule rule, const Features& features) {
  GS_ASSERT(rule != FeatureRule::automatic);
  if (rule == FeatureRule::standardize) return standardizing(dense_copy(features));
  if (rule == FeatureRule::min_max) return ranging(dense_copy(features));
  return {rule, {}, {}, {}, {}};
}

void check_treatment(const FeatureTreatment& treatment, int64_t width, const std::string& where) {
  const bool per_column =
      treatment.rule == FeatureRule::standardize || treatment.rule == FeatureRule::min_max;
  if (per_column && std::ssize(treatment.scale) != width)
    fail_data(where,
              fmt::format("has {} features, but the model was trained on {}", width,
                          treatment.scale.size()),
              "use a graph with the same features as the training graph");
}

void check_recipe(const FeatureTreatment& treatment, const std::string& recipe,
                  const std::string& where) {
  if (treatment.recipe == recipe) return;
  if (treatment.recipe.empty())
    fail_data(where, "its features were made from a table, but those of the training data were not",
              "pass features like those that the model was trained on");
  fail_data(where,
            recipe.empty() ? "its features were not made by the recipe of the training data"
                           : "its features were made from a table by a recipe of their own",
            "import the table with 'graphsurgeon data import ... --like RUN', which encodes it as "
            "the training data");
}

Features treated(const FeatureTreatment& treatment, Features features) {
  switch (treatment.rule) {
    case FeatureRule::automatic:
    case FeatureRule::raw:
      return features;
    case FeatureRule::binary:
      return binarized(features);
    case FeatureRule::row_norm:
      return row_normalized(features);
    case FeatureRule::standardize:
    case FeatureRule::min_max:
      return scaled(treatment, features);
  }
  fail_assertion("a rule for features", __FILE__, __LINE__);
}

bool same_treatment(const FeatureTreatment& a, const FeatureTreatment& b) {
  return a.rule == b.rule && a.shift == b.shift && a.scale == b.scale && a.recipe == b.recipe;
}

std::string_view done_to_features(FeatureRule rule) {
  switch (rule) {
    case FeatureRule::binary:
      return "features binarized";
    case FeatureRule::row_norm:
      return "feature rows normalized";
    case FeatureRule::standardize:
      return "features standardized";
    case FeatureRule::min_max:
      return "feature columns scaled to [0, 1]";
    default:
      return "";
  }
}

Features arranged(const Features& features, const std::vector<std::string>& names,
                  const std::vector<std::string>& wanted, const std::string& where) {
  const auto from = positions_of(names, where), to = positions_of(wanted, where);
  for (const std::string& name : names)
    if (!to.contains(name))
      fail_data(where, fmt::format("the model does not know the feature '{}'", printable(name)),
                "remove the column, or train on data that has it");
  for (const std::string& name : wanted)
    if (!features.sparse() && !from.contains(name))
      fail_data(where, fmt::format("has no feature '{}', which the model needs", printable(name)),
                "add the column");
  const auto width = std::ssize(wanted);
  if (!features.sparse()) {
    const DenseMatrix& m = features.dense_matrix();
    std::vector<float> values(static_cast<size_t>(m.rows * width));
    for (int64_t c = 0; c < width; ++c)
      for (int64_t r = 0, source = from.at(wanted[c]); r < m.rows; ++r)
        values[r * width + c] = m.values[r * m.columns + source];
    return {DenseMatrix{m.rows, width, std::move(values)}};
  }
  const SparseMatrix& m = features.sparse_matrix();
  std::vector<std::pair<int32_t, float>> row;
  std::vector<int32_t> indices;
  std::vector<float> values;
  for (int64_t r = 0; r < m.rows; ++r) {
    row.clear();
    for (int64_t k = m.offsets[r]; k < m.offsets[r + 1]; ++k)
      row.emplace_back(static_cast<int32_t>(to.at(names[m.indices[k]])),
                       m.values.empty() ? 1.0f : m.values[k]);
    std::sort(row.begin(), row.end());
    for (const auto& [column, value] : row) indices.push_back(column), values.push_back(value);
  }
  if (m.values.empty()) values.clear();
  return {SparseMatrix{m.rows, width, m.offsets, std::move(indices), std::move(values)}};
}

}  // namespace gs
