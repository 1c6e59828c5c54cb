#include "eval/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <vector>

namespace gs {

namespace {

// The usual Wolfe constants for quasi-Newton steps.
constexpr double kDecrease = 1e-4, kCurvature = 0.9;
constexpr int kTries = 40;

double product_of(const at::Tensor& a, const at::Tensor& b) { return at::dot(a, b).item<double>(); }

struct Pair {
  at::Tensor step, change;  // of x and of the gradient
  double product;           // their dot product, positive
};

// -H g by the two-loop recursion, H being the inverse Hessian that the pairs describe.
at::Tensor direction(const std::deque<Pair>& pairs, const at::Tensor& gradient) {
  at::Tensor d = gradient.neg();
  std::vector<double> shares(pairs.size());
  for (size_t i = pairs.size(); i-- > 0;) {
    shares[i] = product_of(pairs[i].step, d) / pairs[i].product;
    d.sub_(pairs[i].change, shares[i]);
  }
  if (!pairs.empty())
    d.mul_(pairs.back().product / product_of(pairs.back().change, pairs.back().change));
  for (size_t i = 0; i < pairs.size(); ++i)
    d.add_(pairs[i].step, shares[i] - product_of(pairs[i].change, d) / pairs[i].product);
  return d;
}

struct Point {
  at::Tensor x;
  Evaluation here;
};

// A point along `d` with enough decrease and a flatter slope; false if none is found.
bool search(const Objective& objective, const Point& from, const at::Tensor& d, double slope,
            double length, Point& to) {
  double low = 0, high = std::numeric_limits<double>::infinity();
  bool decreased = false;
  for (int i = 0; i < kTries; ++i) {
    Point trial{from.x.add(d, length), {}};
    trial.here = objective(trial.x);
    if (!(trial.here.value <= from.here.value + kDecrease * length * slope)) {
      high = length;
    } else {
      const double there = product_of(trial.here.gradient, d);
      to = std::move(trial);
      decreased = true;
      if (there >= kCurvature * slope) return true;
      low = length;
    }
    length = std::isinf(high) ? 2 * low : (low + high) / 2;
  }
  return decreased;
}

}  // namespace

Minimum minimize(const Objective& objective, const at::Tensor& start, const LbfgsOptions& options) {
  Point now{start.clone(), objective(start)};
  std::deque<Pair> pairs;
  Minimum out;
  for (;; ++out.iterations) {
    out.gradient_norm = std::sqrt(product_of(now.here.gradient, now.here.gradient));
    out.converged = out.gradient_norm <= options.tolerance;
    if (out.converged || out.iterations == options.iterations || !std::isfinite(out.gradient_norm))
      break;
    at::Tensor d = direction(pairs, now.here.gradient);
    double slope = product_of(d, now.here.gradient);
    if (!(slope < 0)) {  // rounding spoiled the estimate: begin again from steepest descent
      pairs.clear();
      d = now.here.gradient.neg();
      slope = -out.gradient_norm * out.gradient_norm;
    }
    Point next;
    const double length = pairs.empty() ? std::min(1.0, 1 / out.gradient_norm) : 1.0;
    if (!search(objective, now, d, slope, length, next)) {
      if (pairs.empty()) break;
      pairs.clear();
      continue;
    }
    Pair pair{next.x - now.x, next.here.gradient - now.here.gradient, 0};
    pair.product = product_of(pair.step, pair.change);
    if (pair.product >
        std::numeric_limits<double>::epsilon() * product_of(pair.change, pair.change)) {
      pairs.push_back(std::move(pair));
      if (static_cast<int64_t>(pairs.size()) > options.history) pairs.pop_front();
    }
    now = std::move(next);
  }
  out.x = now.x;
  out.value = now.here.value;
  return out;
}

}  // namespace gs
