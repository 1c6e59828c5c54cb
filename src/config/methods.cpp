#include "config/methods.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace gs {

namespace {

using enum LoaderKind;
using enum MethodGroup;
const std::vector<LoaderKind> kAnyLoader{full, neighbor, cluster, saint};
// Where all layers share one graph.
const std::vector<LoaderKind> kSubgraphs{full, cluster, saint};
const std::vector<LoaderKind> kWhole{full};

constexpr std::string_view kBootstrap =
    R"({"epochs": 300, "lr": 0.001, "dim": 256, "hidden": 512, "layers": 2, "skip": "none",
        "norm": "batch", "dropout": 0, "edge-drop": 0.4, "edge-drop-2": 0.1,
        "feature-mask": 0.1, "feature-mask-2": 0.2})";
constexpr std::string_view kContrast =
    R"({"epochs": 100, "lr": 0.001, "dim": 256, "hidden": 256, "layers": 2, "skip": "none",
        "dropout": 0, "temperature": 0.4,
        "projection-dim": 128, "weight-decay": 1e-5, "edge-drop": 0.3, "edge-drop-2": 0.4,
        "feature-mask": 0.1, "feature-mask-2": 0.1})";

const MethodInfo kMethods[] = {
    {"graphsurgeon", MethodGroup::ours,
     "two learned augmentation heads and one encoder, under a Laplacian-Eigenmaps loss", kAnyLoader,
     "{}"},
    {"gcn", supervised, "graph convolutions that learn from labels (Kipf and Welling 2017)",
     kAnyLoader,
     R"({"layers": 2, "skip": "none", "hidden": 64, "dropout": 0.5, "lr": 0.01,
         "weight-decay": 5e-4, "epochs": 200, "select-every": 2, "checkpoint-every": 100})"},
    {"graphsage", supervised,
     "means of neighbours beside the node's own features, learning from labels (Hamilton et al. "
     "2017)",
     kAnyLoader,
     R"({"encoder": "sage", "layers": 2, "skip": "none", "hidden": 64, "dropout": 0.5, "lr": 0.01,
         "weight-decay": 5e-4, "epochs": 200, "select-every": 2, "checkpoint-every": 100})"},
    {"gat",
     supervised,
     "attention over neighbours that learns from labels (Velickovic et al. 2018)",
     {full, neighbor, cluster},
     R"({"encoder": "gat", "layers": 2, "skip": "none", "hidden": 64, "heads": 8, "dropout": 0.6,
         "attention-dropout": 0.6,
         "lr": 0.005, "weight-decay": 5e-4, "epochs": 200, "select-every": 2,
         "checkpoint-every": 100})"},
    {"clustergcn",
     supervised,
     "means of neighbours within parts of a partition, learning from labels (Chiang et al. 2019)",
     {cluster},
     R"({"loader": "cluster", "encoder": "sage", "layers": 2, "skip": "none", "hidden": 128,
         "dropout": 0.2, "lr": 0.01, "epochs": 50, "select-every": 2, "checkpoint-every": 100})"},
    {"graphsaint",
     supervised,
     "graph convolutions on random subgraphs, learning from labels (Zeng et al. 2020)",
     {saint},
     R"({"loader": "saint", "layers": 2, "skip": "none", "hidden": 128, "dropout": 0.2,
         "lr": 0.01, "epochs": 50,
         "select-every": 2, "checkpoint-every": 100})"},
    {"pprgo",
     supervised,
     "an MLP whose predictions personalised PageRank adds up, learning from labels (Bojchevski et "
     "al. 2020)",
     {full},
     R"({"encoder": "sage", "alpha": 0.25, "epsilon": 1e-4, "top-k": 32, "hidden": 64, "layers": 2,
         "skip": "none", "dropout": 0.1, "lr": 0.005, "weight-decay": 1e-4, "epochs": 200, "select-every": 5,
         "checkpoint-every": 100})"},
    {"dgi", MethodGroup::self_supervised,
     "Deep Graph Infomax: nodes against a summary of the graph, told from shuffled ones",
     kAnyLoader,
     R"({"epochs": 200, "lr": 0.001, "dim": 512, "layers": 1, "skip": "none", "dropout": 0})"},
    {"mvgrl", MethodGroup::self_supervised,
     "the graph and its PageRank diffusion, nodes of one against the summary of the other",
     kSubgraphs,
     R"({"epochs": 200, "lr": 0.001, "dim": 512, "layers": 1, "skip": "none", "dropout": 0,
         "alpha": 0.2, "epsilon": 1e-4, "top-k": 64})"},
    {"gca", MethodGroup::self_supervised,
     "InfoNCE between two views whose drops spare what is central", kAnyLoader, kContrast},
    {"grace", MethodGroup::self_supervised, "InfoNCE between two views with uniform drops",
     kAnyLoader, kContrast},
    {"bgrl", MethodGroup::self_supervised,
     "an online encoder predicts what its slow copy makes of the other view", kAnyLoader,
     kBootstrap},
    {"selfgnn", MethodGroup::self_supervised, "another name of bgrl", kAnyLoader, kBootstrap, true},
    {"cca-ssg", MethodGroup::self_supervised,
     "views agree, and dimensions are decorrelated by their K x K Gram matrix", kAnyLoader,
     R"({"epochs": 50, "lr": 0.001, "dim": 512, "layers": 2, "skip": "none", "dropout": 0,
         "edge-drop": 0.2,
         "edge-drop-2": 0.2, "feature-mask": 0.2, "feature-mask-2": 0.2,
         "decorrelation": 0.001})"},
    {"raw", MethodGroup::reference, "the features as they are", kWhole, R"({"epochs": 0})"},
    {"smoothed", MethodGroup::reference, "the features after two hops of aggregation", kWhole,
     R"({"epochs": 0})"},
    {"untrained", MethodGroup::reference, "graphsurgeon's encoder with random weights", kWhole,
     R"({"epochs": 0})"},
};

}  // namespace

bool MethodInfo::works_with(LoaderKind loader) const {
  return loader == automatic || std::find(loaders.begin(), loaders.end(), loader) != loaders.end();
}

std::span<const MethodInfo> methods() { return kMethods; }

const MethodInfo& method_info(std::string_view name) {
  std::vector<std::string> known;
  for (const MethodInfo& info : kMethods) {
    if (info.name == name) return info;
    known.emplace_back(info.name);
  }
  fail_unknown("method", std::string(name), known, "--method");
}

}  // namespace gs
