#include "kernels/eigenmaps.h"

#include <gtest/gtest.h>

#include <barrier>
#include <thread>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"

namespace gs {
namespace {

using Floats = std::vector<float>;

constexpr int64_t kWidth = 9;

void plain_gemm(bool a_transposed, int64_t m, int64_t n, int64_t k, float alpha, const float* a,
                int64_t a_stride, const float* b, int64_t b_stride, float beta, float* c,
                int64_t c_stride) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += (a_transposed ? a[l * a_stride + i] : a[i * a_stride + l]) * b[l * b_stride + j];
      float& out = c[i * c_stride + j];
      out = alpha * sum + (beta == 0 ? 0 : beta * out);
    }
}

Floats random_floats(int64_t count) {
  Random random(4);
  Floats out;
  for (int64_t i = 0; i < count; ++i) out.push_back(static_cast<float>(random.normal()));
  return out;
}

// Rows [begin, end) of both views side by side.
Eigenmaps call_of(const Floats& both, int64_t begin, int64_t end, Floats& gradient) {
  Eigenmaps call;
  call.rows = end - begin, call.width = kWidth, call.stride = 2 * kWidth;
  call.similarity = 3, call.gamma = 0.5, call.form = GramForm::scaled;
  for (int v = 0; v < 2; ++v) {
    call.z[v] = both.data() + begin * 2 * kWidth + v * kWidth;
    call.gradient[v] = gradient.data() + begin * 2 * kWidth + v * kWidth;
  }
  return call;
}

TEST(EigenmapsKernel, TheNumberOfThreadsChangesNoBit) {
  for (const int64_t rows : {1, 257, 3000, 20000}) {
    const Floats both = random_floats(rows * 2 * kWidth);
    Floats expected(both.size()), gradient(both.size());
    const ThreadScope one(1);
    const EigenmapsTerms alone = eigenmaps(call_of(both, 0, rows, expected), plain_gemm);
    for (const int threads : {2, 3, 7}) {
      const ThreadScope scope(threads);
      const EigenmapsTerms terms = eigenmaps(call_of(both, 0, rows, gradient), plain_gemm);
      EXPECT_EQ(terms.similarity, alone.similarity);
      EXPECT_EQ(terms.constraint, alone.constraint);
      EXPECT_EQ(gradient, expected) << rows << " rows, " << threads << " threads";
    }
  }
}

// Three processes, one of them without rows, are three threads here.
TEST(EigenmapsKernel, RowsOfSeveralProcessesHaveOneLossAndEachItsGradient) {
  constexpr int64_t kRows = 700, kCuts[] = {0, 300, 300, kRows};
  const Floats both = random_floats(kRows * 2 * kWidth);
  for (const GramForm form : {GramForm::columns, GramForm::rows, GramForm::scaled}) {
    Floats expected(both.size()), gradient(both.size());
    Eigenmaps whole = call_of(both, 0, kRows, expected);
    whole.form = form;
    const EigenmapsTerms alone = eigenmaps(whole, plain_gemm);

    std::barrier all(3);
    std::vector<std::vector<double>> given(3);
    EigenmapsTerms terms[3];
    std::vector<std::thread> processes;
    for (size_t p = 0; p < 3; ++p)
      processes.emplace_back([&, p] {
        const ThreadScope scope(1);
        Eigenmaps call = call_of(both, kCuts[p], kCuts[p + 1], gradient);
        call.form = form;
        call.reduce = [&, p](double* values, int64_t count) {
          given[p].assign(values, values + count);
          all.arrive_and_wait();
          for (int64_t i = 0; i < count; ++i) values[i] = given[0][i] + given[1][i] + given[2][i];
          all.arrive_and_wait();
        };
        terms[p] = eigenmaps(call, plain_gemm);
      });
    for (std::thread& process : processes) process.join();
    for (const EigenmapsTerms& found : terms) {
      EXPECT_NEAR(found.similarity, alone.similarity, 1e-6 * alone.similarity);
      EXPECT_NEAR(found.constraint, alone.constraint, 1e-5 * alone.constraint);
      EXPECT_EQ(found.similarity, terms[0].similarity);
    }
    for (size_t i = 0; i < gradient.size(); ++i)
      ASSERT_NEAR(gradient[i], expected[i], 1e-5f) << "number " << i;
  }
}

}  // namespace
}  // namespace gs
