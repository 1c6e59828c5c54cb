#include <cmath>

#include "base/text.h"
#include "config/calls.h"
#include "config/loader_options.h"
#include "config/loss_options.h"
#include "config/method_options.h"
#include "config/model_options.h"
#include "config/probe_options.h"
#include "config/train_options.h"

namespace gs {

std::span<const Named<AugmentMode>> names_of(AugmentMode) {
  static constexpr Named<AugmentMode> kTable[] = {
      {"pre", AugmentMode::pre, "augment the features, then encode both views"},
      {"post", AugmentMode::post, "encode once, then augment the encoding"}};
  return kTable;
}

std::span<const Named<Combine>> names_of(Combine) {
  static constexpr Named<Combine> kTable[] = {
      {"concat", Combine::concat, "both views side by side"},
      {"mean", Combine::mean, ""},
      {"sum", Combine::sum, ""},
      {"first", Combine::first, "the first view alone"}};
  return kTable;
}

std::span<const Named<Convolution>> names_of(Convolution) {
  static constexpr Named<Convolution> kTable[] = {
      {"gcn", Convolution::gcn, "symmetric normalisation"},
      {"sage", Convolution::sage, "mean of neighbours and a root weight"},
      {"gat", Convolution::gat, "attention"}};
  return kTable;
}

std::span<const Named<NormKind>> names_of(NormKind) {
  static constexpr Named<NormKind> kTable[] = {
      {"none", NormKind::none, ""}, {"batch", NormKind::batch, ""}, {"layer", NormKind::layer, ""}};
  return kTable;
}

std::span<const Named<Skip>> names_of(Skip) {
  static constexpr Named<Skip> kTable[] = {
      {"auto", Skip::automatic,
       "linear where neighbours' features are no more alike than strangers', else sum"},
      {"sum", Skip::sum, "sum of all layers' outputs"},
      {"linear", Skip::linear, "a learned linear map around each layer"},
      {"none", Skip::none, ""}};
  return kTable;
}

std::span<const Named<Constraint>> names_of(Constraint) {
  static constexpr Named<Constraint> kTable[] = {
      {"columns", Constraint::columns, "|Z'Z - I|"},
      {"rows", Constraint::rows, "|ZZ' - I|, without the N x N matrix"},
      {"scaled", Constraint::scaled, "|(K/N) Z'Z - I|^2"},
      {"naive", Constraint::naive, "|ZZ' - I| through the N x N matrix"}};
  return kTable;
}

std::span<const Named<Select>> names_of(Select) {
  static constexpr Named<Select> kTable[] = {
      {"last", Select::last, "the last epoch; no label is read"},
      {"val", Select::val, "the epoch that probes best on validation nodes"}};
  return kTable;
}

std::span<const Named<Kernels>> names_of(Kernels) {
  static constexpr Named<Kernels> kTable[] = {
      {"native", Kernels::native, "our own, on the CPU; plain libtorch elsewhere"},
      {"torch", Kernels::torch, "plain libtorch operations"}};
  return kTable;
}

std::span<const Named<Solver>> names_of(Solver) {
  static constexpr Named<Solver> kTable[] = {{"adam", Solver::adam, ""},
                                             {"lbfgs", Solver::lbfgs, ""}};
  return kTable;
}

std::span<const Named<EvalTask>> names_of(EvalTask) {
  static constexpr Named<EvalTask> kTable[] = {
      {"classification", EvalTask::classification, "a linear probe of the labels"},
      {"clustering", EvalTask::clustering, "k-means against the labels"},
      {"links", EvalTask::links, "edges that were held out of the training"}};
  return kTable;
}

std::span<const Named<LoaderKind>> names_of(LoaderKind) {
  static constexpr Named<LoaderKind> kTable[] = {
      {"auto", LoaderKind::automatic, "full where it fits into memory, else neighbor"},
      {"full", LoaderKind::full, "the whole graph in every step"},
      {"neighbor", LoaderKind::neighbor, "some seeds and a sample of their neighbourhoods"},
      {"cluster", LoaderKind::cluster, "some parts of a partition with few edges between parts"},
      {"saint", LoaderKind::saint, "random subgraphs, with weights that make up for the choice"}};
  return kTable;
}

std::span<const Named<NeighborSampling>> names_of(NeighborSampling) {
  static constexpr Named<NeighborSampling> kTable[] = {
      {"uniform", NeighborSampling::uniform, "every neighbour alike"},
      {"weight", NeighborSampling::weight, "heavy edges rather than light ones"}};
  return kTable;
}

std::span<const Named<SaintSampler>> names_of(SaintSampler) {
  static constexpr Named<SaintSampler> kTable[] = {
      {"walk", SaintSampler::walk, "nodes on random walks from random roots"},
      {"node", SaintSampler::node, "nodes by the squared norm of their adjacency column"},
      {"edge", SaintSampler::edge, "ends of edges, by the inverse degrees of both"}};
  return kTable;
}

std::span<const Named<GammaScale>> names_of(GammaScale) {
  static constexpr Named<GammaScale> kTable[] = {
      {"auto", GammaScale::automatic, "gamma times N / B where the constraint depends on rows"},
      {"none", GammaScale::none, "gamma as it is"}};
  return kTable;
}

std::span<const Named<Centrality>> names_of(Centrality) {
  static constexpr Named<Centrality> kTable[] = {{"degree", Centrality::degree, ""},
                                                 {"pagerank", Centrality::pagerank, ""},
                                                 {"eigenvector", Centrality::eigenvector, ""}};
  return kTable;
}

void MethodOptions::describe(OptionList& v) {
  v.group("Method");
  v("method", method,
    "what learns: graphsurgeon, or a baseline to compare with; an unknown name lists them");
  v("hidden", hidden, "width of a baseline's hidden layers; 0: as --dim").at_least(0);
  v("heads", heads, "attention heads (gat)").at_least(1).at_most(64);
  v("attention-dropout", attention_dropout, "share of attention weights dropped (gat)")
      .at_least(0)
      .at_most(0.99);
  v("edge-drop", edge_drop, "share of edges dropped from the first view")
      .at_least(0)
      .at_most(0.99)
      .tune(0, 0.7);
  v("edge-drop-2", edge_drop_2, "share of edges dropped from the second view")
      .at_least(0)
      .at_most(0.99)
      .tune(0, 0.7);
  v("feature-mask", feature_mask, "share of features masked in the first view")
      .at_least(0)
      .at_most(0.99)
      .tune(0, 0.5);
  v("feature-mask-2", feature_mask_2, "share of features masked in the second view")
      .at_least(0)
      .at_most(0.99)
      .tune(0, 0.5);
  v("centrality", centrality, "what tells important nodes from others (gca)");
  v("temperature", temperature, "of the contrast (gca, grace)").at_least(0.001).tune_log(0.1, 1);
  v("projection-dim", projection_dim, "width of the projection head (gca, grace); 0: as --dim")
      .at_least(0);
  v("anchors", anchors, "nodes contrasted in a step of a graph of more than 8192 (gca, grace)")
      .at_least(1);
  v("momentum", momentum, "of the target encoder at the start (bgrl)").at_least(0).at_most(1);
  v("predictor-dim", predictor_dim, "hidden width of the predictor (bgrl)").at_least(1);
  v("alpha", alpha, "teleport probability of personalised PageRank (pprgo, mvgrl)")
      .at_least(0.001)
      .at_most(1);
  v("epsilon", epsilon, "accuracy of personalised PageRank (pprgo, mvgrl)").at_least(1e-9);
  v("top-k", top_k, "largest PageRank entries kept a node (pprgo, mvgrl)").at_least(1);
  v("decorrelation", decorrelation, "weight of the decorrelation term (cca-ssg)")
      .at_least(0)
      .tune_log(1e-4, 1e-2);
}

void ModelOptions::describe(OptionList& v) {
  v.group("Model");
  v("mode", mode, "augment before (pre) or behind (post) the encoder");
  v("aug-dim", aug_dim, "width D of the augmented features").at_least(1).tune_log(64, 512);
  v("dim", dim, "width K of an embedding; two views side by side are 2K").at_least(1);
  v("encoder", encoder, "graph convolution of the encoder");
  v("layers", layers,
    "encoder layers; 0: by the data, 1, or 2 where a node has few features or noisy ones")
      .at_least(0)
      .at_most(64)
      .tune(1, 4);
  v("head-layers", head_layers, "layers of an augmentation head; 1 is linear")
      .at_least(1)
      .at_most(16);
  v("norm", norm, "normalisation behind each convolution");
  v("skip", skip, "how layer outputs are joined");
  v("dropout", dropout, "share of values dropped behind heads and encoder layers")
      .at_least(0)
      .at_most(0.99)
      .tune(0, 0.85);
  v("combine", combine, "how the two views make one embedding");
  v("asymmetric", asymmetric,
    "prediction head on the left network and batch norm in the encoder (the paper's ablation)");
}

void LossOptions::describe(OptionList& v) {
  v.group("Loss");
  v("similarity-weight", similarity_weight,
    "factor of the mean squared distance of the views: a number, sum (N) or element (1/K)");
  v("constraint", constraint, "what keeps embeddings from collapsing");
  v("gamma", gamma, "weight of the constraint").at_least(0).tune_log(1e-4, 1000);
}

double LossOptions::similarity_factor(int64_t rows, int64_t width) const {
  if (similarity_weight == "sum") return static_cast<double>(rows);
  if (similarity_weight == "element") return 1.0 / static_cast<double>(width);
  const auto value = parse_number(similarity_weight);
  if (!value || !std::isfinite(*value) || *value < 0)
    fail_usage("--similarity-weight",
               fmt::format("'{}' is neither a number nor 'sum' nor 'element'",
                           printable(similarity_weight)),
               "the authors' code uses 1000");
  return *value;
}

void TrainOptions::describe(OptionList& v) {
  v.group("Training");
  v("epochs", epochs, "passes over the graph").at_least(0);
  v("lr", lr, "learning rate of Adam").at_least(0).tune_log(1e-4, 1e-1);
  v("weight-decay", weight_decay, "L2 penalty added to the gradients").at_least(0);
  v("clip", clip, "scale gradients down to this norm; 0 leaves them").at_least(0);
  v("select", select, "which epoch's model is kept");
  v("select-every", select_every, "epochs between probes with --select val").at_least(1);
  v("checkpoint-every", checkpoint_every, "epochs between checkpoints; 0 only at the end")
      .at_least(0);
  v("rank-every", rank_every,
    "epochs between looks at the embeddings' effective rank, which tells of a collapse")
      .at_least(1);
  v("splits", splits, "auto, own, random:5/15/80, per-class:20 or public:k");
  v("runs", runs, "random splits to use").at_least(1).at_most(1000);
  v("seed", seed, "seed of weights, masks and splits").at_least(0);
  v("kernels", kernels, "which implementation computes");
  v("device", device, "cpu, cuda or cuda:N");
}

void LoaderOptions::describe(OptionList& v) {
  v.group("Batches");
  v("loader", loader, "how batches are made");
  v("seeds", seeds,
    "nodes that the loss is on: all, train (of the training split), or a file with an id a line or "
    "an .npy of node numbers (neighbor, cluster, saint)");
  v("batch-size", batch_size, "seeds of a batch (neighbor)").at_least(1);
  v("fanouts", fanouts,
    "neighbours kept at each hop from the seeds; -1 keeps all, the last value repeats (neighbor)")
      .at_least(-1);
  v("neighbor-sampling", neighbor_sampling, "which neighbours are kept (neighbor)");
  v("parts", parts, "parts of the partition; 0 makes them of about 1000 nodes (cluster)")
      .at_least(0);
  v("parts-per-batch", parts_per_batch, "parts of a batch (cluster)").at_least(1);
  v("saint-sampler", saint_sampler, "how the nodes of a subgraph are drawn (saint)");
  v("roots", roots, "draws of a subgraph: roots of walks, nodes or edges (saint)").at_least(1);
  v("walk-length", walk_length, "steps of a walk (saint)").at_least(0);
  v("coverage", coverage,
    "times that a node is drawn, on average, to estimate its probability (saint)")
      .at_least(1);
  v("subgraphs", subgraphs, "subgraphs of a batch (saint)").at_least(1);
  v("steps", steps, "batches of an epoch; 0: as many as see about every node (saint)").at_least(0);
  v("workers", workers, "threads that make batches; 0: the training thread does").at_least(0);
  v("prefetch", prefetch, "batches made ahead").at_least(1);
  v("gamma-scale", gamma_scale, "gamma of a batch of B rows");
  v("memory", memory,
    "MiB that the run may take; 0: four fifths of what is free. A run that needs more is refused")
      .at_least(0);
}

std::vector<int64_t> LoaderOptions::fanouts_of(int64_t layers) const {
  const auto fail = [&](std::string message) {
    fail_usage("--fanouts", std::move(message), "as in --fanouts 10,10; -1 keeps all neighbours");
  };
  if (fanouts.empty()) fail("needs at least one value");
  for (const int64_t fanout : fanouts)
    if (fanout == 0 || fanout < -1) fail(fmt::format("{} keeps no neighbour", fanout));
  std::vector<int64_t> out = fanouts;
  out.resize(static_cast<size_t>(layers), fanouts.back());
  return out;
}

void ProbeOptions::describe(OptionList& v) {
  v.group("Linear protocol");
  v("splits", splits, "auto, own, random:5/15/80, per-class:20 or public:k");
  v("runs", runs, "random splits to use; of a clustering, how often it is done")
      .at_least(1)
      .at_most(1000);
  v("solver", solver, "optimiser of the logistic regression");
  v("probe-epochs", probe_epochs, "steps of the probe, in place of the protocol's").at_least(1);
  v("probe-lr", probe_lr, "learning rate of the probe").at_least(0);
  v("probe-every", probe_every, "steps between scores").at_least(1);
  v("split-seed", split_seed, "seed of random splits, and of clusterings").at_least(0);
  v("reference", reference, "also score raw, smoothed and untrained features");
}

}  // namespace gs
