// The two implementations behind nn/ops/attention.h, each for its own kind of matrix.
#pragma once

#include "nn/ops/attention.h"
#include "nn/ops/native_sparse.h"
#include "nn/ops/torch_sparse.h"

namespace gs {

at::Tensor native_attend(const NativeSparse& structure, const at::Tensor& messages,
                         const Scores& scores, const AttentionOptions& options);
at::Tensor native_attend(const NativeSparse& structure, const at::Tensor& messages,
                         const ScoreVectors& vectors, const AttentionOptions& options);
Scores native_scores(const at::Tensor& messages, const ScoreVectors& vectors, int64_t heads);

at::Tensor torch_attend(const TorchSparse& structure, const at::Tensor& messages,
                        const Scores& scores, const AttentionOptions& options);
at::Tensor torch_attend(const TorchSparse& structure, const at::Tensor& messages,
                        const ScoreVectors& vectors, const AttentionOptions& options);
Scores torch_scores(const at::Tensor& messages, const ScoreVectors& vectors, int64_t heads);

}  // namespace gs
