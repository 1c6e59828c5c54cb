#include "dataset/spectral.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"

namespace gs {
namespace {

constexpr int64_t kOversample = 8;  // extra columns: they decide how fast the wanted ones converge
constexpr int64_t kFilterDegree = 8;
constexpr int64_t kMaxRounds = 5;
// Change of the eigenvalues at which to stop: features need no more precision.
constexpr double kTolerance = 3e-4;
constexpr int64_t kGramBlocks = 64;  // fixed, so that sums do not depend on the number of threads

// The operator D^-1/2 (A + A') / 2 D^-1/2 on row-major N x k blocks of vectors.
class Operator {
 public:
  explicit Operator(const Csr& graph) : forward_(graph), scale_(graph.nodes()) {
    if (!graph.symmetric) backward_ = reverse(graph);
    const double half = graph.symmetric ? 1 : 0.5;
    parallel_for(graph.nodes(), 4096, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const double degree = half * (strength(forward_, i) + strength(backward_, i));
        scale_[i] = degree > 0 ? static_cast<float>(1 / std::sqrt(degree)) : 0.f;
      }
    });
  }

  int64_t nodes() const { return forward_.nodes(); }

  void apply(const std::vector<float>& x, std::vector<float>& y, int64_t k) const {
    const float half = forward_.symmetric ? 1.f : 0.5f;
    parallel_for_weighted(forward_.offsets.span(), 1024, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        float* out = y.data() + i * k;
        std::fill(out, out + k, 0.f);
        add_row(forward_, i, x, out, k);
        add_row(backward_, i, x, out, k);
        for (int64_t c = 0; c < k; ++c) out[c] *= half * scale_[i];
      }
    });
  }

 private:
  static double strength(const Csr& graph, int64_t i) {
    if (graph.nodes() == 0) return 0;
    if (!graph.weighted()) return static_cast<double>(graph.degree(i));
    const auto weights = graph.row_weights(i);
    return std::accumulate(weights.begin(), weights.end(), 0.0);
  }

  void add_row(const Csr& graph, int64_t i, const std::vector<float>& x, float* out,
               int64_t k) const {
    if (graph.nodes() == 0) return;
    const auto row = graph.row(i);
    const auto weights = graph.row_weights(i);
    for (size_t e = 0; e < row.size(); ++e) {
      const float w = scale_[row[e]] * (weights.empty() ? 1.f : weights[e]);
      const float* in = x.data() + int64_t{row[e]} * k;
      for (int64_t c = 0; c < k; ++c) out[c] += w * in[c];
    }
  }

  Csr forward_, backward_;  // backward_ stays empty for a symmetric graph
  std::vector<float> scale_;
};

// X' Y as k x k, which must be symmetric. Sums are in float over a few rows, in double above that.
std::vector<double> gram(const std::vector<float>& x, const std::vector<float>& y, int64_t rows,
                         int64_t k) {
  constexpr int64_t kTile = 64;
  std::vector<std::vector<double>> partial(kGramBlocks);
  parallel_for(kGramBlocks, 1, [&](int64_t begin, int64_t end) {
    std::vector<float> tile(k * k);
    for (int64_t b = begin; b < end; ++b) {
      partial[b].assign(k * k, 0.0);
      const int64_t stop = rows * (b + 1) / kGramBlocks;
      for (int64_t first = rows * b / kGramBlocks; first < stop; first += kTile) {
        std::fill(tile.begin(), tile.end(), 0.f);
        for (int64_t r = first; r < std::min(stop, first + kTile); ++r) {
          const float *xr = x.data() + r * k, *yr = y.data() + r * k;
          for (int64_t i = 0; i < k; ++i) {
            float* out = tile.data() + i * k;
            for (int64_t j = i; j < k; ++j) out[j] += xr[i] * yr[j];
          }
        }
        for (int64_t e = 0; e < k * k; ++e) partial[b][e] += tile[e];
      }
    }
  });
  auto& sum = partial[0];
  for (int64_t b = 1; b < kGramBlocks; ++b) {
    for (int64_t e = 0; e < k * k; ++e) sum[e] += partial[b][e];
  }
  for (int64_t i = 0; i < k; ++i) {
    for (int64_t j = 0; j < i; ++j) sum[i * k + j] = sum[j * k + i];
  }
  return std::move(sum);
}

// X <- X T, row by row in place.
void rotate(std::vector<float>& x, const std::vector<double>& transform, int64_t rows, int64_t k) {
  const std::vector<float> t(transform.begin(), transform.end());
  parallel_for(rows, 256, [&](int64_t begin, int64_t end) {
    std::vector<float> out(k);
    for (int64_t r = begin; r < end; ++r) {
      std::fill(out.begin(), out.end(), 0.f);
      for (int64_t i = 0; i < k; ++i) {
        const float xi = x[r * k + i], *row = t.data() + i * k;
        for (int64_t j = 0; j < k; ++j) out[j] += xi * row[j];
      }
      std::copy(out.begin(), out.end(), x.begin() + r * k);
    }
  });
}

// Makes the columns of X orthonormal. Columns are scaled first, for they grow unequally in the
// filter; a direction that is lost in rounding becomes zero.
void orthonormalize(std::vector<float>& x, int64_t rows, int64_t k) {
  auto g = gram(x, x, rows, k);
  std::vector<double> scale(k);
  for (int64_t i = 0; i < k; ++i) scale[i] = g[i * k + i] > 0 ? 1 / std::sqrt(g[i * k + i]) : 0;
  for (int64_t i = 0; i < k; ++i) {
    for (int64_t j = 0; j < k; ++j) g[i * k + j] *= scale[i] * scale[j];
  }
  const Eigen eigen = symmetric_eigen(std::move(g), k);
  std::vector<double> whiten(k * k);
  for (int64_t j = 0; j < k; ++j) {
    const double value = eigen.values[j];
    const double factor = value > 1e-9 * eigen.values[0] ? 1 / std::sqrt(value) : 0;
    for (int64_t i = 0; i < k; ++i)
      whiten[i * k + j] = scale[i] * eigen.vectors[i * k + j] * factor;
  }
  rotate(x, whiten, rows, k);
}

