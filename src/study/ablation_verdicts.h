// What the trainings of an ablation say of the paper's claim. A row is what Laboratory::run tells,
// with its "variant"; rows with a "problem" take no part. A claim holds when it holds on most
// datasets: an average would let one dataset's loss pay for another's gain.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace gs {

struct Verdict {
  std::string text;           // one paragraph: the paper's claim, ours, whether it holds
  std::optional<bool> holds;  // none where the trainings cannot tell
  std::string figure;         // SVG
};

Verdict judge_loss(const nlohmann::json& rows);
Verdict judge_batch(const nlohmann::json& rows);
Verdict judge_width(const nlohmann::json& rows);
Verdict judge_mode(const nlohmann::json& rows);
Verdict judge_symmetry(const nlohmann::json& rows);
Verdict judge_convergence(const nlohmann::json& rows);

}  // namespace gs
