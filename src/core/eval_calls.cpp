#include "core/eval_calls.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/embedded.h"
#include "core/seeds.h"
#include "eval/clustering.h"
#include "eval/links.h"
#include "eval/protocol.h"

namespace gs {

namespace {

using nlohmann::json;

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
  if (std::filesystem::is_directory(call.input)) {
    input =
        embedded_by_run(call.input, call, progress, [&](const RunInfo& info, const Dataset& data) {
          check_gives_embeddings(info, "--task clustering");
          needs_labels(data);
        });
  } else {
    input.data = load_dataset(call.data, call.load, progress);
    needs_labels(input.data);
    input.z = load_embeddings(call.input, input.data.nodes());
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

json classification_call(const EvalCall& call, Progress& progress) {
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

}  // namespace

json evaluate_task(const EvalCall& call, Progress& progress) {
  switch (call.task) {
    case EvalTask::clustering:
      return clustering_call(call, progress);
    case EvalTask::links:
      return links_call(call, progress);
    case EvalTask::classification:
      break;
  }
  return classification_call(call, progress);
}

}  // namespace gs
