// Graph attention (Velickovic et al. 2018), as PyG's GATConv with heads side by side:
//   out_i = sum_j softmax_j(leaky(<h_i, target> + <h_j, source>)) h_j + b,   h = X W',
// over the sources j of i and i itself (nn/ops/attention.h). Values of the adjacency do not count.
#include "base/error.h"
#include "nn/conv/make.h"
#include "nn/ops/attention.h"

namespace gs {

class GatConv final : public Conv {
 public:
  explicit GatConv(const ConvSetting& s)
      : Conv(s, {s.store.uniform(s.name + ".lin.weight", {s.outputs, s.inputs},
                                 glorot_bound(s.inputs, s.outputs)),
                 s.store.constant(s.name + ".bias", {s.outputs}, 0)}),
        layer_(s.layer),
        heads_(s.heads),
        dropout_(s.attention_dropout) {
    GS_ASSERT(s.outputs % s.heads == 0);
    vectors_.source = vector(s, ".att_src");
    vectors_.target = vector(s, ".att_dst");
  }

  at::Tensor aggregate(const SparseOperator& adjacency, const at::Tensor& messages,
                       const Pass& pass) const override {
    return attend(adjacency, messages, vectors_, options(pass));
  }

  RowBlock aggregate_rows(const SparseOperator& adjacency,
                          const at::Tensor& messages) const override {
    const Scores scores = scores_of(adjacency, messages, vectors_, heads_);
    const AttentionOptions how = options(Pass::inference());
    return [&adjacency, messages, scores, how](int64_t begin, int64_t end) {
      const Scores own{scores.source, scores.target.slice(0, begin, end)};
      return attend(*adjacency.slice(begin, end), messages, own, how);
    };
  }

  at::Tensor output(const at::Tensor& aggregated, const Input& /*x*/,
                    const Pass& pass) const override {
    return plus_bias(aggregated, pass.views);
  }

  bool linear() const override { return false; }

 private:
  static at::Tensor vector(const ConvSetting& s, const char* end) {
    const int64_t width = s.outputs / s.heads;
    return s.store.uniform(s.name + end, {1, s.heads, width}, glorot_bound(s.heads, width));
  }

  AttentionOptions options(const Pass& pass) const {
    AttentionOptions out;
    out.heads = heads_ * pass.views;
    out.dropout = pass.dropout(dropout_, "attention", layer_);
    return out;
  }

  ScoreVectors vectors_;  // [1, heads, width of a head]
  int64_t layer_, heads_;
  double dropout_;
};

template std::unique_ptr<const Conv> make_conv<GatConv>(const ConvSetting&);

}  // namespace gs
