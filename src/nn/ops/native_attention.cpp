// Graph attention over our own kernel (kernels/attention.h).
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "base/error.h"
#include "kernels/attention.h"
#include "nn/ops/attention_twins.h"
#include "nn/ops/kept.h"

namespace gs {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

// A call of the attention kernel, with the tensors that it points into.
struct AttentionCall {
  at::Tensor messages, source, target;
  AttentionOptions options;
  Attention kernel;

  AttentionCall(const NativeSparse& structure, const at::Tensor& h, const at::Tensor& s,
                const at::Tensor& t, AttentionOptions how)
      : messages(h), source(s), target(t), options(std::move(how)) {
    const Spmm forward = structure.forward_call();
    GS_ASSERT(h.size(0) == structure.columns() && h.size(1) % options.heads == 0);
    GS_ASSERT(s.size(0) == h.size(0) && s.size(1) == options.heads);
    GS_ASSERT(t.size(0) == structure.rows() && t.size(1) == options.heads);
    kernel.rows = forward.matrix;
    kernel.first_row = forward.first_row;
    kernel.heads = options.heads;
    kernel.width = h.size(1) / options.heads;
    kernel.slope = static_cast<float>(options.slope);
    kernel.dropout = options.dropout;
    kernel.messages = messages.const_data_ptr<float>();
    kernel.source_scores = source.const_data_ptr<float>();
    kernel.target_scores = target.const_data_ptr<float>();
  }
  AttentionCall(const AttentionCall&) = delete;  // `kernel` points into `options`
  AttentionCall& operator=(const AttentionCall&) = delete;
};

struct KeptOptions : torch::CustomClassHolder {
  explicit KeptOptions(AttentionOptions o) : options(std::move(o)) {}
  AttentionOptions options;
};

constexpr int64_t kRowFloats = sizeof(AttentionRow) / sizeof(float);

// What backward needs is kept only where there will be one; the six tensors are saved after `more`.
Variable attend_forward(AutogradContext* context, const AttentionCall& call, bool differentiable,
                        std::shared_ptr<const NativeSparse> structure, variable_list more) {
  Variable out = at::empty({call.kernel.rows.rows, call.messages.size(1)}, call.messages.options());
  if (!differentiable) {
    attention(call.kernel, out.data_ptr<float>(), nullptr, nullptr);
    return out;
  }
  const at::Tensor positive = at::empty_like(out);
  const at::Tensor kept = at::empty({out.size(0), call.options.heads, kRowFloats}, out.options());
  attention(call.kernel, out.data_ptr<float>(), positive.data_ptr<float>(),
            reinterpret_cast<AttentionRow*>(kept.data_ptr<float>()));
  for (const at::Tensor& x :
       {call.messages, call.source, call.target, at::Tensor(out), positive, kept})
    more.push_back(x);
  context->save_for_backward(std::move(more));
  context->saved_data["options"] =
      c10::IValue::make_capsule(c10::make_intrusive<KeptOptions>(call.options));
  keep(context, std::move(structure));
  return out;
}

// Gradients of messages, source and target scores. `saved` are the last six tensors that
// attend_forward() saved.
struct AttentionGradients {
  at::Tensor messages, source, target;

