#include "study/ablation_experiments.h"

#include <algorithm>
#include <cmath>

#include "dataset/catalog.h"

namespace gs {

namespace {

// The values of `preset`, or else the authors' for the dataset, as the paper's ablations start from
// (of a baseline METHOD-DATASET, or its own).
RunOptions start(const std::string& dataset, const AblationOptions& options,
                 const std::string& method = "graphsurgeon", const std::string& preset = {}) {
  const std::string usual = method == "graphsurgeon" ? dataset : method + "-" + dataset;
  const std::string chosen = preset.empty() ? usual : preset;
  const int64_t runs = options.quick ? std::min<int64_t>(3, options.runs) : options.runs;
  return options_with({{"method", method}, {"runs", runs}}, has_preset(chosen) ? chosen : "");
}

int64_t epochs(const AblationOptions& options, int64_t full) {
  return options.quick ? std::min<int64_t>(20, full) : full;
}

Experiment experiment(const char* ablation, const std::string& dataset, const std::string& variant,
                      RunOptions run) {
  return {fmt::format("{}-{}-{}", ablation, dataset, variant), dataset, std::move(run)};
}

}  // namespace

double scaled_gamma(double gamma, double nodes, int64_t dim) {
  return gamma * (nodes / (2 * std::pow(static_cast<double>(dim), 1.5)));
}

void AblationOptions::describe(OptionList& v) {
  v.group("Ablations");
  v("datasets", datasets,
    "catalog names, as photo,cs; all: those of the paper's smaller ones that are here");
  v("runs", runs, "random splits; three at most with --quick").at_least(1).at_most(1000);
  v("quick", quick, "Photo and PubMed, 20 epochs, three splits, the outer widths: a first look");
  v("data-root", data_root,
    "folder of the catalog's datasets; default $GRAPHSURGEON_DATA, else the user's cache folder");
}

std::vector<Experiment> loss_experiments(const Datasets& datasets, const AblationOptions& options) {
  std::vector<Experiment> out;
  for (const std::string& dataset : datasets)
    for (const auto& [variant, constraint] : {std::pair{"naive", Constraint::naive},
                                              {"original", Constraint::rows},
                                              {"improved", Constraint::columns},
                                              {"scaled", Constraint::scaled}}) {
      RunOptions run = start(dataset, options);
      const auto nodes = static_cast<double>(find_catalog(dataset)->nodes);
      if (constraint == Constraint::scaled)
        run.loss.gamma = scaled_gamma(run.loss.gamma, nodes, run.model.dim);
      run.loss.constraint = constraint;
      run.loader.loader = LoaderKind::full;
      run.train.epochs = epochs(options, 100);
      out.push_back(experiment("loss", dataset, variant, run));
    }
  return out;
}

std::vector<Experiment> batch_experiments(const Datasets& datasets,
                                          const AblationOptions& options) {
  std::vector<Experiment> out;
  const std::vector<int64_t> sizes = options.quick
                                         ? std::vector<int64_t>{64, 1024, 4096}
                                         : std::vector<int64_t>{64, 256, 512, 1024, 2048, 4096};
  for (const std::string& dataset : datasets)
    for (const int64_t size : sizes) {
      RunOptions run = start(dataset, options);
      run.loader.loader = LoaderKind::neighbor;
      run.loader.batch_size = size;
      run.train.epochs = epochs(options, 100);
      out.push_back(experiment("batch-size", dataset, std::to_string(size), run));
      out.back().probe_epochs = 100;
    }
  return out;
}

std::vector<Experiment> width_experiments(const Datasets& datasets,
                                          const AblationOptions& options) {
  std::vector<Experiment> out;
  std::vector<int64_t> widths(std::begin(kWidths), std::end(kWidths));
  if (options.quick) widths = {widths.front(), widths.back()};
  for (const std::string& dataset : datasets)
    for (const auto& [method, gains, longest] : kWidthMethods) {
      if (options.quick && method == "gca" && dataset != "photo") continue;
      for (const int64_t width : widths) {
        RunOptions run = start(dataset, options, std::string(method));
        run.model.dim = method == "graphsurgeon" ? width / 2 : width;
        run.train.epochs = epochs(options, std::min(longest, run.train.epochs));
        out.push_back(
            experiment("embedding-size", dataset, fmt::format("{}-{}", method, width), run));
      }
    }
  return out;
}

std::vector<Experiment> mode_experiments(const Datasets& datasets, const AblationOptions& options) {
  std::vector<Experiment> out;
  for (const std::string& dataset : datasets)
    for (const auto& [name, mode] :
         {std::pair{"pre", AugmentMode::pre}, {"post", AugmentMode::post}}) {
      RunOptions equal = start(dataset, options);
      equal.model.mode = mode;
      equal.loader.loader = LoaderKind::full;
      equal.train.epochs = epochs(options, equal.train.epochs);
      out.push_back(experiment("pre-vs-post", dataset, fmt::format("{}-equal", name), equal));
      const std::string preset = fmt::format("{}-{}", dataset, name);
      if (!has_preset(preset)) continue;
      RunOptions tuned = start(dataset, options, "graphsurgeon", preset);
      tuned.train.epochs = epochs(options, tuned.train.epochs);
      out.push_back(experiment("pre-vs-post", dataset, fmt::format("{}-tuned", name), tuned));
    }
  return out;
}

std::vector<Experiment> symmetry_experiments(const Datasets& datasets,
                                             const AblationOptions& options) {
  std::vector<Experiment> out;
  for (const std::string& dataset : datasets)
    for (const bool asymmetric : {false, true}) {
      RunOptions run = start(dataset, options);
      run.model.asymmetric = asymmetric;
      run.train.epochs = epochs(options, run.train.epochs);
      out.push_back(experiment("symmetry", dataset, asymmetric ? "asymmetric" : "symmetric", run));
    }
  return out;
}

std::vector<Experiment> convergence_experiments(const Datasets& datasets,
                                                const AblationOptions& options) {
  std::vector<Experiment> out;
  for (const std::string& dataset : datasets) {
    RunOptions run = start(dataset, options);
    run.train.select = Select::val;
    run.train.select_every = options.quick ? 5 : 10;
    run.train.epochs = epochs(options, 200);
    out.push_back(experiment("convergence", dataset, "curve", run));
    out.back().score = false;
  }
  return out;
}

}  // namespace gs
