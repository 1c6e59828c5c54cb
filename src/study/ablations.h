// The paper's ablations, each with its claim: what is trained, what is compared, and whether the
// claim holds by our numbers.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "study/ablation_experiments.h"
#include "study/ablation_verdicts.h"

namespace gs {

enum class Figures { scores, costs, values };  // to tell: each those before it too

struct Ablation {
  std::string_view name, summary;
  // The trainings of it on `datasets`, which are all here.
  std::vector<Experiment> (*experiments)(const std::vector<std::string>& datasets,
                                         const AblationOptions& options);
  Verdict (*judge)(const nlohmann::json& rows);
  Figures figures = Figures::scores;
};

std::span<const Ablation> ablations();

struct AblationResult {
  std::string name;
  nlohmann::json rows;  // an array: dataset, variant, values and what the laboratory measured
  Verdict verdict;
  Figures figures = Figures::scores;
};

// Runs what is not done yet. A row has the keys of Laboratory::run, "variant" as the experiment's
// name has it, and the values that tell variants apart.
AblationResult run_ablation(const Ablation& ablation, const std::vector<std::string>& datasets,
                            const AblationOptions& options, const Laboratory& laboratory,
                            Progress& progress);

}  // namespace gs
