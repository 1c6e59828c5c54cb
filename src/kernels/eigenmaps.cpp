#include "kernels/eigenmaps.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "kernels/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/eigenmaps.cpp"
#include <hwy/foreach_target.h>  // this file again, once for each target
//
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gs::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::CappedTag<float, 16> kFloats;
constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(kFloats));

// The sum of f(vector of a, vector of b) over `width` columns; f also serves single floats.
template <class F>
HWY_INLINE float total(const float* a, const float* b, int64_t width, F f) {
  auto sum = hn::Zero(kFloats);
  int64_t c = 0;
  for (; c + kLanes <= width; c += kLanes)
    sum = hn::Add(sum, f(hn::LoadU(kFloats, a + c), hn::LoadU(kFloats, b + c)));
  float out = hn::GetLane(hn::SumOfLanes(kFloats, sum));
  for (; c < width; ++c) out += hn::GetLane(f(hn::Set(kFloats, a[c]), hn::Set(kFloats, b[c])));
  return out;
}

HWY_INLINE float dot(const float* a, const float* b, int64_t width) {
  return total(a, b, width, [](auto x, auto y) HWY_ATTR { return hn::Mul(x, y); });
}

constexpr float kShortest = 1e-12f;  // rows below this length are zero

// One over the length of z, or 0 for a row that counts as zero. Very long or short rows, whose
// square a float does not hold, are measured in double.
HWY_INLINE float inverse_length(const float* z, int64_t width) {
  const float square = dot(z, z, width);
  if (square > 1e-30f && square < 1e30f) return 1 / std::sqrt(square);
  double exact = 0;
  for (int64_t c = 0; c < width; ++c) exact += static_cast<double>(z[c]) * z[c];
  const double length = std::sqrt(exact);
  return length < kShortest ? 0 : static_cast<float>(1 / length);
}

// Unit rows of both views side by side, [rows, 2 width] at `unit`, one over their lengths at
// `inverse`; returns the sum of squared distances between the views.
double unit_rows(const Eigenmaps& call, int64_t begin, int64_t end, float* unit, float* inverse) {
  const int64_t width = call.width;
  double distance = 0;
  for (int64_t r = begin; r < end; ++r, unit += 2 * width, inverse += 2) {
    for (int v = 0; v < 2; ++v) {
      const float* z = call.z[v] + r * call.stride;
      inverse[v] = inverse_length(z, width);
      for (int64_t c = 0; c < width; ++c) unit[v * width + c] = z[c] * inverse[v];
      if (inverse[v] == 0) std::fill(unit + v * width, unit + (v + 1) * width, 0.0f);
    }
    distance += total(unit, unit + width, width, [](auto a, auto b) HWY_ATTR {
      const auto gap = hn::Sub(a, b);
      return hn::Mul(gap, gap);
    });
  }
  return distance;
}

// From unit rows and the constraint's gradient at them ([rows, 2 width] at `pull`): the
// similarity's is added, the part along the row is taken out, and the rest divided by the row's
// length.
void project_rows(const Eigenmaps& call, int64_t begin, int64_t end, const float* unit,
                  const float* inverse, float* pull, float factor) {
  const int64_t width = call.width;
  for (int64_t r = begin; r < end; ++r, unit += 2 * width, pull += 2 * width, inverse += 2)
    for (int v = 0; v < 2; ++v) {
      const float *own = unit + v * width, *other = unit + (1 - v) * width;
      float* g = pull + v * width;
      for (int64_t c = 0; c < width; ++c) g[c] += factor * (own[c] - other[c]);
      const float along = dot(own, g, width);
      float* out = call.gradient[v] + r * call.stride;
      for (int64_t c = 0; c < width; ++c) out[c] = (g[c] - along * own[c]) * inverse[v];
    }
}

}  // namespace gs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gs {

HWY_EXPORT(unit_rows);
HWY_EXPORT(project_rows);

namespace {

constexpr int64_t kBlock = 256;  // rows that stay in cache together with their unit rows

Scratch& scratch(int which) {
  thread_local Scratch buffers[2];
  return buffers[which];
}

// What both passes need of all rows.
struct Sums {
  double rows = 0, distance = 0;
  std::vector<double> gram[2];  // K x K
};

// Blocks of one part, whose Gram matrices are added in float; there are two parts at least, so that
// two threads share a small call.
constexpr int64_t kPartBlocks = 16;

int64_t parts_of(int64_t blocks) {
  return std::max(std::min<int64_t>(blocks, 2), (blocks + kPartBlocks - 1) / kPartBlocks);
}

// The sums of this process's rows. A part is summed by one thread; parts are added in order.
Sums sum_rows(const Eigenmaps& call, Gemm gemm, float* inverse) {
  const int64_t n = call.rows, k = call.width, blocks = (n + kBlock - 1) / kBlock;
  const int64_t parts = parts_of(blocks), at_once = std::min<int64_t>(parts, threads());
  const auto square = static_cast<size_t>(k * k);
  Sums out;
  out.rows = static_cast<double>(n);
  for (auto& gram : out.gram) gram.resize(square);
  std::vector<std::vector<float>> grams(static_cast<size_t>(at_once));
  std::vector<double> distances(static_cast<size_t>(at_once));
  for (int64_t from = 0; from < parts; from += at_once) {
    const int64_t count = std::min(at_once, parts - from);
    parallel_for(count, 1, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        auto& gram = grams[static_cast<size_t>(i)];
        gram.assign(2 * square, 0);
        double& distance = distances[static_cast<size_t>(i)];
        distance = 0;
        float* unit = scratch(0).floats(static_cast<size_t>(kBlock * 2 * k));
        const int64_t p = from + i;
        for (int64_t b = blocks * p / parts; b < blocks * (p + 1) / parts; ++b) {
          const int64_t begin = b * kBlock, end = std::min(n, begin + kBlock);
          distance += HWY_DYNAMIC_DISPATCH(unit_rows)(call, begin, end, unit, inverse + 2 * begin);
          for (int v = 0; v < 2; ++v)
            gemm(true, k, k, end - begin, 1, unit + v * k, 2 * k, unit + v * k, 2 * k, 1,
                 gram.data() + v * k * k, k);
        }
      }
    });
    for (int64_t i = 0; i < count; ++i) {
      out.distance += distances[static_cast<size_t>(i)];
      for (size_t v = 0; v < 2; ++v)
        for (size_t e = 0; e < square; ++e)
          out.gram[v][e] += grams[static_cast<size_t>(i)][v * square + e];
    }
  }
  return out;
}

