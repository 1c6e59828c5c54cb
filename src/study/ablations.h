// The paper's ablations, each with its claim: what is trained, what is compared, and whether the
// claim holds by our numbers.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "study/experiment.h"

namespace gs {

struct AblationOptions {
  int64_t runs = 10;   // random splits
  bool quick = false;  // Photo and PubMed, 20 epochs, the outer widths
  std::string datasets = "all";
  std::string data_root;

  void describe(OptionList& v);
};

struct AblationResult {
  std::string name;
  nlohmann::json rows;        // an array: dataset, variant and what the laboratory measured
  std::string text;           // one paragraph: the paper's claim, ours, whether it holds
  std::optional<bool> holds;  // none where the trainings cannot tell
  bool costs = false;         // memory and time are a part of it
  std::string figure;         // SVG
};

struct Ablation {
  std::string_view name, summary;
  // The trainings of it on `datasets`, which are all here.
  std::vector<Experiment> (*experiments)(const std::vector<std::string>& datasets,
                                         const AblationOptions& options);
  AblationResult (*judge)(const nlohmann::json& rows);
  bool costs = false;  // memory and time are a part of it
};

std::span<const Ablation> ablations();

// Runs what is not done yet; a row has the keys of Laboratory::run, and "variant" and "value" as
// the experiment's name has them: NAME-DATASET-VARIANT.
AblationResult run_ablation(const Ablation& ablation, const std::vector<std::string>& datasets,
                            const AblationOptions& options, const Laboratory& laboratory,
                            Progress& progress);

}  // namespace gs
