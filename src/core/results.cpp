#include "core/results.h"

#include <nlohmann/json.hpp>

namespace gs {

nlohmann::json to_json(const TrainResult& result, const TrainCall& call) {
  nlohmann::json loss{{"total", result.last.loss}};
  for (const auto& [name, value] : result.last.terms) loss[name] = value;
  return {{"run", call.run.string()},
          {"method", call.options.method.method},
          {"note", result.note},
          {"epochs", result.epochs},
          {"ms_per_epoch", result.ms_per_epoch},
          {"peak_mib", result.peak_mib},
          {"loss", loss},
          {"effective_rank", result.effective_rank},
          {"parameters", result.parameters},
          {"loader", name_of(names_of(LoaderKind{}), result.plan.loader)},
          {"batches", result.last.batches},
          {"plan",
           {{"batch_nodes", result.plan.batch_nodes},
            {"batch_mib", result.plan.batch_mib},
            {"total_mib", result.plan.total_mib},
            {"limit_mib", result.plan.limit_mib}}}};
}

}  // namespace gs
