#include "nn/batches.h"

#include "dataset/catalog.h"
#include "options/convolutions.h"

namespace gs {

Batches::Batches(const Share& share, const RunOptions& options, const std::string& loader,
                 int64_t first_width, const Device& device, Random random, Progress& progress,
                 const std::atomic<bool>* stop)
    : share_(share),
      options_(options.loader),
      context_{.norm = convolution_info(options.model.encoder).norm,
               .layers = options.model.layers,
               .random = random,
               .cache = cache_folder() / "partitions",
               .index = share.index,
               .shard = share.shard,
               .progress = &progress,
               .stop = stop},
      device_(device),
      whole_(whole_graph(share, options.model.encoder, device)) {
  options_.loader = loader;
  if (share.index) {
    for (int64_t r = 0; r <= share.ranks.size(); ++r)
      context_.first_shard.push_back(share.begin(r));
    context_.exchange = [&ranks = share.ranks](const std::vector<std::string>& bytes) {
      return ranks.exchange(bytes);
    };
  }
  if (!sampled() && device.native && first_width > 0) aggregate_features(whole_, first_width);
}

void Batches::set_targets(std::vector<int32_t> targets) {
  if (!sampled()) return;
  ahead_.reset();
  targets_ = std::move(targets);
  context_.target_nodes = targets_;
  loader_ = make_loader(share_.data, options_, context_);
}

void Batches::start(int64_t epoch, int64_t index, int64_t epochs) {
  ahead_.reset();
  if (loader_)
    ahead_.emplace(*loader_, PrefetchOptions{loader_->collective() ? 0 : options_.workers,
                                             options_.prefetch, epoch, index, epochs});
}

Batches::Item Batches::next() {
  if (!loader_) return {whole_, {}};
  Prefetch::Batch made = ahead_->next();
  Item out{sampled_batch(made.sample, device_),
           {made.sample.sample_seconds, made.sample.gather_seconds, made.wait_seconds}};
  const auto targets = static_cast<double>(out.batch.targets);
  out.batch.ranks = &share_.ranks;
  out.batch.all_targets = static_cast<int64_t>(share_.ranks.sum(targets));
  return out;
}

}  // namespace gs
