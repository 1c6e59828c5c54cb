// Layer-wise inference over all rows of a graph in blocks: exact, and the same for the end of
// training, for `embed` and for `eval`, so that they agree bit for bit. Beyond the result it holds
// two layers of intermediate values; where those exceed `memory` bytes they lie in a mapped scratch
// file.
#pragma once

#include <functional>

#include "base/progress.h"
#include "nn/batch.h"
#include "nn/encoder.h"

namespace gs {

struct InferenceOptions {
  int64_t memory = int64_t{8} << 30;  // bytes that intermediate layers may take in RAM
};

class LayerWise {
 public:
  // `widest`: columns of the widest intermediate matrix. `passes`: times that all rows are gone
  // through, for the progress.
  LayerWise(const Batch& whole, const Device& device, int64_t widest, int64_t passes,
            const InferenceOptions& options, Progress& progress);

  int64_t rows() const { return batch_.features.rows(); }
  at::Tensor matrix(int64_t width) const;  // rows() x width, not filled
  // out[begin:end] = block(begin, end), block by block.
  void fill(at::Tensor& out, const std::function<at::Tensor(int64_t, int64_t)>& block);
  // The encoder's output for x, one row per node; 2 * layers passes.
  at::Tensor encode(const Encoder& encoder, const Input& x, const Pass& pass = Pass::inference());
  // By another adjacency than the batch's own.
  at::Tensor encode(const Encoder& encoder, const Input& x, const Adjacency& adjacency,
                    const Pass& pass = Pass::inference());

 private:
  const Batch& batch_;
  Device device_;
  Progress& progress_;
  int64_t budget_;  // bytes of the largest matrix to keep in RAM
};

}  // namespace gs