// Turns orthonormal X into the best approximate eigenvectors that its span holds; returns their
// eigenvalues.
std::vector<double> rayleigh_ritz(const Operator& a, std::vector<float>& x,
                                  std::vector<float>& work, int64_t k) {
  a.apply(x, work, k);
  Eigen eigen = symmetric_eigen(gram(x, work, a.nodes(), k), k);
  rotate(x, eigen.vectors, a.nodes(), k);
  return std::move(eigen.values);
}

// X <- T_d(A) X, with the Chebyshev polynomial that is small on [-1, cut] and grows steeply above
// it.
void chebyshev_filter(const Operator& a, std::vector<float>& x, std::vector<float>& next,
                      std::vector<float>& work, int64_t k, double cut) {
  const auto half = static_cast<float>((cut + 1) / 2), center = static_cast<float>((cut - 1) / 2);
  std::vector<float>* previous = &work;
  std::vector<float>*current = &x, *following = &next;
  for (int64_t degree = 0; degree < kFilterDegree; ++degree) {
    a.apply(*current, *following, k);
    const float factor = degree == 0 ? 1 / half : 2 / half;
    parallel_for(a.nodes() * k, 1 << 16, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const float before = degree == 0 ? 0.f : (*previous)[i];
        (*following)[i] = factor * ((*following)[i] - center * (*current)[i]) - before;
      }
    });
    std::swap(previous, current);   // previous: T_d
    std::swap(current, following);  // current: T_{d+1}
  }
  if (current != &x) x.swap(*current);
}

}  // namespace

Eigen symmetric_eigen(std::vector<double> a, int64_t n) {  // cyclic Jacobi rotations
  std::vector<double> v(n * n, 0.0);                       // rows are the vectors until the end
  for (int64_t i = 0; i < n; ++i) v[i * n + i] = 1;
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0, all = 0;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        all += a[i * n + j] * a[i * n + j];
        if (i != j) off += a[i * n + j] * a[i * n + j];
      }
    }
    if (off <= 1e-26 * all) break;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        if (a[p * n + q] == 0) continue;
        const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
        const double t = std::copysign(1 / (std::abs(theta) + std::hypot(theta, 1.0)), theta);
        const double c = 1 / std::hypot(t, 1.0), s = t * c;
        for (int64_t i = 0; i < n; ++i) {
          const double ip = a[i * n + p], iq = a[i * n + q];
          a[i * n + p] = c * ip - s * iq, a[i * n + q] = s * ip + c * iq;
        }
        for (auto* m : {&a, &v}) {
          double *rp = m->data() + p * n, *rq = m->data() + q * n;
          for (int64_t i = 0; i < n; ++i) {
            const double pi = rp[i], qi = rq[i];
            rp[i] = c * pi - s * qi, rq[i] = s * pi + c * qi;
          }
        }
      }
    }
  }
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t i, int64_t j) { return a[i * n + i] > a[j * n + j]; });
  Eigen eigen{std::vector<double>(n), std::vector<double>(n * n)};
  for (int64_t j = 0; j < n; ++j) {
    eigen.values[j] = a[order[j] * n + order[j]];
    for (int64_t i = 0; i < n; ++i) eigen.vectors[i * n + j] = v[order[j] * n + i];
  }
  return eigen;
}

DenseMatrix leading_eigenvectors(const Csr& graph, int64_t width, uint64_t seed) {
  const int64_t rows = graph.nodes(), k = std::min(rows, width + kOversample);
  const Operator a(graph);
  std::vector<float> x(rows * k), next(rows * k), work(rows * k);
  const Random random(seed);
  parallel_for(rows, 1024, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Random row = random.fork("spectral", i);
      for (int64_t c = 0; c < k; ++c) x[i * k + c] = static_cast<float>(row.normal());
    }
  });
  if (k > 0) orthonormalize(x, rows, k);
  std::vector<double> values = k > 0 ? rayleigh_ritz(a, x, work, k) : std::vector<double>();
  for (int64_t round = 0; round < kMaxRounds && k < rows; ++round) {
    // Above -1, so that the filter's interval is never empty.
    chebyshev_filter(a, x, next, work, k, std::clamp(values.back(), -0.9, 0.999));
    orthonormalize(x, rows, k);
    const auto before = std::exchange(values, rayleigh_ritz(a, x, work, k));
    double change = 0;
    for (int64_t c = 0; c < std::min(k, width); ++c) {
      change = std::max(change, std::abs(values[c] - before[c]));
    }
    if (change < kTolerance) break;
  }

  std::vector<float> out(rows * width, 0.f);
  std::vector<float> factors(std::min(k, width), 0.f);
  for (size_t c = 0; c < factors.size(); ++c) {
    float largest = 0;
    for (int64_t i = 0; i < rows; ++i) {
      if (std::abs(x[i * k + c]) > std::abs(largest) * 1.0001f) largest = x[i * k + c];
    }
    factors[c] = std::copysign(std::sqrt(static_cast<float>(rows)), largest);
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (size_t c = 0; c < factors.size(); ++c) out[i * width + c] = factors[c] * x[i * k + c];
  }
  return {rows, width, std::move(out)};
}

}  // namespace gs
