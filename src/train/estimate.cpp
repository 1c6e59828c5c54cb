#include "train/estimate.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <chrono>

#include "dataset/splits.h"
#include "nn/batches.h"
#include "nn/diffusion.h"
#include "nn/products.h"
#include "nn/singular.h"
#include "options/methods.h"
#include "run/model.h"
#include "train/adam.h"

namespace gs {

namespace {

constexpr int64_t kSteps = 2;  // measured, after one that warms up
constexpr int64_t kColumns = 16, kRows = 4096, kProductWidth = 256;

template <class Work>
double seconds_of(const Work& work) {
  const auto begun = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

double of_solving(const Dataset& data, const RunOptions& options, const Device& device) {
  const at::NoGradGuard no_gradient;
  const Batch whole = whole_graph(data, options.model.encoder, device);
  const int64_t width = data.features.width(), columns = std::min(width, kColumns);
  const std::vector<GraphFilter> filters = options.spectral.parsed_filters();
  const at::Tensor x = columns_of(whole.features, 0, columns);
  const auto diffused = [&] { diffuse(whole.adjacency.layer(0), x, filters); };
  diffused();
  // Rows of unit length are filtered once more, for their lengths.
  const double times = options.spectral.transform == Transform::unit ? 2 : 1;
  const double diffusing =
      times * seconds_of(diffused) * static_cast<double>(width) / static_cast<double>(columns);
  const auto n = static_cast<double>(data.nodes()), f = static_cast<double>(width);
  const at::Tensor a = at::ones({kRows, std::min<int64_t>(width, 1024)}),
                   b = at::ones({a.size(1), kProductWidth});
  product(a, b);
  const double per_product =
      seconds_of([&] { product(a, b); }) /
      (static_cast<double>(kRows * kProductWidth) * static_cast<double>(a.size(1)));
  // Through the Gram matrix and its eigenvectors, or by subspace iteration over about six products.
  const double kept = static_cast<double>(options.model.dim) / static_cast<double>(filters.size());
  const double products =
      width <= kExactWidth ? n * f * f + 20 * f * f * f : n * f * 6 * std::min(f, kept + 20);
  return diffusing + static_cast<double>(filters.size()) * (products + n * f * kept) * per_product;
}

}  // namespace

Estimate estimate(const Dataset& data, const RunOptions& options, const Plan& plan) {
  const MethodInfo& info = method_info(options.method.method);
  const Device device = make_device(options.train.device, options.train.kernels);
  Estimate out;
  if (info.solved) {
    out.seconds = of_solving(data, options, device);
    return out;
  }
  const int64_t epochs = options.train.epochs;
  if (epochs == 0) return out;
  const Random random(static_cast<uint64_t>(options.train.seed));
  const RunInfo run = RunInfo::of({}, data, options);
  const auto method = make_method(setting_of(run, device, random.fork("init")));
  Batches batches(data, options, plan.loader, method->first_width(), device, random.fork("loader"),
                  no_progress(), nullptr);
  std::vector<Split> splits;
  if (info.supervised() || options.loader.target_nodes == "train")
    splits = make_splits(data, options.train.splits, options.train.num_splits,
                         static_cast<uint64_t>(options.train.seed));
  if (info.supervised()) out.trainings = std::ssize(splits);
  batches.set_targets(splits.empty() ? std::vector<int32_t>{} : splits.front().train);
  const at::AutoGradMode gradients(true);
  method->prepare(data, splits.empty() ? nullptr : &splits.front());
  Adam adam(method->parameters(),
            AdamOptions{.lr = options.train.lr, .weight_decay = options.train.weight_decay});
  out.batches = batches.per_epoch();
  batches.start(0, 0, epochs);
  const int64_t steps = std::min(kSteps, epochs * out.batches - 1);
  const auto step = [&](int64_t index) {
    const Batch batch = batches.next().batch;
    if (batch.targets == 0) return;
    const Loss loss =
        method->loss(batch, {random.fork("step", index), index, epochs * out.batches});
    method->parameters().zero_gradients();
    loss.total.backward();
    adam.step(options.train.clip);
  };
  double seconds = seconds_of([&] { step(0); });
  if (steps > 0)
    seconds = seconds_of([&] {
                for (int64_t i = 1; i <= steps; ++i) step(i);
              }) /
              static_cast<double>(steps);
  out.seconds_per_epoch = seconds * static_cast<double>(out.batches);
  out.seconds = out.seconds_per_epoch * static_cast<double>(epochs * out.trainings);
  return out;
}

}  // namespace gs
