// Every path that run-time dispatch may take on this machine computes the same.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>

#include "base/random.h"
#include "kernels/adam.h"
#include "kernels/attention.h"
#include "kernels/dropout.h"
#include "kernels/eigenmaps.h"
#include "kernels/epilogue.h"
#include "kernels/scatter.h"
#include "kernels/spmm.h"

namespace gs {
namespace {

using Floats = std::vector<float>;

Floats random_floats(int64_t count, uint64_t seed) {
  Random random(seed);
  Floats out(static_cast<size_t>(count));
  for (float& x : out) x = static_cast<float>(2 * random.uniform() - 1);
  return out;
}

void plain_gemm(bool a_transposed, int64_t m, int64_t n, int64_t k, float alpha, const float* a,
                int64_t a_stride, const float* b, int64_t b_stride, float beta, float* c,
                int64_t c_stride) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += static_cast<double>(a_transposed ? a[l * a_stride + i] : a[i * a_stride + l]) *
               b[l * b_stride + j];
      float& out = c[i * c_stride + j];
      out = static_cast<float>(alpha * sum + (beta == 0 ? 0 : beta * out));
    }
}

// Everything the kernels write, one after the other.
Floats run_all() {
  constexpr int64_t kRows = 70, kWidth = 83;
  Floats out;
  const auto keep = [&](const Floats& values) {
    out.insert(out.end(), values.begin(), values.end());
  };

  const DropoutRule rules[] = {dropout_rule(5, 0.3)};
  std::vector<uint32_t> bits(static_cast<size_t>(kRows * bit_words(kWidth)));
  kept_bits(rules, 0, kRows, kWidth, bits.data());
  for (const uint32_t word : bits)
    out.push_back(static_cast<float>(word >> 16)), out.push_back(static_cast<float>(word & 0xFFFF));

  std::vector<int64_t> offsets{0};
  std::vector<int32_t> indices;
  Random random(1);
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t i = 0; i < (r * 7) % 40; ++i)
      indices.push_back(static_cast<int32_t>(random.below(kRows)));
    offsets.push_back(static_cast<int64_t>(indices.size()));
  }
  const Floats x = random_floats(kRows * kWidth, 2), bias = random_floats(kWidth, 3);
  const Floats scale = random_floats(kRows, 4), skip = random_floats(kRows * kWidth, 5);
  for (const bool direct : {false, true}) {
    Floats y(x.size());
    Spmm call;
    call.matrix = {kRows, kRows, offsets.data(), indices.data(), nullptr};
    call.row_scale = call.column_scale = call.self = scale.data();
    call.x = x.data(), call.y = y.data();
    call.x_stride = call.y_stride = call.width = kWidth;
    call.after = {bias.data(), false, bits.data(), 1.5f, skip.data()};
    call.direct = direct;
    spmm(call);
    keep(y);
  }
  Floats turned(x.size());
  std::vector<double> column_sums(kWidth);
  Scatter scattered;
  scattered.matrix = {kRows, kRows, offsets.data(), indices.data(), nullptr};
  scattered.x = x.data(), scattered.x_stride = scattered.width = kWidth;
  scattered.before = {nullptr, bits.data(), 1.5f, column_sums.data()};
  scattered.y = turned.data(), scattered.y_stride = kRows;
  scatter(scattered);
  keep(turned);
  keep(Floats(column_sums.begin(), column_sums.end()));
  constexpr int64_t kHeads = 3, kHead = 21;
  const Floats source = random_floats(kRows * kHeads, 9),
               target = random_floats(kRows * kHeads, 10);
  const Attention attend{{kRows, kRows, offsets.data(), indices.data(), nullptr},
                         0,
                         kHeads,
                         kHead,
                         0.2f,
                         rules,
                         x.data(),
                         source.data(),
                         target.data()};
  Floats attended(static_cast<size_t>(kRows * attend.columns())), positive(attended.size());
  std::vector<AttentionRow> kept(static_cast<size_t>(kRows * kHeads));
  attention(attend, attended.data(), positive.data(), kept.data());
  keep(attended), keep(positive);
  Floats dh(attended.size()), ds(source.size()), dt(target.size());
  // Any matrix serves as the transpose.
  attention_backward(attend, {attend.rows, attended.data(), positive.data(), kept.data(),
                              skip.data(), dh.data(), ds.data(), dt.data()});
  keep(dh), keep(ds), keep(dt);
  const AttentionScores scoring{kRows,    kRows - 5,   kHeads,     kHead,
                                x.data(), bias.data(), skip.data()};
  std::vector<double> da(static_cast<size_t>(scoring.columns())), db(da.size());
  attention_scores(scoring, ds.data(), dt.data());
  keep(ds), keep(dt);
  attention_scores_backward(scoring, source.data(), target.data(), dh.data(), da.data(), db.data());
  keep(dh), keep(Floats(da.begin(), da.end())), keep(Floats(db.begin(), db.end()));

  Floats z = x;
  epilogue_forward({bias.data(), true, bits.data(), 1.5f, nullptr}, kRows, kWidth, z.data());
  keep(z);
  std::vector<double> sums(kWidth);
  epilogue_backward({z.data(), nullptr, 1.5f, sums.data()}, x.data(), kRows, kWidth, z.data());
  keep(z);
  keep(Floats(sums.begin(), sums.end()));

  for (const GramForm form : {GramForm::columns, GramForm::rows, GramForm::scaled}) {
    const Floats both = random_floats(kRows * 2 * 19, 6);
    Floats gradient(both.size());
    Eigenmaps call;
    call.rows = kRows, call.width = 19, call.stride = 38, call.form = form;
    call.z[0] = both.data(), call.z[1] = both.data() + 19;
    call.gradient[0] = gradient.data(), call.gradient[1] = gradient.data() + 19;
    const EigenmapsTerms terms = eigenmaps(call, plain_gemm);
    keep(gradient);
    keep({static_cast<float>(terms.similarity), static_cast<float>(terms.constraint)});
  }

  Floats w = random_floats(1003, 7), m(w.size()), v(w.size());
  const Floats g = random_floats(1003, 8);
  const AdamSpan spans[] = {{w.data(), g.data(), m.data(), v.data(), 1003}};
  for (int64_t step = 1; step <= 3; ++step)
    adam_step({0.01, 0.9, 0.999, 1e-8, 0.1, step, 0.5}, spans);
  keep(w), keep(m), keep(v);
  out.push_back(static_cast<float>(squared_norm(spans)));
  return out;
}

TEST(Targets, EveryPathComputesTheSame) {
  const int64_t all = hwy::SupportedTargets();
  const Floats expected = run_all();
  for (const int64_t target : {HWY_AVX3, HWY_AVX2, HWY_SCALAR}) {
    if (target != HWY_SCALAR && (all & target) == 0) continue;  // not on this machine
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    const Floats found = run_all();
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], expected[i], 2e-5 * std::max(1.0f, std::abs(expected[i])))
          << "number " << i << ", " << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(all);
}

}  // namespace
}  // namespace gs
