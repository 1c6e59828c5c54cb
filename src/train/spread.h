// What a training does beside its loop when its graph is spread over several ranks. With one rank
// nothing happens. All calls are collective.
#pragma once

#include <string>

#include "nn/parameters.h"
#include "nn/share.h"
#include "options/run.h"
#include "run/auto_options.h"
#include "run/writer.h"
#include "train/trainer.h"

namespace gs {

// Usage Error for what is not exact or not built for a sharded graph, with what works.
void check_spread(const RunOptions& options, const Share& share);

// Usage Error, on every rank, if some rank has another version of the program, other data or other
// options than the first.
void check_same(const Share& share, const RunInfo& info);

// The options of a request. A run that starts from the weights of another run keeps its shape.
RunOptions starting_options(const TrainRequest& request);

// The description and the record of a run, with what is true of the whole graph.
RunInfo info_of(const std::string& name, const Share& share, const RunOptions& options,
                const std::vector<std::string>& by_data = {});
RunRecord record_of(const std::string& name, const Share& share, const LoadOptions& load,
                    const std::string& fingerprint);

// The options that the data decides: of a sharded graph its first shard, for every number of ranks.
ChosenOptions choose_auto_options(const RunOptions& options, const Share& share);

// Adds the gradients of all ranks; every rank then has the sums. Returns whether `stop` was set on
// any rank.
bool sum_gradients(Parameters& parameters, const Ranks& ranks, bool stop);

// Internal Error unless all ranks have the same weights, to the bit.
void check_equal(const Parameters& parameters, const Ranks& ranks);

// The folder to read a checkpoint from: the run's own on the first rank, and a copy of its
// checkpoint elsewhere, which is removed with this object. Without a checkpoint there is none.
class ReceivedCheckpoint {
 public:
  ReceivedCheckpoint(const RunFolder& run, const Ranks& ranks);
  ~ReceivedCheckpoint();
  ReceivedCheckpoint(const ReceivedCheckpoint&) = delete;
  ReceivedCheckpoint& operator=(const ReceivedCheckpoint&) = delete;

  const RunFolder& folder() const { return folder_; }

 private:
  RunFolder folder_;
  std::filesystem::path temporary_;  // or empty
};

// Writes embeddings of the own nodes of every rank as one .npy, in the order of the nodes before
// sharding. The first rank writes, a part at a time.
void save_rows(const std::filesystem::path& path, const at::Tensor& z, const Share& share);

// The names of all nodes in that order, on the first rank; empty if there are none.
std::vector<std::string> all_names(const Share& share);

// Writes both to the run folder.
void save_embeddings(RunWriter& writer, const at::Tensor& z, const Share& share);

}  // namespace gs
