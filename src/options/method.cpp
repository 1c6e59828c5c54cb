#include "options/method.h"

#include "options/methods.h"

namespace gs {

void MethodOptions::describe(OptionList& v) {
  const auto share = [&](const char* name, double& field, const char* help) {
    return v(name, field, help).at_least(0).at_most(0.99);
  };
  v.group("Method");
  v("method", method,
    "method to train or solve; `train` without it and without an option of training is spectral")
      .one_of(method_choices());
  v("hidden", hidden, "width of a baseline's hidden layers; 0 uses --dim").at_least(0);
  v("heads", heads, "attention heads (gat)").at_least(1).at_most(64);
  share("attention-dropout", attention_dropout, "dropout rate of the attention weights (gat)");
  share("edge-drop", edge_drop, "share of edges dropped from the first view").tune(0, 0.7);
  share("edge-drop-2", edge_drop_2, "share of edges dropped from the second view").tune(0, 0.7);
  share("feature-mask", feature_mask, "share of features masked in the first view").tune(0, 0.5);
  share("feature-mask-2", feature_mask_2, "share of features masked in the second view")
      .tune(0, 0.5);
  v("centrality", centrality, "node centrality that decides what is dropped (gca)");
  v("temperature", temperature, "InfoNCE temperature (gca, grace)")
      .at_least(0.001)
      .tune_log(0.1, 1);
  v("projection-dim", projection_dim, "width of the projection head (gca, grace); 0 uses --dim")
      .at_least(0);
  v("anchors", anchors, "nodes contrasted per step on graphs of more than 8192 (gca, grace)")
      .at_least(1);
  v("momentum", momentum, "initial momentum of the target encoder (bgrl)").at_least(0).at_most(1);
  v("predictor-dim", predictor_dim, "hidden width of the predictor (bgrl)").at_least(1);
  v("alpha", alpha, "teleport probability of personalized PageRank (pprgo, mvgrl)")
      .at_least(0.001)
      .at_most(1);
  v("epsilon", epsilon, "accuracy of personalized PageRank (pprgo, mvgrl)").at_least(1e-9);
  v("top-k", top_k, "largest PageRank entries kept per node (pprgo, mvgrl)").at_least(1);
  v("decorrelation", decorrelation, "weight of the decorrelation term (cca-ssg)")
      .at_least(0)
      .tune_log(1e-4, 1e-2);
}

}  // namespace gs
