#include "kernels/adam.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/adam.cpp"
#include <hwy/foreach_target.h>  // this file again, once for each target
//
#include <hwy/highway.h>

#ifndef GS_KERNELS_ADAM_ONCE
#define GS_KERNELS_ADAM_ONCE
namespace gs {

struct AdamFactors {
  float lr, keep1, take1, keep2, take2, root, epsilon, decay, scale;
};

}  // namespace gs
#endif

HWY_BEFORE_NAMESPACE();
namespace gs::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::CappedTag<float, 16> kFloats;
constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(kFloats));

void adam_range(const AdamFactors& f, const AdamSpan& p, int64_t begin, int64_t end) {
  const auto set = [](float v) HWY_ATTR { return hn::Set(kFloats, v); };
  const auto lr = set(f.lr), keep1 = set(f.keep1), take1 = set(f.take1), keep2 = set(f.keep2),
             take2 = set(f.take2), root = set(f.root), epsilon = set(f.epsilon),
             decay = set(f.decay), scale = set(f.scale);
  int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes) {
    auto w = hn::LoadU(kFloats, p.weight + i);
    auto g = hn::Mul(hn::LoadU(kFloats, p.gradient + i), scale);
    if (f.decay != 0) g = hn::MulAdd(decay, w, g);
    const auto m = hn::MulAdd(keep1, hn::LoadU(kFloats, p.first + i), hn::Mul(take1, g));
    const auto v =
        hn::MulAdd(keep2, hn::LoadU(kFloats, p.second + i), hn::Mul(take2, hn::Mul(g, g)));
    hn::StoreU(m, kFloats, p.first + i);
    hn::StoreU(v, kFloats, p.second + i);
    const auto divisor = hn::MulAdd(hn::Sqrt(v), root, epsilon);
    hn::StoreU(hn::Sub(w, hn::Div(hn::Mul(lr, m), divisor)), kFloats, p.weight + i);
  }
  for (; i < end; ++i) {
    float g = p.gradient[i] * f.scale;
    if (f.decay != 0) g += f.decay * p.weight[i];
    p.first[i] = f.keep1 * p.first[i] + f.take1 * g;
    p.second[i] = f.keep2 * p.second[i] + f.take2 * (g * g);
    p.weight[i] -= f.lr * p.first[i] / (std::sqrt(p.second[i]) * f.root + f.epsilon);
  }
}

// In double, several sums side by side so that they can be vectors.
double squares_in_range(const float* g, int64_t begin, int64_t end) {
  double sums[16] = {};
  int64_t i = begin;
  for (; i + 16 <= end; i += 16)
    for (int lane = 0; lane < 16; ++lane)
      sums[lane] += static_cast<double>(g[i + lane]) * g[i + lane];
  double total = 0;
  for (; i < end; ++i) total += static_cast<double>(g[i]) * g[i];
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace gs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gs {

HWY_EXPORT(adam_range);
HWY_EXPORT(squares_in_range);

namespace {

constexpr int64_t kBlock = 32768;

// Calls body(block, parameter, begin, end) over fixed blocks of all parameters.
template <class Body>
void for_blocks(std::span<const AdamSpan> parameters, const Body& body) {
  std::vector<int64_t> first{0};
  for (const AdamSpan& p : parameters)
    first.push_back(first.back() + (p.count + kBlock - 1) / kBlock);
  parallel_for(first.back(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const auto at = std::upper_bound(first.begin(), first.end(), b) - first.begin() - 1;
      const AdamSpan& p = parameters[static_cast<size_t>(at)];
      const int64_t start = (b - first[static_cast<size_t>(at)]) * kBlock;
      body(b, p, start, std::min(p.count, start + kBlock));
    }
  });
}

}  // namespace

void adam_step(const AdamStep& s, std::span<const AdamSpan> parameters) {
  const auto t = static_cast<double>(s.step);
  const double correction1 = 1 - std::pow(s.beta1, t), correction2 = 1 - std::pow(s.beta2, t);
  const AdamFactors factors{
      static_cast<float>(s.lr / correction1), static_cast<float>(s.beta1),
      static_cast<float>(1 - s.beta1),        static_cast<float>(s.beta2),
      static_cast<float>(1 - s.beta2),        static_cast<float>(1 / std::sqrt(correction2)),
      static_cast<float>(s.epsilon),          static_cast<float>(s.weight_decay),
      static_cast<float>(s.gradient_scale)};
  for_blocks(parameters, [&](int64_t, const AdamSpan& p, int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(adam_range)(factors, p, begin, end);
  });
}

double squared_norm(std::span<const AdamSpan> parameters) {
  int64_t blocks = 0;
  for (const AdamSpan& p : parameters) blocks += (p.count + kBlock - 1) / kBlock;
  std::vector<double> partial(static_cast<size_t>(blocks));
  for_blocks(parameters, [&](int64_t b, const AdamSpan& p, int64_t begin, int64_t end) {
    partial[static_cast<size_t>(b)] =
        HWY_DYNAMIC_DISPATCH(squares_in_range)(p.gradient, begin, end);
  });
  double total = 0;
  for (const double value : partial) total += value;
  return total;
}

}  // namespace gs
#endif
