// What each of the paper's ablations trains, from the authors' values for a dataset on. Every
// experiment is named ABLATION-DATASET-VARIANT.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "study/experiment.h"

namespace gs {

struct AblationOptions {
  int64_t runs = 10;   // random splits
  bool quick = false;  // Photo and PubMed, 20 epochs, three splits, the outer widths
  std::string datasets = "all";
  std::string data_root;

  void describe(OptionList& v);
};

// The weight of the scaled constraint that does what `gamma` does to `columns`, on the whole graph.
double scaled_gamma(double gamma, double nodes, int64_t dim);

using Datasets = std::vector<std::string>;

// The methods whose widths are compared, whether the paper says that they gain from width, and
// after how many epochs their accuracy has settled: the two whose step is dearest, five times the
// others', need the fewest (docs/results.md).
struct WidthMethod {
  std::string_view name;
  bool gains;
  int64_t epochs;
};
inline constexpr WidthMethod kWidthMethods[] = {{"graphsurgeon", true, 50},
                                                {"dgi", true, 50},
                                                {"mvgrl", true, 50},
                                                {"gca", false, 30},
                                                {"bgrl", false, 30}};
inline constexpr int64_t kWidths[] = {256, 512, 768, 1024, 1280};

std::vector<Experiment> loss_experiments(const Datasets& datasets, const AblationOptions& options);
std::vector<Experiment> batch_experiments(const Datasets& datasets, const AblationOptions& options);
std::vector<Experiment> width_experiments(const Datasets& datasets, const AblationOptions& options);
// At equal D, and with each mode's own tuned values where there are presets of both.
std::vector<Experiment> mode_experiments(const Datasets& datasets, const AblationOptions& options);
std::vector<Experiment> symmetry_experiments(const Datasets& datasets,
                                             const AblationOptions& options);
std::vector<Experiment> convergence_experiments(const Datasets& datasets,
                                                const AblationOptions& options);

}  // namespace gs
