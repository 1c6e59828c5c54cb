#include "command/train.h"

#include <nlohmann/json.hpp>

#include "command/session.h"
#include "dataset/load.h"

namespace gs {

TrainResult run(const TrainRequest& request, Progress& progress) {
  const Session session(request.threads);
  const Dataset data = load_dataset(request.data, request.options.load, progress);
  for (const std::string& note : data.notes) progress.say("note: " + note);
  return train(data, request, progress);
}

TrainResult run(const TrainRequest& request, const Dataset& data, Progress& progress) {
  const Session session(request.threads);
  return train(data, request, progress);
}

nlohmann::json to_json(const TrainResult& result) {
  nlohmann::json loss{{"total", result.last.loss}};
  for (const auto& [name, value] : result.last.terms) loss[name] = value;
  const Plan& plan = result.plan;
  return {{"run", result.run},
          {"method", result.method},
          {"note", result.note},
          {"epochs", result.epochs},
          {"seconds", result.seconds},
          {"nodes", result.nodes},
          {"columns", result.columns},
          {"ms_per_epoch", result.ms_per_epoch},
          {"peak_mib", result.peak_mib},
          {"loss", loss},
          {"effective_rank", result.effective_rank},
          {"view_agreement",
           result.view_agreement ? nlohmann::json(*result.view_agreement) : nlohmann::json()},
          {"parameters", result.parameters},
          {"loader", plan.loader},
          {"batches", result.last.batches},
          {"plan",
           {{"batch_nodes", plan.batch_nodes},
            {"batch_mib", plan.batch_mib},
            {"total_mib", plan.total_mib},
            {"limit_mib", plan.limit_mib}}}};
}

std::string to_text(const TrainResult& result) {
  std::string warning;
  if (result.view_agreement && *result.view_agreement < kLowViewAgreement)
    warning = fmt::format(
        "warning: the two views do not agree (mean cosine {:.2f}); try a smaller --gamma, or "
        "--method spectral\n",
        *result.view_agreement);
  const std::string wrote =
      fmt::format("wrote {}: {} x {} embeddings\n", result.run, result.nodes, result.columns);
  if (result.epochs == 0)
    return fmt::format("{} took {:.1f} s, peak memory {:.0f} MiB; effective rank {:.1f}\n{}",
                       result.method, result.seconds, result.peak_mib, result.effective_rank,
                       wrote);
  std::string terms;
  for (const auto& [name, value] : result.last.terms)
    terms += fmt::format("{} {} {:.6g}", terms.empty() ? " =" : " +", name, value);
  return fmt::format(
      "trained {} epochs at {:.1f} ms each, peak memory {:.0f} MiB\n"
      "loss {:.6g}{}; effective rank {:.1f}\n{}{}",
      result.epochs, result.ms_per_epoch, result.peak_mib, result.last.loss, terms,
      result.effective_rank, warning, wrote);
}

}  // namespace gs
