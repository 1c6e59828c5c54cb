#include "train/batches.h"

#include "dataset/catalog.h"

namespace gs {

Batches::Batches(const Dataset& data, const RunOptions& options, LoaderKind kind,
                 int64_t first_width, const Place& place, Random random)
    : data_(data),
      options_(options.loader),
      context_{norm_of(options.model.encoder), options.model.layers, random,
               cache_folder() / "partitions"},
      place_(place),
      whole_(whole_graph(data, options.model.encoder, place)) {
  options_.loader = kind;
  if (!sampled() && place.native && first_width > 0) aggregate_features(whole_, first_width);
}

void Batches::seed(std::vector<int32_t> seeds) {
  if (!sampled()) return;
  ahead_.reset();
  seeds_ = std::move(seeds);
  context_.seed_nodes = seeds_;
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
  return {sampled_batch(made.sample, place_),
          {made.sample.sample_seconds, made.sample.gather_seconds, made.wait_seconds}};
}

}  // namespace gs