// Adds the sums of all processes: rows, distance, and the upper triangles of the Gram matrices.
void reduce_sums(const Eigenmaps& call, Sums& sums) {
  const int64_t k = call.width;
  std::vector<double> packed{sums.rows, sums.distance};
  packed.reserve(static_cast<size_t>(2 + k * (k + 1)));
  for (const auto& gram : sums.gram)
    for (int64_t i = 0; i < k; ++i)
      packed.insert(packed.end(), gram.begin() + i * k + i, gram.begin() + (i + 1) * k);
  call.reduce(packed.data(), std::ssize(packed));
  sums.rows = packed[0], sums.distance = packed[1];
  size_t at = 2;
  for (auto& gram : sums.gram)
    for (int64_t i = 0; i < k; ++i)
      for (int64_t j = i; j < k; ++j)
        gram[static_cast<size_t>(i * k + j)] = gram[static_cast<size_t>(j * k + i)] = packed[at++];
}

// The weighted constraint of one view from its Gram matrix over `rows` rows, which becomes the
// factor F of its gradient Z F.
double constrain(const Eigenmaps& call, double rows, std::vector<double>& gram) {
  const int64_t k = call.width;
  const double scale = call.form == GramForm::scaled ? static_cast<double>(k) / rows : 1.0;
  double square = 0, trace = 0;
  for (int64_t i = 0; i < k; ++i) {
    trace += gram[static_cast<size_t>(i * k + i)];
    for (int64_t j = 0; j < k; ++j) {
      double& g = gram[static_cast<size_t>(i * k + j)];
      g = call.form == GramForm::rows ? g : g * scale - (i == j ? 1 : 0);
      square += g * g;
    }
  }
  if (call.form == GramForm::rows) {
    square = std::max(0.0, square - 2 * trace + rows);
    for (int64_t i = 0; i < k; ++i) gram[static_cast<size_t>(i * k + i)] -= 1;
  }
  const bool root = call.form != GramForm::scaled;
  const double norm = root ? std::sqrt(square) : square;
  // d|M| / dZ = 2 Z M / |M|, with no pull at 0; d|M|^2 / dZ = 4 (K/N) Z M.
  const double factor = root ? (norm > 0 ? 2 / norm : 0) : 4 * scale;
  for (double& g : gram) g *= call.gamma * factor;
  return call.gamma * norm;
}

}  // namespace

EigenmapsTerms eigenmaps(const Eigenmaps& call, Gemm gemm) {
  const int64_t n = call.rows, k = call.width, blocks = (n + kBlock - 1) / kBlock;
  if (k == 0 || (n == 0 && !call.reduce)) return {};
  const auto unit_size = static_cast<size_t>(kBlock * 2 * k);
  thread_local Scratch lengths;
  float* const inverse = lengths.floats(static_cast<size_t>(2 * n));

  Sums sums = sum_rows(call, gemm, inverse);
  if (call.reduce) reduce_sums(call, sums);
  EigenmapsTerms terms;
  terms.similarity = call.similarity * sums.distance / sums.rows;
  std::vector<float> factors[2];
  for (int v = 0; v < 2; ++v) {
    terms.constraint += constrain(call, sums.rows, sums.gram[v]);
    factors[v].assign(sums.gram[v].begin(), sums.gram[v].end());
  }
  if (!call.gradient[0]) return terms;

  const auto pull_factor = static_cast<float>(2 * call.similarity / sums.rows);
  parallel_for(blocks, 1, [&](int64_t first, int64_t last) {
    float* unit = scratch(0).floats(unit_size);
    float* pull = scratch(1).floats(unit_size);
    for (int64_t b = first; b < last; ++b) {
      const int64_t begin = b * kBlock, end = std::min(n, begin + kBlock);
      HWY_DYNAMIC_DISPATCH(unit_rows)(call, begin, end, unit, inverse + 2 * begin);
      for (int v = 0; v < 2; ++v)
        gemm(false, end - begin, k, k, 1, unit + v * k, 2 * k, factors[v].data(), k, 0,
             pull + v * k, 2 * k);
      HWY_DYNAMIC_DISPATCH(project_rows)
      (call, begin, end, unit, inverse + 2 * begin, pull, pull_factor);
    }
  });
  return terms;
}

}  // namespace gs
#endif
