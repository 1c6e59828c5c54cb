// Embeddings of a whole graph, layer by layer over blocks of rows: exact, and the same function for
// the end of training, for `embed` and for `eval`, so that they agree bit for bit. Beyond the
// result it holds two layers of intermediate values; where those exceed `memory` bytes they lie in
// a mapped scratch file.
#pragma once

#include "base/progress.h"
#include "method/graphsurgeon.h"

namespace gs {

struct InferenceOptions {
  int64_t memory = int64_t{8} << 30;  // bytes that intermediate layers may take in RAM
};

at::Tensor embed(const GraphSurgeon& model, const Batch& batch,
                 const InferenceOptions& options = {}, Progress& progress = no_progress());

}  // namespace gs
