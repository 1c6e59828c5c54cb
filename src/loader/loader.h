// A loader makes the batches of an epoch. A batch is a pure function of (random, epoch, index): any
// thread may make any batch, in any order, so a run that is resumed within an epoch, or one with
// more threads, sees the same batches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/registry.h"
#include "config/loader_options.h"
#include "graph/normalize.h"
#include "graph/sampling.h"
#include "graph/subgraph.h"
#include "loader/sample.h"

namespace gs {

// What a thread keeps between batches. Fits any loader; belongs to one thread at a time.
struct LoaderWorkspace {
  SubgraphWorkspace subgraph;
  SamplingWorkspace sampling;
  std::vector<int32_t> order;  // the epoch's permutation, and the stream that it was made from
  uint64_t order_key = 0;
};

struct LoaderContext {
  Norm norm = Norm::gcn;
  int64_t layers = 2;  // of the encoder
  Random random{0};
  std::filesystem::path cache = {};          // for partitions; empty: none
  std::span<const int32_t> seed_nodes = {};  // distinct; empty: every node
};

class Loader {
 public:
  explicit Loader(const Dataset& data) : data_(data) {}
  virtual ~Loader() = default;
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  virtual int64_t batches() const = 0;  // of an epoch, at least 1
  // Batch `index` of `epoch`. May use parallel loops, unless the caller has SerialLoops.
  Sample sample(int64_t epoch, int64_t index, LoaderWorkspace& workspace) const;

 protected:
  const Dataset& data() const { return data_; }

 private:
  // The batch without its features and times.
  virtual Sample draw(int64_t epoch, int64_t index, LoaderWorkspace& workspace) const = 0;

  const Dataset& data_;
};

using MakeLoader = std::unique_ptr<Loader> (*)(const Dataset&, const LoaderOptions&,
                                               const LoaderContext&);
std::span<const Named<MakeLoader>> loaders();  // by the names of LoaderKind

// The dataset must outlive the loader. Data Error when it has no nodes; LoaderKind full and auto
// are the caller's business: an internal Error here.
std::unique_ptr<Loader> make_loader(const Dataset& data, const LoaderOptions& options,
                                    const LoaderContext& context);

}  // namespace gs
