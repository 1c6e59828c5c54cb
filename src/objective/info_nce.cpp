#include "objective/info_nce.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "objective/eigenmaps.h"

namespace gs {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

// Blocks of e^(s - 1/t), which is at most one and cannot overflow; the shift cancels in the loss.
class Similarities {
 public:
  Similarities(double temperature, int64_t block) : inverse_(1 / temperature), block_(block) {}

  // Calls visit(i, i_end, j, j_end, e) for all blocks, or with `upper` only for those with j >= i.
  template <class Visit>
  void blocks(const at::Tensor& x, const at::Tensor& y, bool upper, const Visit& visit) const {
    const int64_t n = x.size(0);
    for (int64_t i = 0; i < n; i += block_) {
      const int64_t i_end = std::min(n, i + block_);
      for (int64_t j = upper ? i : 0; j < n; j += block_) {
        const int64_t j_end = std::min(n, j + block_);
        at::Tensor e = at::mm(x.slice(0, i, i_end), y.slice(0, j, j_end).t());
        e.sub_(1).mul_(inverse_).exp_();
        if (upper && i == j) e.fill_diagonal_(0);  // a node is not its own negative
        visit(i, i_end, j, j_end, e);
      }
    }
  }
  double inverse() const { return inverse_; }

 private:
  double inverse_;
  int64_t block_;
};

// Adds to each row i the sum over all j != i of the symmetric matrix of x with itself.
void add_own_sums(const Similarities& s, const at::Tensor& x, at::Tensor& sums) {
  s.blocks(x, x, true,
           [&](int64_t i, int64_t i_end, int64_t j, int64_t j_end, const at::Tensor& e) {
             sums.slice(0, i, i_end).add_(e.sum(1));
             if (i != j) sums.slice(0, j, j_end).add_(e.sum(0));
           });
}

// Adds to gradient_i the sum over j != i of e_ij (c_i + c_j) x_j.
void add_own_gradient(const Similarities& s, const at::Tensor& x, const at::Tensor& c,
                      at::Tensor& gradient) {
  s.blocks(x, x, true, [&](int64_t i, int64_t i_end, int64_t j, int64_t j_end, at::Tensor& e) {
    e.mul_(c.slice(0, i, i_end).unsqueeze(1) + c.slice(0, j, j_end));
    gradient.slice(0, i, i_end).addmm_(e, x.slice(0, j, j_end));
    if (i != j) gradient.slice(0, j, j_end).addmm_(e.t(), x.slice(0, i, i_end));
  });
}

struct InfoNce : torch::autograd::Function<InfoNce> {
  static Variable forward(AutogradContext* context, const Variable& first, const Variable& second,
                          const Variable& weights, double temperature, int64_t block) {
    const at::AutoDispatchBelowADInplaceOrView guard;
    const at::Tensor a = first.contiguous(), b = second.contiguous();
    const Similarities s(temperature, block);
    at::Tensor of_a = at::zeros({a.size(0)}, a.options()), of_b = at::zeros_like(of_a);
    s.blocks(a, b, false,
             [&](int64_t i, int64_t i_end, int64_t j, int64_t j_end, const at::Tensor& e) {
               of_a.slice(0, i, i_end).add_(e.sum(1));
               of_b.slice(0, j, j_end).add_(e.sum(0));
             });
    add_own_sums(s, a, of_a);
    add_own_sums(s, b, of_b);
    const at::Tensor shifted = ((a * b).sum(1) - 1) * s.inverse();
    const at::Tensor each = (of_a.log() + of_b.log()) / 2 - shifted;
    context->save_for_backward({a, b, weights, of_a, of_b});
    context->saved_data["temperature"] = temperature;
    context->saved_data["block"] = block;
    return (each * weights).mean();
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &a = saved[0], &b = saved[1], &weights = saved[2];
    const Similarities s(context->saved_data["temperature"].toDouble(),
                         context->saved_data["block"].toInt());
    const at::Tensor share = weights / static_cast<double>(a.size(0));
    const at::Tensor c = share / (2 * saved[3]), d = share / (2 * saved[4]);
    at::Tensor da = -share.unsqueeze(1) * b, db = -share.unsqueeze(1) * a;
    s.blocks(a, b, false, [&](int64_t i, int64_t i_end, int64_t j, int64_t j_end, at::Tensor& e) {
      e.mul_(c.slice(0, i, i_end).unsqueeze(1) + d.slice(0, j, j_end));
      da.slice(0, i, i_end).addmm_(e, b.slice(0, j, j_end));
      db.slice(0, j, j_end).addmm_(e.t(), a.slice(0, i, i_end));
    });
    add_own_gradient(s, a, c, da);
    add_own_gradient(s, b, d, db);
    const at::Tensor factor = gradients[0] * s.inverse();
    return {da.mul_(factor), db.mul_(factor), Variable(), Variable(), Variable()};
  }
};

}  // namespace

Loss info_nce_loss(const at::Tensor& z1, const at::Tensor& z2, double temperature,
                   const at::Tensor& weights, int64_t block) {
  const at::Tensor w = weights.defined() ? weights : at::ones({z1.size(0)}, z1.options());
  const at::Tensor total = InfoNce::apply(unit_rows(z1), unit_rows(z2), w, temperature, block);
  return {total, {{"contrast", total.item<double>()}}};
}

}  // namespace gs
