#include "nn/norm.h"

#include "base/error.h"

namespace gs {

namespace {

struct Scale {
  at::Tensor gain, shift;  // [width]

  Scale(Parameters& store, const std::string& name, int64_t width)
      : gain(store.constant(name + ".weight", {width}, 1)),
        shift(store.constant(name + ".bias", {width}, 0)) {}
};

class LayerNorm final : public NormLayer {
 public:
  LayerNorm(Parameters& store, const std::string& name, int64_t width)
      : scale_(store, name, width) {}

  at::Tensor operator()(const at::Tensor& x, const Pass& /*pass*/) const override {
    const int64_t width = scale_.gain.size(0);
    return at::layer_norm(x.reshape({-1, width}), {width}, scale_.gain, scale_.shift)
        .view(x.sizes());
  }

 private:
  Scale scale_;
};

class BatchNorm final : public NormLayer {
 public:
  BatchNorm(Parameters& store, const std::string& name, int64_t width, int64_t views)
      : scale_(store, name, width),
        mean_(store.buffer(name + ".running_mean", {views, width}, 0)),
        variance_(store.buffer(name + ".running_var", {views, width}, 1)) {}

  at::Tensor operator()(const at::Tensor& x, const Pass& pass) const override {
    const int64_t width = scale_.gain.size(0);
    // A single row has no variance: its batch uses the running statistics.
    const bool training = pass.training && x.size(0) > 1;
    std::vector<at::Tensor> views;
    views.reserve(static_cast<size_t>(pass.views));
    for (int v = 0; v < pass.views; ++v)
      views.push_back(at::batch_norm(x.slice(1, v * width, (v + 1) * width).contiguous(),
                                     scale_.gain, scale_.shift, mean_[pass.view + v],
                                     variance_[pass.view + v], training, 0.1, 1e-5, false));
    return views.size() == 1 ? views[0] : at::cat(views, 1);
  }

 private:
  Scale scale_;
  at::Tensor mean_, variance_;  // running, [views, width]
};

}  // namespace

std::unique_ptr<const NormLayer> make_norm(NormKind kind, Parameters& store,
                                           const std::string& name, int64_t width, int64_t views) {
  switch (kind) {
    case NormKind::none:
      return nullptr;
    case NormKind::layer:
      return std::make_unique<const LayerNorm>(store, name, width);
    case NormKind::batch:
      return std::make_unique<const BatchNorm>(store, name, width, views);
  }
  GS_ASSERT(!"norm");
}

}  // namespace gs
