// The least possible cost of an epoch on this machine, phase by phase, next to our cost.
//   bench_roofline DATASET...      (catalog names with a preset; see bench/run.py)
// The floor of a phase is the larger of its flops at the SGEMM rate, measured at its exact shape,
// and its bytes at the stream rate. A sparse product's bytes are nonzeros x width x 4 at the
// row-gather rate, measured for a matrix of that size. Features count in the cheaper form, sparse
// or dense.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/parallel.h"
#include "command/tensor_memory.h"
#include "dataset/load.h"
#include "kernels/spmm.h"
#include "method/graphsurgeon.h"
#include "nn/ops/linear.h"
#include "objective/eigenmaps.h"
#include "options/preset.h"
#include "options/run.h"
#include "train/adam.h"

namespace gs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRepeats = 15;

// Seconds of the best of several runs; `before` is not timed.
double best_of(
    const std::function<void()>& body, const std::function<void()>& before = [] {}) {
  double best = 1e30;
  for (int i = 0; i < kRepeats; ++i) {
    before();
    const auto start = Clock::now();
    body();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

// --- the machine ---

double stream_rate() {  // bytes per second: read one array, write another
  static const double rate = [] {
    const at::Tensor a = at::ones({int64_t{1} << 25}), b = at::empty_like(a);
    at::Tensor out = b;
    return 2.0 * 4 * static_cast<double>(a.numel()) / best_of([&] { at::mul_out(out, a, a); });
  }();
  return rate;
}

double gemm_seconds(int64_t m, int64_t k, int64_t n) {
  static std::map<std::tuple<int64_t, int64_t, int64_t>, double> known;
  double& seconds = known[{m, k, n}];
  if (seconds == 0) {
    const at::Tensor a = at::rand({m, k}), b = at::rand({n, k});
    at::Tensor c = at::empty({m, n});
    seconds = best_of([&] { at::mm_out(c, a, b.t()); });
  }
  return seconds;
}

// Bytes per second of gathering random rows of a [rows, width] matrix in place, 64 per sum.
double gather_rate(int64_t rows, int64_t width) {
  static std::map<std::pair<int64_t, int64_t>, double> known;
  double& rate = known[{rows, width}];
  if (rate > 0) return rate;
  const int64_t sums = std::clamp<int64_t>(rows / 4, 64, 8192), entries = sums * 64;
  Random random(1);
  std::vector<int64_t> offsets;
  std::vector<int32_t> indices;
  for (int64_t s = 0; s <= sums; ++s) offsets.push_back(s * 64);
  for (int64_t e = 0; e < entries; ++e)
    indices.push_back(static_cast<int32_t>(random.below(static_cast<uint64_t>(rows))));
  const at::Tensor x = at::rand({rows, width}), y = at::empty({sums, width});
  Spmm call;
  call.matrix = {sums, rows, offsets.data(), indices.data(), nullptr};
  call.x = x.const_data_ptr<float>(), call.y = y.data_ptr<float>();
  call.x_stride = call.y_stride = call.width = width;
  call.direct = true;
  const double seconds = best_of([&] { spmm(call); });
  rate = 4.0 * static_cast<double>(entries * width) / seconds;
  return rate;
}

// --- the phases ---

struct Phase {
  std::string name;
  double floor = 0, ours = 0;  // seconds
};

double stream_seconds(double bytes) { return bytes / stream_rate(); }

double sparse_seconds(int64_t nonzeros, int64_t rows, int64_t width) {
  return 4.0 * static_cast<double>(nonzeros * width) / gather_rate(rows, width);
}

// Times `op` forward, and backward from a random gradient to the inputs that require one.
struct Timed {
  double forward = 0, backward = 0;
  at::Tensor result;
};
Timed time_both(const std::function<at::Tensor()>& op, const std::vector<at::Tensor>& inputs) {
  Timed out;
  at::Tensor y;
  out.forward = best_of([&] { y = op(); }, [&] { y = at::Tensor(); });
  const at::Tensor gradient = at::rand_like(y);
  std::vector<at::Tensor> results;
  out.backward = best_of([&] { results = torch::autograd::grad({y}, inputs, {gradient}); },
                         [&] { results.clear(), y = op(); });
  out.result = y.detach();
  return out;
}

class Epoch {
 public:
  Epoch(const Dataset& data, const RunOptions& options)
      : options_(options),
        device_{at::kCPU, at::kFloat, true},
        model_(data.features.width(), options.model, device_, Random(1)),
        adam_(model_.parameters(), {.lr = options.train.lr}),
        batch_(whole_graph(data, options.model.encoder, device_)),
        nodes_(data.nodes()),
        edges_(data.graph.edges() + data.nodes()),  // every row gathers itself too
        features_(data.features.width()),
        nonzeros_(data.features.nonzeros()) {
    if (model_.first_width() > 0) aggregate_features(batch_, model_.first_width());
  }

  std::vector<Phase> phases() { return options_.model.mode == AugmentMode::pre ? pre() : post(); }

  double seconds() {
    int64_t step = 0;
    const auto one = [&] {
      const Loss loss = model_.loss(model_.views(batch_, true, Random(step++)), options_.loss);
      model_.parameters().zero_gradients();
      loss.total.backward();
      adam_.step();
    };
    for (int i = 0; i < 2; ++i) one();
    return best_of(one);  // timed like the floor and the phases
  }

 private:
  double bytes(int64_t rows, int64_t width) const {
    return 4.0 * static_cast<double>(rows * width);
  }

  at::Tensor weight(const std::string& name) const {
    for (const auto& w : model_.parameters().weights())
      if (w.name == name) return w.tensor;
    throw std::runtime_error(name);
  }

  Epilogue epilogue(const at::Tensor& bias, bool relu, int views) const {
    Epilogue f = Epilogue::none(true);
    f.bias = bias, f.relu = relu;
    f.dropout = Pass{true, 0, Random(3), views}.dropout(options_.model.dropout, "encoder", 0);
    return f;
  }

  // The first product of the features with `width` columns, forward and its gradient.
  double features_floor(int64_t width) const {
    const double dense = gemm_seconds(nodes_, features_, width);
    return std::min(dense, sparse_seconds(nonzeros_, features_, width));
  }
  double features_back_floor(int64_t width) const {
    const double dense = gemm_seconds(width, nodes_, features_);
    return std::min(dense, sparse_seconds(nonzeros_, nodes_, width));
  }

  void both(std::vector<Phase>& out, const std::string& name, double forward, double backward,
            const Timed& timed) {
    out.push_back({name, forward, timed.forward});
    out.push_back({name + " back", backward, timed.backward});
  }

  void aggregation(std::vector<Phase>& out, const std::string& name, int64_t width, int views,
                   bool relu) {
    const at::Tensor x = at::rand({nodes_, width * views}).set_requires_grad(true);
    const at::Tensor bias = at::rand({width * views}).set_requires_grad(true);
    const double floor = sparse_seconds(edges_, nodes_, width * views);
    both(out, name, floor, floor,
         time_both([&] { return batch_.adjacency.layer(0).apply(x, epilogue(bias, relu, views)); },
                   {x, bias}));
  }

  void loss_and_step(std::vector<Phase>& out) {
    const int64_t k = options_.model.dim;
    const at::Tensor z = at::rand({nodes_, 2 * k}).set_requires_grad(true);
    Phase loss{"loss and its gradient",
               std::max(2 * gemm_seconds(k, nodes_, k) + 2 * gemm_seconds(nodes_, k, k),
                        stream_seconds(3 * bytes(nodes_, 2 * k))),
               0};
    loss.ours = best_of([&] { eigenmaps_loss(z, options_.loss, true); });
    out.push_back(loss);
    for (const auto& w : model_.parameters().weights())
      w.tensor.mutable_grad() = at::rand_like(w.tensor);
    // Weight, gradient and two moments are read, three of them written; the norm reads once more.
    Phase step{"Adam", stream_seconds(8 * bytes(model_.parameters().count(), 1)), 0};
    step.ours = best_of([&] { adam_.step(); });
    out.push_back(step);
  }

  std::vector<Phase> post() {
    const int64_t d = options_.model.aug_dim, k = options_.model.dim;
    std::vector<Phase> out;
    const at::Tensor w1 = weight("encoder.layers.0.lin.weight");
    const at::Tensor b1 = weight("encoder.layers.0.bias");
    if (batch_.aggregated.defined()) {
      both(out, "features x W1", features_floor(d), features_back_floor(d),
           time_both([&] { return linear(batch_.aggregated, w1, epilogue(b1, true, 1)); },
                     {w1, b1}));
    } else {
      both(out, "features x W1", features_floor(d), features_back_floor(d),
           time_both([&] { return linear(batch_.features, w1, Epilogue::none(true)); }, {w1}));
      aggregation(out, "aggregate 1", d, 1, true);
    }
    const at::Tensor h = at::rand({nodes_, d}).set_requires_grad(true);
    for (int64_t l = 1; l < options_.model.layers; ++l) {
      const at::Tensor w = weight(fmt::format("encoder.layers.{}.lin.weight", l));
      both(out, fmt::format("h x W{}", l + 1), gemm_seconds(nodes_, d, d),
           gemm_seconds(nodes_, d, d) + gemm_seconds(d, nodes_, d),
           time_both([&] { return linear(h, w, Epilogue::none(true)); }, {h, w}));
      aggregation(out, fmt::format("aggregate {}", l + 1), d, 1, false);
      const at::Tensor a = at::rand({nodes_, d}), b = at::rand({nodes_, d});
      at::Tensor sum = at::empty_like(a);
      out.push_back({"skip gradient", stream_seconds(3 * bytes(nodes_, d)),
                     best_of([&] { at::add_out(sum, a, b); })});
    }
    const at::Tensor heads[] = {weight("heads.first.weight"), weight("heads.second.weight")};
    const at::Tensor bias = at::rand({2 * k}).set_requires_grad(true);
    both(out, "heads", gemm_seconds(nodes_, d, 2 * k) + stream_seconds(2 * bytes(nodes_, 2 * k)),
         gemm_seconds(nodes_, 2 * k, d) + gemm_seconds(2 * k, nodes_, d) +
             stream_seconds(2 * bytes(nodes_, 2 * k)),
         time_both([&] { return linear(h, heads, epilogue(bias, false, 2)); },
                   {h, heads[0], heads[1], bias}));
    loss_and_step(out);
    return out;
  }

  std::vector<Phase> pre() {
    const int64_t d = options_.model.aug_dim, k = options_.model.dim;
    std::vector<Phase> out;
    const at::Tensor heads[] = {weight("heads.first.weight"), weight("heads.second.weight")};
    const at::Tensor bias = at::rand({2 * d}).set_requires_grad(true);
    const double pass = stream_seconds(2 * bytes(nodes_, 2 * d));
    const bool sparse = batch_.features.sparse();
    both(out, "features x heads", features_floor(2 * d) + (sparse ? 0 : pass),
         features_back_floor(2 * d) + (sparse ? 0 : pass),
         time_both([&] { return linear(batch_.features, heads, epilogue(bias, false, 2)); },
                   {heads[0], heads[1], bias}));
    for (int64_t l = 0; l < options_.model.layers; ++l) {
      const int64_t in = l == 0 ? d : k;
      const at::Tensor h = at::rand({nodes_, 2 * in}).set_requires_grad(true);
      const at::Tensor w = weight(fmt::format("encoder.layers.{}.lin.weight", l));
      both(out, fmt::format("h x W{}", l + 1), gemm_seconds(2 * nodes_, in, k),
           gemm_seconds(2 * nodes_, k, in) + gemm_seconds(k, 2 * nodes_, in),
           time_both([&] { return linear(h, w, Epilogue::none(true), 2); }, {h, w}));
      aggregation(out, fmt::format("aggregate {}", l + 1), k, 2, l + 1 < options_.model.layers);
      if (l == 0) continue;
      const at::Tensor a = at::rand({nodes_, 2 * k}), b = at::rand({nodes_, 2 * k});
      at::Tensor sum = at::empty_like(a);
      out.push_back({"skip gradient", stream_seconds(3 * bytes(nodes_, 2 * k)),
                     best_of([&] { at::add_out(sum, a, b); })});
    }
    loss_and_step(out);
    return out;
  }

  RunOptions options_;
  Device device_;
  GraphSurgeon model_;
  Adam adam_;
  Batch batch_;
  int64_t nodes_, edges_, features_, nonzeros_;
};

int run(int argc, char** argv) {
  at::set_num_threads(threads());
  recycle_tensor_memory();
  nlohmann::json report = nlohmann::json::array();
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    LoadOptions load;
    const Dataset data = load_dataset(name, load);
    for (const AugmentMode mode : {AugmentMode::post, AugmentMode::pre}) {
      RunOptions options;
      OptionList list = describe(options);
      apply_preset(list, name);
      options.model.mode = mode;
      Epoch epoch(data, options);
      const auto phases = epoch.phases();
      const double ours = epoch.seconds();
      double floor = 0, parts = 0;
      const char* label = mode == AugmentMode::pre ? "pre" : "post";
      fmt::print("{} {}\n", name, label);
      nlohmann::json rows = nlohmann::json::array();
      for (const Phase& p : phases) {
        fmt::print("  {:<24} floor {:7.2f} ms   ours {:7.2f} ms   {:5.2f}x\n", p.name,
                   1e3 * p.floor, 1e3 * p.ours, p.ours / p.floor);
        floor += p.floor, parts += p.ours;
        rows.push_back({{"phase", p.name}, {"floor_ms", 1e3 * p.floor}, {"ours_ms", 1e3 * p.ours}});
      }
      fmt::print(
          "  {:<24} floor {:7.2f} ms   ours {:7.2f} ms   {:5.2f}x   (phases alone {:.2f} ms)\n",
          "the epoch", 1e3 * floor, 1e3 * ours, ours / floor, 1e3 * parts);
      std::fflush(stdout);
      report.push_back({{"data", name},
                        {"mode", label},
                        {"floor_ms", 1e3 * floor},
                        {"ours_ms", 1e3 * ours},
                        {"ratio", ours / floor},
                        {"phases", rows}});
    }
  }
  fmt::print("stream {:.1f} GB/s\n{}\n", 1e-9 * stream_rate(), report.dump());
  return 0;
}

}  // namespace
}  // namespace gs

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: bench_roofline DATASET...\n", stderr);
    return 2;
  }
  return gs::run(argc, argv);
}
