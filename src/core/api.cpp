#include "core/api.h"

#include <fmt/ranges.h>

#include <cmath>
#include <functional>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/npy.h"
#include "base/parallel.h"
#include "core/inspect_json.h"
#include "core/nearest.h"
#include "core/results.h"
#include "core/seeds.h"
#include "eval/clustering.h"
#include "eval/links.h"
#include "eval/protocol.h"
#include "method/run_folder.h"
#include "nn/memory.h"
#include "nn/place.h"

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

void write_ids(const std::filesystem::path& beside, const Dataset& data) {
  if (!data.node_ids.empty())
    write_file(beside.parent_path() / "ids.txt",
               fmt::format("{}\n", fmt::join(data.node_ids, "\n")));
}

// The embeddings that a call is about, and the dataset they are of: computed by a run's model, or
// mapped from an .npy.
struct Embedded {
  Dataset data;
  at::Tensor z;  // N x W floats on the CPU
};

// `look` may refuse the data before the long work, and `look_at_run` the run.
template <class Call>
Embedded embedded_by_run(
    const std::filesystem::path& input, const Call& call, Progress& progress,
    const std::function<void(const Dataset&)>& look,
    const std::function<void(const RunInfo&)>& look_at_run = [](const RunInfo&) {}) {
  const LoadedModel run = load_model(input, place_for(call.device));
  look_at_run(run.info);
  Embedded out;
  out.data = load_dataset(call.data, load_like(run.info, call.load, call.given), progress);
  check_width(run.info, out.data, call.data);
  look(out.data);
  const Batch batch =
      whole_graph(out.data, run.info.options.model.encoder, run.model->parameters().place());
  out.z = run.model->embed(batch, {call.memory_mib << 20}, progress)
              .to(at::kCPU, at::kFloat)
              .contiguous();
  progress.finish();
  return out;
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
  const auto [data, z] = file ? embedded_in_file(call, progress)
                              : embedded_by_run(call.run, call, progress, [&](const Dataset& data) {
                                  if (!call.nearest.empty()) node_of(data, call.nearest);
                                });
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
    write_ids(call.output, data);
  }
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

json mean_and_deviation(const std::vector<double>& values) {
  double mean = 0, squares = 0;
  for (const double v : values) mean += v / static_cast<double>(values.size());
  for (const double v : values) squares += (v - mean) * (v - mean);
  return {{"mean", mean},
          {"std", std::sqrt(squares / static_cast<double>(values.size()))},
          {"runs", values}};
}

json clustering_call(const EvalCall& call, Progress& progress) {
  const auto needs_labels = [&](const Dataset& data) {
    if (data.labels.task == Task::none)
      fail_data(call.data, "has no labels to compare clusters with",
                "give them with --labels-file, or use another dataset");
  };
  Embedded input;
  if (std::filesystem::path(call.input).extension() == ".npy") {
    input.data = load_dataset(call.data, call.load, progress);
    needs_labels(input.data);
    input.z = load_embeddings(call.input, input.data.nodes());
  } else {
    input = embedded_by_run(call.input, call, progress, needs_labels, [](const RunInfo& info) {
      if (method_info(info.options.method.method).supervised())
        fail_usage("--task clustering", "the run learned from labels and gives no embeddings",
                   "use a run of a method that learns without labels");
    });
  }
  const auto scores = score_clustering(input.z, input.data.labels, call.probe.runs,
                                       {.seed = static_cast<uint64_t>(call.probe.split_seed)});
  const auto of = [&](double ClusteringScore::*part) {
    std::vector<double> values;
    for (const ClusteringScore& score : scores) values.push_back(100 * score.*part);
    return mean_and_deviation(values);
  };
  json result = of(&ClusteringScore::nmi);
  result["metric"] = "nmi";
  result["clusters"] = input.data.labels.classes;
  result["nmi"] = of(&ClusteringScore::nmi);
  result["ari"] = of(&ClusteringScore::ari);
  result["accuracy"] = of(&ClusteringScore::accuracy);
  return result;
}

json links_call(const EvalCall& call, Progress& progress) {
  SeedTrainer trainer(call, progress);
  const LinkResult found =
      evaluate_links(call, progress, [&](const RunInfo& info, const Dataset& data, int64_t seed) {
        return trainer.train_on(info, data, seed);
      });
  static constexpr std::pair<const char*, double LinkScore::*> kParts[] = {
      {"auc", &LinkScore::auc},           {"average_precision", &LinkScore::average_precision},
      {"hits_10", &LinkScore::hits_10},   {"hits_50", &LinkScore::hits_50},
      {"hits_100", &LinkScore::hits_100}, {"mrr", &LinkScore::mrr}};
  const auto of = [&](LinkScore LinkRun::*scorer, double LinkScore::*part) {
    std::vector<double> values;
    for (const LinkRun& run : found.runs) values.push_back(run.*scorer.*part);
    return mean_and_deviation(values);
  };
  json result = of(&LinkRun::logistic, &LinkScore::auc);
  result["metric"] = "auc";
  result["held_out"] = found.runs.front().held_out;
  result["share"] = found.share;
  for (const auto& [name, part] : kParts) {
    result["dot"][name] = of(&LinkRun::dot, part);
    result["logistic"][name] = of(&LinkRun::logistic, part);
  }
  return result;
}

json evaluate_call(const EvalCall& call, Progress& progress) {
  begin_call();
  if (call.task == EvalTask::clustering) return clustering_call(call, progress);
  if (call.task == EvalTask::links) return links_call(call, progress);
  SeedTrainer trainer(call, progress);
  const EvalResult evaluation =
      evaluate(call, progress,
               [&](const RunInfo& info, const Dataset* scored, int64_t seed, int64_t split_seed) {
                 return trainer.train(info, scored, seed, split_seed);
               });
  json result = to_json(evaluation.encoders.front().score);
  result["encoders"] = json::array();
  result["runs"] = json::array();
  result["details"] = json::array();
  for (const EncoderScore& encoder : evaluation.encoders) {
    const json one = to_json(encoder.score);
    result["encoders"].push_back({{"seed", encoder.seed ? json(*encoder.seed) : json()},
                                  {"mean", one["mean"]},
                                  {"std", one["std"]},
                                  {"runs", one["runs"]}});
    for (const auto& run : one["runs"]) result["runs"].push_back(run);
    for (const auto& detail : one["details"]) result["details"].push_back(detail);
  }
  result["mean"] = evaluation.mean();
  result["std"] = evaluation.deviation_within();
  // One encoder says nothing about others.
  result["std_over_seeds"] =
      evaluation.encoders.size() > 1 ? json(evaluation.deviation_between()) : json();
  result["splits"] = evaluation.splits;
  result["train_labels"] = evaluation.train_labels;
  result["split_seed"] = evaluation.split_seed;
  result["protocol"] = name_of(names_of(Protocol{}), evaluation.protocol);
  result["probe_epochs"] = evaluation.probe_epochs;
  result["reference"] = json::object();
  result["reference_scores"] = json::object();
  for (const auto& [name, score] : evaluation.reference) {
    result["reference"][name] = score.mean();
    result["reference_scores"][name] = to_json(score);
  }
  return result;
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
  static const CoreApi api{train_call, embed_call, evaluate_call, inspect_call};
  return &api;
}

}  // namespace gs
