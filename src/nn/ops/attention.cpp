#include "nn/ops/attention.h"

#include "base/error.h"
#include "nn/ops/attention_twins.h"

namespace gs {

ScoreVectors ScoreVectors::repeated(int64_t columns) const {
  GS_ASSERT(source.numel() > 0 && columns % source.numel() == 0);
  GS_ASSERT(target.numel() == source.numel());
  const int64_t views = columns / source.numel();
  const auto of_all = [&](const at::Tensor& vector) {
    const at::Tensor flat = vector.reshape({-1});
    return views == 1 ? flat : flat.repeat({views});
  };
  return {of_all(source), of_all(target)};
}

namespace {

// Calls the twin that serves this kind of matrix.
template <class Native, class Torch>
auto with_twin(const SparseOperator& structure, const Native& native, const Torch& torch) {
  if (const auto* ours = dynamic_cast<const NativeSparse*>(&structure)) return native(*ours);
  return torch(dynamic_cast<const TorchSparse&>(structure));
}

}  // namespace

at::Tensor attend(const SparseOperator& structure, const at::Tensor& messages, const Scores& scores,
                  const AttentionOptions& options) {
  return with_twin(
      structure, [&](const NativeSparse& a) { return native_attend(a, messages, scores, options); },
      [&](const TorchSparse& a) { return torch_attend(a, messages, scores, options); });
}

at::Tensor attend(const SparseOperator& structure, const at::Tensor& messages,
                  const ScoreVectors& vectors, const AttentionOptions& options) {
  return with_twin(
      structure,
      [&](const NativeSparse& a) { return native_attend(a, messages, vectors, options); },
      [&](const TorchSparse& a) { return torch_attend(a, messages, vectors, options); });
}

Scores scores_of(const SparseOperator& structure, const at::Tensor& messages,
                 const ScoreVectors& vectors, int64_t heads) {
  return with_twin(
      structure, [&](const NativeSparse&) { return native_scores(messages, vectors, heads); },
      [&](const TorchSparse&) { return torch_scores(messages, vectors, heads); });
}

}  // namespace gs
