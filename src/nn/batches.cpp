#include "nn/batches.h"

#include "dataset/catalog.h"
#include "options/convolutions.h"

namespace gs {

Batches::Batches(const Dataset& data, const RunOptions& options, const std::string& loader,
                 int64_t first_width, const Device& device, Random random, Progress& progress,
                 const std::atomic<bool>* stop)
    : data_(data),
      options_(options.loader),
      context_{.norm = convolution_info(options.model.encoder).norm,
               .layers = options.model.layers,
               .random = random,
               .cache = cache_folder() / "partitions",
               .progress = &progress,
               .stop = stop},
      device_(device),
      whole_(whole_graph(data, options.model.encoder, device)) {
  options_.loader = loader;
  if (!sampled() && device.native && first_width > 0) aggregate_features(whole_, first_width);
}

void Batches::set_targets(std::vector<int32_t> targets) {
  if (!sampled()) return;
  ahead_.reset();
  targets_ = std::move(targets);
  context_.target_nodes = targets_;
  loader_ = make_loader(data_, options_, context_);
}

void Batches::start(int64_t epoch, int64_t index, int64_t epochs) {
  ahead_.reset();
  if (loader_)
    ahead_.emplace(*loader_,
                   PrefetchOptions{options_.workers, options_.prefetch, epoch, index, epochs});
}

Batches::Item Batches::next() {
  if (!loader_) return {whole_, {}};
  Prefetch::Batch made = ahead_->next();
  return {sampled_batch(made.sample, device_),
          {made.sample.sample_seconds, made.sample.gather_seconds, made.wait_seconds}};
}

}  // namespace gs