  AttentionGradients(AutogradContext* context, const at::Tensor* saved, const at::Tensor& dy) {
    const NativeSparse& structure = kept<NativeSparse>(context);
    const auto& how =
        static_cast<const KeptOptions&>(*context->saved_data["options"].toCapsule()).options;
    const AttentionCall call(structure, saved[0], saved[1], saved[2], how);
    const at::Tensor g = dy.contiguous();
    messages = at::empty_like(call.messages);
    source = at::empty_like(call.source);
    target = at::empty_like(call.target);
    AttentionBackward back;
    back.transpose = structure.backward_call().matrix;
    back.out = saved[3].const_data_ptr<float>();
    back.positive = saved[4].const_data_ptr<float>();
    back.kept = reinterpret_cast<const AttentionRow*>(saved[5].const_data_ptr<float>());
    back.gradient = g.const_data_ptr<float>();
    back.messages = messages.data_ptr<float>();
    back.source_scores = source.data_ptr<float>();
    back.target_scores = target.data_ptr<float>();
    attention_backward(call.kernel, back);
  }
};

struct Attend : torch::autograd::Function<Attend> {
  static Variable forward(AutogradContext* context, const Variable& messages,
                          const Variable& source, const Variable& target,
                          std::shared_ptr<const NativeSparse> structure,
                          const AttentionOptions& options, bool differentiable) {
    const at::AutoDispatchBelowADInplaceOrView guard;
    const AttentionCall call(*structure, messages.contiguous(), source.contiguous(),
                             target.contiguous(), options);
    return attend_forward(context, call, differentiable, std::move(structure), {});
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const AttentionGradients out(context, saved.data(), gradients[0]);
    return {out.messages, out.source, out.target, Variable(), Variable(), Variable()};
  }
};

AttentionScores scores_call(const at::Tensor& messages, const at::Tensor& source,
                            const at::Tensor& target, int64_t heads, int64_t targets) {
  GS_ASSERT(source.numel() == messages.size(1) && target.numel() == messages.size(1));
  AttentionScores call;
  call.rows = messages.size(0), call.targets = targets;
  call.heads = heads, call.width = messages.size(1) / heads;
  call.messages = messages.const_data_ptr<float>();
  call.source_vector = source.const_data_ptr<float>();
  call.target_vector = target.const_data_ptr<float>();
  return call;
}

Scores make_scores(const AttentionScores& call, const at::TensorOptions& options) {
  Scores out{at::empty({call.rows, call.heads}, options),
             at::empty({call.targets, call.heads}, options)};
  attention_scores(call, out.source.data_ptr<float>(), out.target.data_ptr<float>());
  return out;
}

// The vectors' gradients; the messages' grow in place.
ScoreVectors unmake_scores(const AttentionScores& call, const at::Tensor& source,
                           const at::Tensor& target, at::Tensor& messages) {
  const at::Tensor ds = at::empty({call.columns()}, at::kDouble), dt = at::empty_like(ds);
  attention_scores_backward(call, source.const_data_ptr<float>(), target.const_data_ptr<float>(),
                            messages.data_ptr<float>(), ds.data_ptr<double>(),
                            dt.data_ptr<double>());
  return {ds.to(at::kFloat), dt.to(at::kFloat)};
}

struct ScoresOf : torch::autograd::Function<ScoresOf> {
  static variable_list forward(AutogradContext* context, const Variable& input,
                               const Variable& source, const Variable& target, int64_t heads) {
    const at::AutoDispatchBelowADInplaceOrView guard;
    const at::Tensor messages = input.contiguous(), s = source.contiguous(),
                     t = target.contiguous();
    const Scores out =
        make_scores(scores_call(messages, s, t, heads, messages.size(0)), messages.options());
    context->save_for_backward({messages, s, t});
    context->saved_data["heads"] = heads;
    return {out.source, out.target};
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& messages = saved[0];
    const AttentionScores call = scores_call(
        messages, saved[1], saved[2], context->saved_data["heads"].toInt(), messages.size(0));
    at::Tensor dh = at::zeros_like(messages);
    const ScoreVectors d =
        unmake_scores(call, gradients[0].contiguous(), gradients[1].contiguous(), dh);
    return {dh, d.source, d.target, Variable()};
  }
};

// Scores and attention as one, so that the messages' gradient is made once.
struct AttendByVectors : torch::autograd::Function<AttendByVectors> {
  static Variable forward(AutogradContext* context, const Variable& input, const Variable& source,
                          const Variable& target, std::shared_ptr<const NativeSparse> structure,
                          const AttentionOptions& options, bool differentiable) {
    const at::AutoDispatchBelowADInplaceOrView guard;
    const at::Tensor messages = input.contiguous(), s = source.contiguous(),
                     t = target.contiguous();
    const Scores scores = make_scores(scores_call(messages, s, t, options.heads, structure->rows()),
                                      messages.options());
    const AttentionCall call(*structure, messages, scores.source, scores.target, options);
    return attend_forward(context, call, differentiable, std::move(structure), {s, t});
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    AttentionGradients out(context, saved.data() + 2, gradients[0]);
    const AttentionScores call =
        scores_call(saved[2], saved[0], saved[1], out.source.size(1), out.target.size(0));
    const ScoreVectors d = unmake_scores(call, out.source, out.target, out.messages);
    return {out.messages, d.source, d.target, Variable(), Variable(), Variable()};
  }
};

std::shared_ptr<const NativeSparse> shared(const NativeSparse& structure) {
  return std::static_pointer_cast<const NativeSparse>(structure.shared_from_this());
}

bool wants_gradient(std::initializer_list<at::Tensor> inputs) {
  if (!at::GradMode::is_enabled()) return false;
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const at::Tensor& x) { return x.requires_grad(); });
}

}  // namespace

at::Tensor native_attend(const NativeSparse& structure, const at::Tensor& messages,
                         const Scores& scores, const AttentionOptions& options) {
  const bool differentiable = wants_gradient({messages, scores.source, scores.target});
  GS_ASSERT(!(differentiable && structure.is_slice()));
  return Attend::apply(messages, scores.source, scores.target, shared(structure), options,
                       differentiable);
}

at::Tensor native_attend(const NativeSparse& structure, const at::Tensor& messages,
                         const ScoreVectors& vectors, const AttentionOptions& options) {
  GS_ASSERT(!structure.is_slice());  // whose targets are not the first sources
  const ScoreVectors all = vectors.repeated(messages.size(1));
  const bool differentiable = wants_gradient({messages, all.source, all.target});
  return AttendByVectors::apply(messages, all.source, all.target, shared(structure), options,
                                differentiable);
}

Scores native_scores(const at::Tensor& messages, const ScoreVectors& vectors, int64_t heads) {
  const ScoreVectors all = vectors.repeated(messages.size(1));
  const variable_list out = ScoresOf::apply(messages, all.source, all.target, heads);
  return {out[0], out[1]};
}

}  // namespace gs
