// The table of the methods: one row each. To add a method, write method/NAME.{h,cpp} and its row
// here. Long because it is the whole table, read as one.
#pragma once

#include "options/methods.h"

namespace gs {

class GraphSurgeon;
class Classifier;
class PprGo;
class Dgi;
class Mvgrl;
class Gca;
class Bgrl;
class CcaSsg;
class Raw;
class Spectral;
class Smoothed;

// A baseline's encoder: a fixed depth without skip connections.
inline void baseline(RunOptions& o, int64_t layers, double dropout, double lr, int64_t epochs) {
  o.model.layers = layers;
  o.model.skip = Skip::none;
  o.model.dropout = dropout;
  o.train.lr = lr;
  o.train.epochs = epochs;
}

// A classifier, which is scored on the validation nodes while it trains.
inline void classifier(RunOptions& o, int64_t hidden, double dropout, double lr,
                       double weight_decay, int64_t epochs) {
  baseline(o, 2, dropout, lr, epochs);
  o.method.hidden = hidden;
  o.train.weight_decay = weight_decay;
  o.train.select_every = 2;
  o.train.checkpoint_every = 100;
}

inline void contrast(RunOptions& o) {
  baseline(o, 2, 0, 0.001, 100);
  o.model.dim = o.method.hidden = 256;
  o.method.temperature = 0.4;
  o.method.projection_dim = 128;
  o.train.weight_decay = 1e-5;
  o.method.edge_drop = 0.3, o.method.edge_drop_2 = 0.4;
  o.method.feature_mask = o.method.feature_mask_2 = 0.1;
}

inline void bootstrap(RunOptions& o) {
  baseline(o, 2, 0, 0.001, 300);
  o.model.dim = 256;
  o.method.hidden = 512;
  o.model.norm = NormKind::batch;
  o.method.edge_drop = 0.4, o.method.edge_drop_2 = 0.1;
  o.method.feature_mask = 0.1, o.method.feature_mask_2 = 0.2;
}

inline void untrained(RunOptions& o) { o.train.epochs = 0; }

inline void spectral(RunOptions& o) {
  untrained(o);
  o.model.dim = 260;
}

// Leading singular vectors, times singular values, of features diffused by PageRank.
inline void diffused(RunOptions& o) {
  untrained(o);
  o.model.dim = 256;
  o.spectral.filters = "pagerank:0.15";
  o.spectral.transform = Transform::none;
  o.spectral.center = false;
  o.spectral.denoise = false;
  o.spectral.magnitudes = 0;
}

template <class Visit>
void for_each_method(Visit&& visit) {
  using enum MethodGroup;
  visit(MethodRow<GraphSurgeon>{
      {"graphsurgeon", ours,
       "two learned augmentation heads and one encoder, under a Laplacian-Eigenmaps loss"}});
  visit(MethodRow<Spectral>{{.name = "spectral",
                             .group = ours,
                             .about = "leading singular directions of the features after several "
                                      "graph filters; solved, not trained",
                             .loaders = {.only = kFullBatch},
                             .defaults = spectral,
                             .solved = true}});
  visit(MethodRow<Classifier>{{"gcn",
                               supervised,
                               "graph convolutions trained on labels (Kipf and Welling 2017)",
                               {},
                               [](RunOptions& o) { classifier(o, 64, 0.5, 0.01, 5e-4, 200); }}});
  visit(MethodRow<Classifier>{
      {"graphsage",
       supervised,
       "mean of the neighbors beside the node's own features, trained on labels (Hamilton et al. "
       "2017)",
       {},
       [](RunOptions& o) {
         classifier(o, 64, 0.5, 0.01, 5e-4, 200);
         o.model.encoder = "sage";
       }}});
  visit(MethodRow<Classifier>{
      {"gat",
       supervised,
       "attention over the neighbors, trained on labels (Velickovic et al. 2018)",
       {.reweighted = false},
       [](RunOptions& o) {
         classifier(o, 64, 0.6, 0.005, 5e-4, 200);
         o.model.encoder = "gat";
         o.method.heads = 8;
         o.method.attention_dropout = 0.6;
       }}});
  visit(MethodRow<Classifier>{
      {"clustergcn",
       supervised,
       "mean of the neighbors within parts of a partition, trained on labels (Chiang et al. 2019)",
       {.only = "cluster"},
       [](RunOptions& o) {
         classifier(o, 128, 0.2, 0.01, 0, 50);
         o.loader.loader = "cluster";
         o.model.encoder = "sage";
       }}});
  visit(MethodRow<Classifier>{
      {"graphsaint",
       supervised,
       "graph convolutions on random subgraphs, trained on labels (Zeng et al. 2020)",
       {.only = "saint"},
       [](RunOptions& o) {
         classifier(o, 128, 0.2, 0.01, 0, 50);
         o.loader.loader = "saint";
       }}});
  visit(MethodRow<PprGo>{
      {"pprgo",
       supervised,
       "an MLP whose predictions are summed by personalized PageRank, trained on labels "
       "(Bojchevski et al. 2020)",
       {.only = kFullBatch},
       [](RunOptions& o) {
         classifier(o, 64, 0.1, 0.005, 1e-4, 200);
         o.train.select_every = 5;
         o.model.encoder = "sage";
         o.method.alpha = 0.25, o.method.epsilon = 1e-4, o.method.top_k = 32;
       }}});
  visit(MethodRow<Dgi>{{"dgi",
                        self_supervised,
                        "Deep Graph Infomax: nodes against a summary of the graph, with shuffled "
                        "features as negatives",
                        {},
                        [](RunOptions& o) {
                          baseline(o, 1, 0, 0.001, 200);
                          o.model.dim = 512;
                        }}});
  visit(MethodRow<Mvgrl>{
      {"mvgrl",
       self_supervised,
       "the graph and its PageRank diffusion, the nodes of one against the summary of the other",
       {.layered = false},
       [](RunOptions& o) {
         baseline(o, 1, 0, 0.001, 200);
         o.model.dim = 512;
         o.method.alpha = 0.2, o.method.epsilon = 1e-4, o.method.top_k = 64;
       }}});
  visit(MethodRow<Gca>{{"gca",
                        self_supervised,
                        "InfoNCE between two views with drops by centrality",
                        {},
                        contrast}});
  visit(MethodRow<Gca>{
      {"grace", self_supervised, "InfoNCE between two views with uniform drops", {}, contrast}});
  visit(MethodRow<Bgrl>{{"bgrl",
                         self_supervised,
                         "an online encoder predicts its slow copy's output on the other view",
                         {},
                         bootstrap}});
  visit(MethodRow<Bgrl>{{"selfgnn", self_supervised, "another name of bgrl", {}, bootstrap, true}});
  visit(MethodRow<CcaSsg>{
      {"cca-ssg",
       self_supervised,
       "agreement of two views, with columns decorrelated through the K x K Gram matrix",
       {},
       [](RunOptions& o) {
         baseline(o, 2, 0, 0.001, 50);
         o.model.dim = 512;
         o.method.edge_drop = o.method.edge_drop_2 = 0.2;
         o.method.feature_mask = o.method.feature_mask_2 = 0.2;
         o.method.decorrelation = 0.001;
       }}});
  visit(MethodRow<Raw>{
      {"raw", reference, "the features as they are", {.only = kFullBatch}, untrained}});
  visit(MethodRow<Smoothed>{{"smoothed",
                             reference,
                             "the features after two hops of aggregation",
                             {.only = kFullBatch},
                             untrained}});
  visit(MethodRow<Spectral>{{.name = "diffused",
                             .group = reference,
                             .about = "singular vectors of the features diffused by PageRank",
                             .loaders = {.only = kFullBatch},
                             .defaults = diffused,
                             .solved = true}});
  visit(MethodRow<GraphSurgeon>{{"untrained",
                                 reference,
                                 "graphsurgeon's encoder with random weights",
                                 {.only = kFullBatch},
                                 untrained}});
}

}  // namespace gs
