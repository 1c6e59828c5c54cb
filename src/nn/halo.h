// The adjacency of the nodes that one rank owns. Its sources are the own nodes and, after them, a
// halo of nodes that other ranks own: their rows are fetched before each product, and the gradients
// of these rows go back to their owners. So an encoder computes on own nodes alone, and never
// knows.
//
// Thread safety: as Ranks: calls are collective.
#pragma once

#include <memory>
#include <vector>

#include "nn/ops/sparse_operator.h"
#include "nn/ranks.h"

namespace gs {

class Halo : public std::enable_shared_from_this<Halo> {
 public:
  // `send`: own rows for each rank, one after another, `sent` of them for each; `received`: rows of
  // the halo from each. The ranks must outlive it.
  Halo(const Ranks& ranks, int64_t own, std::vector<int32_t> send, std::vector<int64_t> sent,
       std::vector<int64_t> received);

  int64_t own() const { return own_; }
  int64_t rows() const { return own_ + halo_; }  // own and halo
  // [own, K] -> [rows, K]: the halo's rows from their owners. Differentiable.
  at::Tensor extended(const at::Tensor& x) const;
  // [rows, K] -> [own, K]: the halo's rows are added to their owners' own, rank by rank.
  at::Tensor returned(const at::Tensor& x) const;

 private:
  friend struct Extended;
  at::Tensor fetch(const at::Tensor& x) const;

  const Ranks& ranks_;
  int64_t own_, halo_;
  std::vector<int32_t> send_;
  std::vector<int64_t> sent_, received_;
};

// `inner`: [own, own + halo]. `whole`: the size of the whole graph's adjacency.
std::shared_ptr<const SparseOperator> halo_operator(std::shared_ptr<const SparseOperator> inner,
                                                    std::shared_ptr<const Halo> halo,
                                                    SparseOperator::Size whole);

}  // namespace gs
