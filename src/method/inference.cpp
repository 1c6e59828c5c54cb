#include "method/inference.h"

#include <ATen/core/grad_mode.h>

#include <functional>

#include "nn/scratch_matrix.h"

namespace gs {

namespace {

constexpr int64_t kBlockRows = 4096;  // fixed, so that results do not depend on the memory there is

class Embedder {
 public:
  Embedder(const GraphSurgeon& model, const Batch& batch, const InferenceOptions& options,
           Progress& progress)
      : model_(model), batch_(batch), place_(model.parameters().place()), progress_(progress) {
    const int64_t widest = std::max(model.options().aug_dim, model.options().dim);
    const int64_t bytes = rows() * widest * static_cast<int64_t>(c10::elementSize(place_.type));
    budget_ = 4 * bytes <= options.memory ? bytes : 0;  // about four such matrices live at once
  }

  at::Tensor run() {
    const bool pre = model_.options().mode == AugmentMode::pre;
    const int64_t passes =
        pre ? 2 * (1 + 2 * model_.encoder().layers()) : 2 * model_.encoder().layers() + 2;
    progress_.start("embedding", passes * rows(), "rows");
    const int64_t width = model_.options().dim;
    Views views{scratch_matrix(rows(), 2 * width, place_, budget_)};
    const at::Tensor encoded = pre ? at::Tensor() : encode(batch_.features, Pass::inference());
    for (const int view : {0, 1}) {
      at::Tensor out = view == 0 ? views.first() : views.second();
      if (pre) {
        at::Tensor augmented = scratch_matrix(rows(), model_.options().aug_dim, place_, budget_);
        head(view, batch_.features, augmented);
        out.copy_(encode(augmented, Pass::inference(view)));
      } else {
        head(view, encoded, out);
      }
    }
    return combine(views, model_.options().combine);
  }

 private:
  int64_t rows() const { return batch_.features.rows(); }

  void fill(at::Tensor& out, const std::function<at::Tensor(int64_t, int64_t)>& block) {
    for (int64_t begin = 0; begin < rows(); begin += kBlockRows) {
      const int64_t end = std::min(rows(), begin + kBlockRows);
      out.slice(0, begin, end).copy_(block(begin, end));
      progress_.advance(end - begin);
    }
  }

  void head(int view, const Input& x, at::Tensor& out) {
    fill(out, [&](int64_t b, int64_t e) { return model_.head(view)(x.slice(b, e)); });
  }

  at::Tensor encode(const Input& features, const Pass& pass) {
    const Encoder& encoder = model_.encoder();
    Input h = features;
    at::Tensor total;
    for (int64_t l = 0; l < encoder.layers(); ++l) {
      at::Tensor messages = scratch_matrix(rows(), encoder.width(), place_, budget_);
      fill(messages, [&](int64_t b, int64_t e) { return encoder.messages(l, h.slice(b, e)); });
      at::Tensor out = scratch_matrix(rows(), encoder.width(), place_, budget_);
      fill(out, [&](int64_t b, int64_t e) {
        return encoder.output(l, batch_.adjacency.layer(l).slice(b, e)->apply(messages),
                              h.slice(b, e), pass);
      });
      h = out;
      // The sum grows in the first layer's matrix, which nobody reads any more once the second is
      // there.
      if (encoder.skip() != Skip::sum || !total.defined()) total = out;
      else total += out;
    }
    return total;
  }

  const GraphSurgeon& model_;
  const Batch& batch_;
  Place place_;
  Progress& progress_;
  int64_t budget_;  // bytes of the largest matrix to keep in RAM
};

}  // namespace

at::Tensor embed(const GraphSurgeon& model, const Batch& batch, const InferenceOptions& options,
                 Progress& progress) {
  const at::NoGradGuard no_gradient;
  return Embedder(model, batch, options, progress).run();
}

}  // namespace gs
