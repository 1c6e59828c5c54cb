#include "core/api.h"

#include <fmt/ranges.h>
#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/npy.h"
#include "base/parallel.h"
#include "base/text.h"
#include "eval/protocol.h"
#include "method/inference.h"
#include "method/run_folder.h"
#include "nn/place.h"
#include "train/trainer.h"

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
}

json train_call(const TrainCall& call, Progress& progress) {
  begin_call();
  const Dataset data = load_dataset(call.data, call.options.load, progress);
  const TrainResult result = train(data, call, progress);
  json loss{{"total", result.last.loss}};
  for (const auto& [name, value] : result.last.terms) loss[name] = value;
  return {{"run", call.run.string()},
          {"epochs", result.epochs},
          {"ms_per_epoch", result.ms_per_epoch},
          {"peak_mib", result.peak_mib},
          {"loss", loss},
          {"effective_rank", result.last.effective_rank},
          {"parameters", result.parameters}};
}

// The dataset as the run saw it: its own treatment, but the folder of the catalog as asked for now.
LoadOptions load_like(const RunInfo& info, const LoadOptions& now) {
  LoadOptions load = info.options.load;
  load.data_root = now.data_root.empty() ? load.data_root : now.data_root;
  return load;
}

void check_width(const RunInfo& info, const Dataset& data, const std::string& name) {
  if (data.features.width() != info.features)
    fail_data(name,
              fmt::format("has {} features, but the model was trained on {}", data.features.width(),
                          info.features),
              "embed a graph whose features are those of the training graph");
}

std::string id_of(const Dataset& data, int64_t node) {
  return data.node_ids.empty() ? std::to_string(node) : data.node_ids[static_cast<size_t>(node)];
}

int64_t node_of(const Dataset& data, const std::string& id) {
  if (!data.node_ids.empty()) {
    const auto found = std::find(data.node_ids.begin(), data.node_ids.end(), id);
    if (found == data.node_ids.end())
      fail_usage("--nearest", fmt::format("no node has the id '{}'", printable(id)),
                 "ids are the input file's");
    return found - data.node_ids.begin();
  }
  const auto node = parse_integer(id);
  if (!node || *node < 0 || *node >= data.nodes())
    fail_usage("--nearest", fmt::format("'{}' is not a node", printable(id)),
               fmt::format("nodes are 0 to {}", data.nodes() - 1));
  return *node;
}

json nearest_nodes(const at::Tensor& z, const Dataset& data, const std::string& id, int64_t k) {
  const int64_t node = node_of(data, id);
  const at::Tensor unit = z / z.norm(2, 1, true).clamp_min(1e-12);
  at::Tensor cosine = at::mv(unit, unit[node]);
  cosine[node] = -2;  // a node is not its own neighbour
  const auto [value, index] = cosine.topk(std::min<int64_t>(k, data.nodes() - 1));
  json rows = json::array();
  for (int64_t i = 0; i < index.size(0); ++i) {
    const int64_t other = index[i].item<int64_t>();
    rows.push_back(
        {{"id", id_of(data, other)}, {"node", other}, {"cosine", value[i].item<double>()}});
  }
  return {{"nearest", id}, {"neighbors", rows}};
}

void write_csv(const std::filesystem::path& path, const at::Tensor& z, const Dataset& data) {
  AtomicFile file(path);
  const float* values = z.const_data_ptr<float>();
  for (int64_t v = 0; v < z.size(0); ++v) {
    const std::string id = id_of(data, v);
    const bool quote = id.find_first_of(",\"\n") != std::string::npos;
    std::string line;
    for (const char c : id) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    if (quote) line = "\"" + line + "\"";
    for (int64_t c = 0; c < z.size(1); ++c) line += fmt::format(",{}", values[v * z.size(1) + c]);
    file.write(line + "\n");
  }
  file.commit();
}

void write_ids(const std::filesystem::path& beside, const Dataset& data) {
  if (!data.node_ids.empty())
    write_file(beside.parent_path() / "ids.txt",
               fmt::format("{}\n", fmt::join(data.node_ids, "\n")));
}

json embed_call(const EmbedCall& call, Progress& progress) {
  begin_call();
  const Place place = place_for(call.device);
  const LoadedModel run = load_model(call.run, place);
  const Dataset data = load_dataset(call.data, load_like(run.info, call.load), progress);
  check_width(run.info, data, call.data);
  const Batch batch = whole_graph(data, run.info.options.model, place);
  const at::Tensor z = embed(*run.model, batch, {call.memory_mib << 20}, progress)
                           .to(at::kCPU, at::kFloat)
                           .contiguous();
  progress.finish();
  json result{{"nodes", z.size(0)}, {"width", z.size(1)}};
  if (!call.output.empty()) {
    if (call.output.extension() == ".csv") {
      write_csv(call.output, z, data);
    } else {
      const int64_t shape[] = {z.size(0), z.size(1)};
      save_npy<float>(call.output, floats(z), shape);
      write_ids(call.output, data);
    }
    result["output"] = call.output.string();
  }
  if (!call.nearest.empty()) result.update(nearest_nodes(z, data, call.nearest, call.k));
  return result;
}

json to_json(const Score& score) {
  json runs = json::array(), details = json::array();
  for (const ProbeRun& run : score.runs) {
    runs.push_back(run.test);
    if (score.metric == "accuracy")
      details.push_back({{"validation", run.validation},
                         {"test", run.test},
                         {"macro_f1", run.macro_f1},
                         {"micro_f1", run.micro_f1}});
    else
      details.push_back(
          {{"validation", run.validation}, {"test", run.test}, {"micro_auc", run.micro_auc}});
  }
  return {{"metric", score.metric},
          {"mean", score.mean()},
          {"std", score.deviation()},
          {"runs", runs},
          {"details", details}};
}

json evaluate_call(const EvalCall& call, Progress& progress) {
  begin_call();
  const Evaluation evaluation = evaluate(call, progress);
  json result = to_json(evaluation.score);
  result["splits"] = evaluation.splits;
  result["train_labels"] = evaluation.train_labels;
  result["split_seed"] = call.probe.split_seed;
  result["reference"] = json::object();
  result["reference_scores"] = json::object();
  for (const auto& [name, score] : evaluation.reference) {
    result["reference"][name] = score.mean();
    result["reference_scores"][name] = to_json(score);
  }
  return result;
}

}  // namespace

extern "C" const CoreApi* gs_core_api() {
  static const CoreApi api{train_call, embed_call, evaluate_call};
  return &api;
}

}  // namespace gs
