#include "nn/halo.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "nn/ops/kept.h"

namespace gs {

namespace {

constexpr int64_t kGrain = 64;  // rows

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

}  // namespace

struct Extended : torch::autograd::Function<Extended> {
  static Variable forward(AutogradContext* context, const Variable& x,
                          std::shared_ptr<const Halo> halo) {
    const at::AutoDispatchBelowADInplaceOrView guard;
    const Variable out = halo->fetch(x);
    keep(context, std::move(halo));
    return out;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    return {kept<Halo>(context).returned(gradients[0]), Variable()};
  }
};

Halo::Halo(const Ranks& ranks, int64_t own, std::vector<int32_t> send, std::vector<int64_t> sent,
           std::vector<int64_t> received)
    : ranks_(ranks),
      own_(own),
      halo_(std::accumulate(received.begin(), received.end(), int64_t{0})),
      send_(std::move(send)),
      sent_(std::move(sent)),
      received_(std::move(received)) {
  GS_ASSERT(std::accumulate(sent_.begin(), sent_.end(), int64_t{0}) == std::ssize(send_));
}

at::Tensor Halo::fetch(const at::Tensor& rows) const {
  const at::Tensor x = rows.contiguous();
  GS_ASSERT(x.size(0) == own_ && x.scalar_type() == at::kFloat);
  const int64_t width = x.size(1);
  at::Tensor sending = at::empty({std::ssize(send_), width}, x.options());
  const float* from = x.const_data_ptr<float>();
  float* to = sending.data_ptr<float>();
  parallel_for(std::ssize(send_), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      std::copy_n(from + send_[static_cast<size_t>(i)] * width, width, to + i * width);
  });
  return at::cat({x, ranks_.exchange(sending, sent_, received_)});
}

at::Tensor Halo::extended(const at::Tensor& x) const {
  return Extended::apply(x, shared_from_this());
}

at::Tensor Halo::returned(const at::Tensor& rows) const {
  const at::Tensor x = rows.contiguous();
  GS_ASSERT(x.size(0) == own_ + halo_ && x.scalar_type() == at::kFloat);
  const int64_t width = x.size(1);
  const at::Tensor back = ranks_.exchange(x.slice(0, own_), received_, sent_);
  at::Tensor out = x.slice(0, 0, own_).clone();
  const float* from = back.const_data_ptr<float>();
  float* to = out.data_ptr<float>();
  int64_t first = 0;
  for (const int64_t count : sent_) {  // no own row is sent to one rank twice
    parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = first + begin; i < first + end; ++i) {
        float* sum = to + send_[static_cast<size_t>(i)] * width;
        for (int64_t c = 0; c < width; ++c) sum[c] += from[i * width + c];
      }
    });
    first += count;
  }
  return out;
}

namespace {

class HaloOperator final : public SparseOperator {
 public:
  HaloOperator(std::shared_ptr<const SparseOperator> inner, std::shared_ptr<const Halo> halo,
               Size whole)
      : SparseOperator(halo->own(), halo->own()),
        inner_(std::move(inner)),
        halo_(std::move(halo)),
        whole_(whole) {
    GS_ASSERT(inner_->rows() == halo_->own() && inner_->columns() == halo_->rows());
  }

  at::Tensor apply(const at::Tensor& x, const Epilogue& epilogue) const override {
    return inner_->apply(sources(x), epilogue);
  }
  at::Tensor apply_transposed(const at::Tensor& x) const override {
    return halo_->returned(inner_->apply_transposed(x));
  }
  at::Tensor sources(const at::Tensor& x) const override { return halo_->extended(x); }
  std::shared_ptr<const SparseOperator> slice(int64_t begin, int64_t end) const override {
    return inner_->slice(begin, end);
  }
  at::Tensor times(std::span<const at::Tensor>, const Epilogue&) const override {
    GS_ASSERT(!"the weights of an adjacency's product are dense");
  }
  std::shared_ptr<const SparseOperator> dropped(const DropoutRule&) const override {
    GS_ASSERT(!"an adjacency's entries are not dropped on several ranks");
  }
  at::Device device() const override { return inner_->device(); }
  int64_t nonzeros() const override { return inner_->nonzeros(); }
  Size whole() const override { return whole_; }

 private:
  std::shared_ptr<const SparseOperator> inner_;
  std::shared_ptr<const Halo> halo_;
  Size whole_;
};

}  // namespace

std::shared_ptr<const SparseOperator> halo_operator(std::shared_ptr<const SparseOperator> inner,
                                                    std::shared_ptr<const Halo> halo,
                                                    SparseOperator::Size whole) {
  return std::make_shared<HaloOperator>(std::move(inner), std::move(halo), whole);
}

}  // namespace gs
