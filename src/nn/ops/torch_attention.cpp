// Graph attention as plain libtorch operations: every entry is a row of a tensor.
#include "base/error.h"
#include "kernels/attention.h"
#include "nn/ops/attention_twins.h"

namespace gs {

namespace {

// Entries by target and source, each row having itself once where it did not store itself.
struct Entries {
  at::Tensor target, source;  // [entries], local rows and columns

  Entries(const at::Tensor& matrix, int64_t first_row) {
    const int64_t rows = matrix.size(0);
    const at::Tensor stored_source = matrix.col_indices().to(at::kLong);
    const at::Tensor stored_target =
        at::repeat_interleave(matrix.crow_indices().to(at::kLong).diff());
    const at::Tensor loops =
        at::zeros({rows}, stored_source.options())
            .index_add(0, stored_target,
                       (stored_source == stored_target + first_row).to(at::kLong));
    const at::Tensor without = (loops == 0).nonzero().flatten();
    target = at::cat({stored_target, without});
    source = at::cat({stored_source, without + first_row});
  }
};

// [entries, heads] of scale or 0; made on the CPU, as a mask is the same everywhere.
at::Tensor entry_mask(const AttentionOptions& options, const Entries& entries, int64_t first_row,
                      const at::Tensor& like) {
  const at::Tensor targets = (entries.target + first_row).cpu(), sources = entries.source.cpu();
  const auto span = [](const at::Tensor& x) {
    return std::span<const int64_t>(x.const_data_ptr<int64_t>(), static_cast<size_t>(x.numel()));
  };
  const int64_t heads = options.heads / static_cast<int64_t>(options.dropout.size());
  std::vector<at::Tensor> masks;
  for (const DropoutRule& rule : options.dropout) {
    masks.push_back(at::empty({targets.numel(), heads}, at::kDouble));
    attention_mask(rule, span(targets), span(sources), heads, masks.back().data_ptr<double>());
  }
  return at::cat(masks, 1).to(like.options());
}

at::Tensor inner_products(const at::Tensor& messages, const at::Tensor& vector, int64_t heads) {
  const int64_t width = messages.size(1) / heads;
  return (messages.view({-1, heads, width}) * vector.view({1, heads, width})).sum(-1);
}

}  // namespace

at::Tensor torch_attend(const TorchSparse& structure, const at::Tensor& messages,
                        const Scores& scores, const AttentionOptions& options) {
  GS_ASSERT(messages.size(0) == structure.columns() && messages.size(1) % options.heads == 0);
  const int64_t rows = structure.rows(), first_row = structure.first_row();
  const Entries entries(structure.matrix(), first_row);
  const int64_t heads = options.heads, width = messages.size(1) / heads;
  const at::Tensor e = at::leaky_relu(
      scores.target.index_select(0, entries.target) + scores.source.index_select(0, entries.source),
      options.slope);
  const at::Tensor at_target = entries.target.unsqueeze(1).expand({-1, heads});
  const at::Tensor largest =  // shifts a softmax, and does not change it
      at::zeros({rows, heads}, e.options())
          .scatter_reduce(0, at_target, e.detach(), "amax", /*include_self=*/false);
  const at::Tensor powers = (e - largest.index_select(0, entries.target)).exp();
  const at::Tensor sums =
      at::zeros({rows, heads}, e.options()).index_add(0, entries.target, powers);
  at::Tensor weights = powers / sums.index_select(0, entries.target);
  if (!options.dropout.empty())
    weights = weights * entry_mask(options, entries, first_row, weights);
  const at::Tensor terms =
      messages.index_select(0, entries.source).view({-1, heads, width}) * weights.unsqueeze(-1);
  return at::zeros({rows, heads * width}, messages.options())
      .index_add(0, entries.target, terms.view({-1, heads * width}));
}

at::Tensor torch_attend(const TorchSparse& structure, const at::Tensor& messages,
                        const ScoreVectors& vectors, const AttentionOptions& options) {
  GS_ASSERT(structure.first_row() == 0);
  Scores all = torch_scores(messages, vectors, options.heads);
  all.target = all.target.slice(0, 0, structure.rows());
  return torch_attend(structure, messages, all, options);
}

Scores torch_scores(const at::Tensor& messages, const ScoreVectors& vectors, int64_t heads) {
  const ScoreVectors all = vectors.repeated(messages.size(1));
  return {inner_products(messages, all.source, heads), inner_products(messages, all.target, heads)};
}

}  // namespace gs
