// Each kernel alone, at the sizes of the paper's datasets. `share` compares the rate of the least
// bytes that a kernel must move with the machine's stream rate, which is measured here too: near 1
// is all that memory allows, and above 1 means that caches helped.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"
#include "kernels/adam.h"
#include "kernels/attention.h"
#include "kernels/dropout.h"
#include "kernels/eigenmaps.h"
#include "kernels/epilogue.h"
#include "kernels/spmm.h"

namespace gs {
namespace {

using Floats = std::vector<float>;

Floats random_floats(int64_t count) {
  Floats out(static_cast<size_t>(count));
  Random random(1);
  for (float& x : out) x = static_cast<float>(random.uniform()) - 0.5f;
  return out;
}

// Bytes per second of reading one large array and writing another.
double stream_rate() {
  static const double rate = [] {
    constexpr int64_t kCount = int64_t{1} << 25;
    Floats a(kCount, 1), b(kCount, 2);
    double best = 1e30;
    for (int i = 0; i < 5; ++i) {
      const auto start = std::chrono::steady_clock::now();
      parallel_for(kCount, 1 << 16, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k)
          b[static_cast<size_t>(k)] = 2 * a[static_cast<size_t>(k)];
      });
      best = std::min(
          best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      benchmark::DoNotOptimize(b.data());
    }
    return 8.0 * kCount / best;
  }();
  return rate;
}

void report(benchmark::State& state, double bytes) {
  state.counters["GB/s"] =
      benchmark::Counter(bytes * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["share"] =
      benchmark::Counter(bytes / stream_rate(), benchmark::Counter::kIsIterationInvariantRate);
}

struct Sparse {
  std::vector<int64_t> offsets;
  std::vector<int32_t> indices;

  Sparse(int64_t rows, int64_t columns, int64_t nonzeros) : offsets(static_cast<size_t>(rows) + 1) {
    Random random(2);
    for (int64_t r = 0; r <= rows; ++r) offsets[static_cast<size_t>(r)] = nonzeros * r / rows;
    for (int64_t e = 0; e < nonzeros; ++e)
      indices.push_back(static_cast<int32_t>(random.below(static_cast<uint64_t>(columns))));
  }
};

// Arguments: nodes, edges, width. Neighbors are random; real graphs have better locality.
void aggregate(benchmark::State& state, bool fused) {
  const int64_t n = state.range(0), m = state.range(1), w = state.range(2);
  const Sparse a(n, n, m);
  const Floats x = random_floats(n * w), scale = random_floats(n), bias = random_floats(w);
  Floats y(static_cast<size_t>(n * w));
  std::vector<uint32_t> bits(static_cast<size_t>(n * bit_words(w)), 0x5A5A5A5A);
  Spmm call;
  call.matrix = {n, n, a.offsets.data(), a.indices.data(), nullptr};
  call.row_scale = call.column_scale = call.self = scale.data();
  call.x = x.data(), call.y = y.data();
  call.x_stride = call.y_stride = call.width = w;
  if (fused) call.after = {bias.data(), true, bits.data(), 1.5f, nullptr};
  for (auto _ : state) spmm(call);
  report(state, 4.0 * static_cast<double>((m + n) * w));
}
void aggregate_alone(benchmark::State& state) { aggregate(state, false); }
void aggregate_fused(benchmark::State& state) { aggregate(state, true); }

// Arguments: nodes, edges, heads, width of a head. The bytes are those of one aggregation, so that
// the share shows the extra cost of the softmax.
struct AttentionBench {
  int64_t n, m, w;
  Sparse a;
  Floats x, source, target, out, positive, dh, ds, dt;
  std::vector<AttentionRow> kept;
  std::vector<DropoutRule> dropout;
  Attention call;

  AttentionBench(benchmark::State& state, double probability)
      : n(state.range(0)),
        m(state.range(1)),
        w(state.range(2) * state.range(3)),
        a(n, n, m),
        x(random_floats(n * w)),
        source(random_floats(n * state.range(2))),
        target(source),
        out(x.size()),
        positive(x.size()),
        dh(x.size()),
        ds(source.size()),
        dt(source.size()),
        kept(source.size()) {
    if (probability > 0) dropout.push_back(dropout_rule(1, probability));
    call = {{n, n, a.offsets.data(), a.indices.data(), nullptr},
            0,
            state.range(2),
            state.range(3),
            0.2f,
            dropout,
            x.data(),
            source.data(),
            target.data()};
  }
  void forward() { attention(call, out.data(), positive.data(), kept.data()); }
  void backward() {  // as if the matrix were symmetric: entries are counted the same
    attention_backward(call, {call.rows, out.data(), positive.data(), kept.data(), x.data(),
                              dh.data(), ds.data(), dt.data()});
  }
  double bytes() const { return 4.0 * static_cast<double>((m + 2 * n) * w); }
};
void attention_forward(benchmark::State& state) {
  AttentionBench bench(state, 0);
  for (auto _ : state) bench.forward();
  report(state, bench.bytes());
}
void attention_dropped(benchmark::State& state) {
  AttentionBench bench(state, 0.4);
  for (auto _ : state) bench.forward();
  report(state, bench.bytes());
}
void attention_back(benchmark::State& state) {
  AttentionBench bench(state, 0);
  bench.forward();
  for (auto _ : state) bench.backward();
  report(state, bench.bytes());
}

// Arguments: rows, columns, nonzeros, outputs.
void features_forward(benchmark::State& state) {
  const int64_t n = state.range(0), f = state.range(1), nnz = state.range(2), w = state.range(3);
  const Sparse a(n, f, nnz);
  const Floats x = random_floats(f * w);
  Floats y(static_cast<size_t>(n * w));
  Spmm call;
  call.matrix = {n, f, a.offsets.data(), a.indices.data(), nullptr};
  call.x = x.data(), call.x_stride = f, call.x_transposed = true;
  call.y = y.data(), call.y_stride = call.width = w;
  for (auto _ : state) spmm(call);
  report(state, 4.0 * static_cast<double>(nnz * w));
}
void features_backward(benchmark::State& state) {
  const int64_t n = state.range(0), f = state.range(1), nnz = state.range(2), w = state.range(3);
  const Sparse a(f, n, nnz);
  const Floats x = random_floats(n * w);
  Floats y(static_cast<size_t>(f * w));
  Spmm call;
  call.matrix = {f, n, a.offsets.data(), a.indices.data(), nullptr};
  call.x = x.data(), call.x_stride = call.width = w;
  call.y = y.data(), call.y_stride = f, call.y_transposed = true;
  for (auto _ : state) spmm(call);
  report(state, 4.0 * static_cast<double>(nnz * w));
}

void epilogue_alone(benchmark::State& state) {
  const int64_t n = state.range(0), w = state.range(1);
  Floats x = random_floats(n * w);
  const Floats bias = random_floats(w);
  std::vector<uint32_t> bits(static_cast<size_t>(n * bit_words(w)), 0x5A5A5A5A);
  for (auto _ : state)
    epilogue_forward({bias.data(), true, bits.data(), 1.0f, nullptr}, n, w, x.data());
  report(state, 8.0 * static_cast<double>(n * w));
}

void dropout_bits(benchmark::State& state) {
  const int64_t n = state.range(0), w = state.range(1);
  const DropoutRule rules[] = {dropout_rule(1, 0.4), dropout_rule(2, 0.4)};
  std::vector<uint32_t> bits(static_cast<size_t>(n * bit_words(2 * w)));
  for (auto _ : state) kept_bits(rules, 0, n, w, bits.data());
  state.counters["elements/s"] = benchmark::Counter(2.0 * static_cast<double>(n * w),
                                                    benchmark::Counter::kIsIterationInvariantRate);
}

// The cost of streaming, without the K x K products of BLAS (bench_roofline has them).
void eigenmaps_streaming(benchmark::State& state) {
  const int64_t n = state.range(0), k = state.range(1);
  const Floats z = random_floats(n * 2 * k);
  Floats gradient(z.size());
  Eigenmaps call;
  call.rows = n, call.width = k, call.stride = 2 * k;
  call.z[0] = z.data(), call.z[1] = z.data() + k;
  call.gradient[0] = gradient.data(), call.gradient[1] = gradient.data() + k;
  const Gemm no_products = [](bool, int64_t, int64_t, int64_t, float, const float*, int64_t,
                              const float*, int64_t, float, float*, int64_t) {};
  for (auto _ : state) benchmark::DoNotOptimize(eigenmaps(call, no_products));
  report(state, 4.0 * 3 * static_cast<double>(n * 2 * k));
}

void adam_fused(benchmark::State& state) {
  const int64_t count = state.range(0);
  Floats w = random_floats(count), m(w.size()), v(w.size());
  const Floats g = random_floats(count);
  const AdamSpan spans[] = {{w.data(), g.data(), m.data(), v.data(), count}};
  int64_t step = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(squared_norm(spans));
    adam_step({1e-3, 0.9, 0.999, 1e-8, 0, ++step, 1}, spans);
  }
  report(state, 4.0 * 8 * static_cast<double>(count));
}

#define GS_BENCHMARK(name) BENCHMARK(name)->Unit(benchmark::kMillisecond)->UseRealTime()
GS_BENCHMARK(aggregate_alone)
    ->Args({7650, 238162, 417})
    ->Args({18333, 163788, 354})
    ->Args({19717, 88648, 256})
    ->Args({233000, 4660000, 128});
GS_BENCHMARK(aggregate_fused)
    ->Args({7650, 238162, 417})
    ->Args({18333, 163788, 354})
    ->Args({19717, 88648, 256})
    ->Args({233000, 4660000, 128});
GS_BENCHMARK(attention_forward)
    ->Args({7650, 238162, 1, 512})
    ->Args({7650, 238162, 8, 64})
    ->Args({7650, 238162, 8, 8})
    ->Args({233000, 4660000, 4, 32});
GS_BENCHMARK(attention_dropped)
    ->Args({7650, 238162, 1, 512})
    ->Args({7650, 238162, 8, 64})
    ->Args({7650, 238162, 8, 8})
    ->Args({233000, 4660000, 4, 32});
GS_BENCHMARK(attention_back)
    ->Args({7650, 238162, 1, 512})
    ->Args({7650, 238162, 8, 64})
    ->Args({7650, 238162, 8, 8})
    ->Args({233000, 4660000, 4, 32});
GS_BENCHMARK(features_forward)->Args({18333, 6805, 1100000, 708})->Args({19717, 500, 988031, 758});
GS_BENCHMARK(features_backward)->Args({18333, 6805, 1100000, 708})->Args({19717, 500, 988031, 758});
GS_BENCHMARK(epilogue_alone)->Args({18333, 256})->Args({200000, 256});
GS_BENCHMARK(dropout_bits)->Args({18333, 354})->Args({7650, 417});
GS_BENCHMARK(eigenmaps_streaming)->Args({18333, 128})->Args({200000, 128});
GS_BENCHMARK(adam_fused)->Args({500000})->Args({20000000});

}  // namespace
}  // namespace gs

BENCHMARK_MAIN();
