#include "study/ablations.h"

#include <cmath>

#include "dataset/catalog.h"

namespace gs {

namespace {

using nlohmann::json;

constexpr Ablation kAblations[] = {
    {"loss", "original, improved and scaled constraint: accuracy, memory, time", loss_experiments,
     judge_loss, Figures::costs},
    {"batch-size", "sampled batches of 64 to 4096 nodes: accuracy and time", batch_experiments,
     judge_batch, Figures::costs},
    {"embedding-size", "widths 256 to 1280, beside the baselines", width_experiments, judge_width},
    {"pre-vs-post", "heads before or behind the encoder: accuracy, memory, time, values",
     mode_experiments, judge_mode, Figures::values},
    {"symmetry", "symmetric against asymmetric networks", symmetry_experiments, judge_symmetry},
    {"convergence", "accuracy by epoch: do 50 suffice?", convergence_experiments,
     judge_convergence},
};

// What tells variants apart.
json values_of(const Experiment& one) {
  const RunOptions& o = one.options;
  json out{{"aug_dim", o.model.aug_dim},
           {"layers", o.model.layers},
           {"lr", o.train.lr},
           {"gamma", o.loss.gamma},
           {"constraint", name_of(names_of(Constraint{}), o.loss.constraint)}};
  // `columns` reproduced by `scaled`, so that the weights of both can be compared.
  const auto nodes = static_cast<double>(find_catalog(one.dataset)->nodes);
  if (o.loss.constraint == Constraint::scaled) out["gamma_scaled"] = o.loss.gamma;
  if (o.loss.constraint == Constraint::columns)
    out["gamma_scaled"] = scaled_gamma(o.loss.gamma, nodes, o.model.dim);
  return out;
}

}  // namespace

std::span<const Ablation> ablations() { return kAblations; }

AblationResult run_ablation(const Ablation& ablation, const std::vector<std::string>& datasets,
                            const AblationOptions& options, const Laboratory& laboratory,
                            Progress& progress) {
  AblationResult out{std::string(ablation.name), json::array(), {}, ablation.figures};
  const std::vector<Experiment> all = ablation.experiments(datasets, options);
  progress.start(ablation.name, static_cast<int64_t>(all.size()), "trainings");
  for (const Experiment& one : all) {
    progress.note(one.name);
    json row = laboratory.run(one);
    row.update(values_of(one));
    row["variant"] = one.name.substr(ablation.name.size() + one.dataset.size() + 2);
    out.rows.push_back(row);
    progress.advance(1);
  }
  progress.finish();
  out.verdict = ablation.judge(out.rows);
  for (const json& row : out.rows)
    if (row.contains("problem"))
      out.verdict.text +=
          fmt::format(" ({} on {} failed: {})", row["variant"].get<std::string>(),
                      row["dataset"].get<std::string>(), row["problem"].get<std::string>());
  return out;
}

}  // namespace gs
