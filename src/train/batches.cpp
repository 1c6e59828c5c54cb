#include "train/batches.h"

#include "base/error.h"
#include "dataset/catalog.h"
#include "dataset/splits.h"

namespace gs {

namespace {

std::vector<int32_t> seed_nodes(const Dataset& data, const RunOptions& options) {
  if (options.loader.seeds == SeedNodes::all) return {};
  if (data.labels.task == Task::none)
    fail_data(data.name, "has no labels, and so no training nodes for --seeds train",
              "leave --seeds at 'all'");
  return make_splits(data, options.train.splits, 1, static_cast<uint64_t>(options.train.seed))
      .front()
      .train;
}

}  // namespace

Batches::Batches(const Dataset& data, const RunOptions& options, LoaderKind kind,
                 const Place& place, Random random)
    : place_(place),
      whole_(whole_graph(data, options.model, place)),
      workers_(options.loader.workers),
      ready_(options.loader.prefetch) {
  if (kind == LoaderKind::full) {
    if (place.native) aggregate_features(whole_, options.model);
    return;
  }
  seeds_ = seed_nodes(data, options);
  LoaderOptions chosen = options.loader;
  chosen.loader = kind;
  loader_ = make_loader(data, chosen,
                        {norm_of(options.model.encoder), options.model.layers, random,
                         cache_folder() / "partitions", seeds_});
}

void Batches::start(int64_t epoch, int64_t index, int64_t epochs) {
  ahead_.reset();
  if (loader_) ahead_.emplace(*loader_, PrefetchOptions{workers_, ready_, epoch, index, epochs});
}

Batches::Item Batches::next() {
  if (!loader_) return {whole_, {}};
  Prefetch::Batch made = ahead_->next();
  return {sampled_batch(made.sample, place_),
          {made.sample.sample_seconds, made.sample.gather_seconds, made.wait_seconds}};
}

}  // namespace gs
