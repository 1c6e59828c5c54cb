#include "nn/inference.h"

#include "nn/scratch_matrix.h"

namespace gs {

namespace {

// Fixed, so that results do not depend on how much memory there is.
constexpr int64_t kInferenceRows = 4096;

}  // namespace

LayerWise::LayerWise(const Batch& whole, const Device& device, int64_t widest, int64_t passes,
                     const InferenceOptions& options, Progress& progress)
    : batch_(whole), device_(device), progress_(progress) {
  const int64_t bytes = rows() * widest * static_cast<int64_t>(c10::elementSize(device_.dtype));
  budget_ = 4 * bytes <= options.memory ? bytes : 0;  // about four such matrices live at once
  progress_.start("embedding", passes * rows(), "rows");
}

at::Tensor LayerWise::matrix(int64_t width) const {
  return scratch_matrix(rows(), width, device_, budget_);
}

void LayerWise::fill(at::Tensor& out, const std::function<at::Tensor(int64_t, int64_t)>& block) {
  for (int64_t begin = 0; begin < rows(); begin += kInferenceRows) {
    const int64_t end = std::min(rows(), begin + kInferenceRows);
    out.slice(0, begin, end).copy_(block(begin, end));
    progress_.advance(end - begin);
  }
}

at::Tensor LayerWise::encode(const Encoder& encoder, const Input& x, const Pass& pass) {
  return encode(encoder, x, batch_.adjacency, pass);
}

at::Tensor LayerWise::encode(const Encoder& encoder, const Input& x, const Adjacency& adjacency,
                             const Pass& pass) {
  Input h = x;
  at::Tensor total;
  for (int64_t l = 0; l < encoder.layers(); ++l) {
    at::Tensor messages = matrix(encoder.width(l));
    fill(messages, [&](int64_t b, int64_t e) { return encoder.conv(l).messages(h.slice(b, e)); });
    at::Tensor out = matrix(encoder.width(l));
    const RowBlock aggregated = encoder.conv(l).aggregate_rows(adjacency.layer(l), messages);
    fill(out, [&](int64_t b, int64_t e) {
      return encoder.output(l, aggregated(b, e), h.slice(b, e), pass);
    });
    h = out;
    // The sum grows in the first layer's matrix, which nobody reads any more once the second is
    // there.
    if (encoder.shape().skip != Skip::sum || !total.defined()) total = out;
    else total += out;
  }
  return total;
}

}  // namespace gs
