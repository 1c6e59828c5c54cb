#include "core/api.h"

#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/npy.h"
#include "base/parallel.h"
#include "core/embedded.h"
#include "core/eval_calls.h"
#include "core/inspect_json.h"
#include "core/nearest.h"
#include "core/results.h"
#include "eval/protocol.h"
#include "nn/memory.h"

#include <ATen/Parallel.h>

namespace gs {

namespace {

using nlohmann::json;

// libtorch's own warnings (that sparse tensors are in beta, say) are not for our users.
struct QuietWarnings final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

void begin_call() {
  static QuietWarnings quiet;
  c10::WarningUtils::set_warning_handler(&quiet);
  at::set_num_threads(threads());
  recycle_tensor_memory();
}

json train_call(const TrainCall& call, Progress& progress) {
  begin_call();
  const Dataset data = load_dataset(call.data, call.options.load, progress);
  return to_json(train(data, call, progress), call);
}

void write_csv(const std::filesystem::path& path, const at::Tensor& z, const Dataset& data) {
  AtomicFile file(path);
  const float* values = z.const_data_ptr<float>();
  for (int64_t v = 0; v < z.size(0); ++v) {
    std::string line = csv_field(id_of(data, v));
    for (int64_t c = 0; c < z.size(1); ++c) line += fmt::format(",{}", values[v * z.size(1) + c]);
    file.write(line + "\n");
  }
  file.commit();
}

// The file of the node ids beside an .npy of embeddings: Z.ids.txt.
std::filesystem::path ids_file(std::filesystem::path embeddings) {
  return embeddings.replace_extension(".ids.txt");
}

// What would only be noticed after the long work.
void check_embed(const EmbedCall& call, const Dataset& data) {
  if (!call.nearest.empty()) node_of(data, call.nearest);
  else if (call.output.extension() != ".csv" && !data.node_ids.empty())
    check_output(ids_file(call.output), call.overwrite);
}

Embedded embedded_in_file(const EmbedCall& call, Progress& progress) {
  if (call.nearest.empty())
    fail_usage("embed", fmt::format("'{}' holds embeddings already", printable(call.run.string())),
               "name a run folder, or ask it for neighbours with --nearest NODE");
  Embedded out;
  out.data = load_dataset(call.data, call.load, progress);
  out.z = load_embeddings(call.run, out.data.nodes());
  return out;
}

json embed_call(const EmbedCall& call, Progress& progress) {
  begin_call();
  const bool file = call.run.extension() == ".npy";
  const auto [data, z] =
      file ? embedded_in_file(call, progress)
           : embedded_by_run(call.run, call, progress,
                             [&](const RunInfo&, const Dataset& data) { check_embed(call, data); });
  json result{{"nodes", z.size(0)}, {"width", z.size(1)}};
  if (!call.output.empty()) result["output"] = call.output.string();
  if (!call.nearest.empty()) {
    const auto neighbors = nearest_nodes(z, node_of(data, call.nearest), call.k);
    if (!call.output.empty()) write_neighbors(call.output, data, neighbors);
    result["nearest"] = call.nearest;
    result["neighbors"] = json::array();
    for (const Neighbor& n : neighbors)
      result["neighbors"].push_back(
          {{"id", id_of(data, n.node)}, {"node", n.node}, {"cosine", n.cosine}});
  } else if (call.output.extension() == ".csv") {
    write_csv(call.output, z, data);
  } else {
    const int64_t shape[] = {z.size(0), z.size(1)};
    save_npy<float>(call.output, floats(z), shape);
    if (!data.node_ids.empty()) {
      write_file(ids_file(call.output), fmt::format("{}\n", fmt::join(data.node_ids, "\n")));
      result["ids"] = ids_file(call.output).string();
    }
  }
  return result;
}

json eval_call(const EvalCall& call, Progress& progress) {
  begin_call();
  return evaluate_task(call, progress);
}

json inspect_call(const InspectCall& call, Progress& progress) {
  begin_call();
  if (!std::filesystem::is_directory(call.run))
    fail_data(call.run.string(), "is not a run folder", "inspect looks at a run of graphsurgeon");
  const LoadedModel run = load_model(call.run, place_for(call.device));
  const auto* model = dynamic_cast<const GraphSurgeon*>(run.model.get());
  if (!model)
    fail_usage("inspect",
               fmt::format("the run is of {}, which has no learned augmentations",
                           run.info.options.method.method),
               "name a run of graphsurgeon");
  const Dataset data =
      load_dataset(call.data, load_like(run.info, call.load, call.given), progress);
  check_width(run.info, data, call.data);
  const Batch batch =
      whole_graph(data, run.info.options.model.encoder, model->parameters().place());
  const Insight insight =
      inspect(*model, batch, data.labels, call.top, {call.memory_mib << 20}, progress);
  progress.finish();
  if (!call.agreement.empty()) save_npy<float>(call.agreement, insight.agreement);
  return to_json(insight, data, call.top);
}

}  // namespace

extern "C" const CoreApi* gs_core_api() {
  static const CoreApi api{train_call, embed_call, eval_call, inspect_call};
  return &api;
}

}  // namespace gs
