// A loader makes the batches of an epoch. A batch is a pure function of (random, epoch, index): any
// thread may make any batch, in any order, so a run that is resumed within an epoch, or one with
// more threads, sees the same batches. sample() may be called from several threads at once, each
// with a workspace of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/random.h"
#include "dataset/shards/shards.h"
#include "graph/normalize.h"
#include "graph/sampling.h"
#include "graph/subgraph.h"
#include "loader/sample.h"
#include "options/loader.h"

namespace gs {

// Buffers that a thread keeps between batches. Fits any loader; belongs to one thread at a time.
struct LoaderWorkspace {
  SubgraphWorkspace subgraph;
  SamplingWorkspace sampling;
  std::vector<int32_t> order;  // the epoch's permutation, and the stream that it was made from
  uint64_t order_key = 0;
};

struct LoaderContext {
  Norm norm = Norm::gcn;
  int64_t layers = 2;  // encoder layers
  Random random{0};
  std::filesystem::path cache = {};            // folder for partitions; empty: none
  std::span<const int32_t> target_nodes = {};  // distinct; empty: every node
  // The shards that the dataset is; null: it is a whole graph.
  const ShardIndex* index = nullptr;
  const Shard* shard = nullptr;
  // The shards of each rank, from [first_shard[r], first_shard[r + 1]), and what sends bytes to
  // each rank and returns those of each. Collective.
  std::vector<int64_t> first_shard = {};
  std::function<std::vector<std::string>(const std::vector<std::string>&)> exchange = nullptr;
  Progress* progress = &no_progress();      // of preparations that take long
  const std::atomic<bool>* stop = nullptr;  // ends them with an Error of kind interrupted
};

class Loader {
 public:
  explicit Loader(const Dataset& data) : data_(data) {}
  virtual ~Loader() = default;
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  virtual int64_t batches() const = 0;  // batches per epoch, at least 1
  // Whether sample() is collective: all ranks then make the same batches in the same order, in the
  // thread that trains.
  virtual bool collective() const { return false; }
  // Batch `index` of `epoch`. May use parallel loops, unless the caller has a ThreadScope(1).
  Sample sample(int64_t epoch, int64_t index, LoaderWorkspace& workspace) const;

 protected:
  const Dataset& data() const { return data_; }

 private:
  // The batch without its times, and without features where `nodes` are nodes of the dataset.
  virtual Sample draw(int64_t epoch, int64_t index, LoaderWorkspace& workspace) const = 0;

  const Dataset& data_;
};

// What the plan of memory asks of a loader before one is made.
struct LoaderCost {
  double batch_nodes = 0;     // nodes that one batch computes on, at most or about
  double batch_edges = 0;     // likewise, entries of its matrices
  double bytes_per_edge = 0;  // memory beside the graph during the whole training
};
struct GraphSize {
  int64_t nodes = 0, edges = 0;
};

// Whether a training with these options fits into memory.
using Fits = std::function<bool(const LoaderOptions&)>;

// The entry points of one loader; loader/maker.h fills it in from the class.
struct LoaderMaker {
  std::unique_ptr<Loader> (*make)(const Dataset&, const LoaderOptions&, const LoaderContext&);
  LoaderCost (*cost)(GraphSize graph, const LoaderOptions& options, int64_t layers);
  // Options of this loader to type so that a training fits into memory.
  std::string (*hint)(const LoaderOptions& options, bool instead_of_full, const Fits& fits);
};
template <class L>
LoaderMaker loader_maker();

// The maker of a name in options/loaders.h that is neither full nor auto.
LoaderMaker loader_maker(std::string_view name);

// The dataset must outlive the loader. Data Error if it has no nodes; internal Error for full and
// auto, which the caller handles.
std::unique_ptr<Loader> make_loader(const Dataset& data, const LoaderOptions& options,
                                    const LoaderContext& context);

}  // namespace gs
