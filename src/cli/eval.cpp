#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "cli/command.h"
#include "cli/core.h"

namespace gs::cli {

namespace {

struct EvalFlags {
  EvalTask task = EvalTask::classification;
  double held_out = 0.1;
  Protocol protocol = Protocol::authors;
  int64_t seeds = 1, memory = 8192;
  std::string device = "cpu", predictions;
  bool keep = true, overwrite = false;

  void describe(OptionList& v) {
    v.group("Task");
    v("task", task, "what the embeddings are scored by");
    v("held-out", held_out, "share of the edges that the training does not see (links)")
        .at_least(0.0001)
        .at_most(0.9);
    v.group("Encoders");
    v("protocol", protocol,
      "whose number of probe steps: authors 500, paper 100 (Yelp and Reddit 500); a run's own when "
      "it is not given");
    v("seeds", seeds,
      "encoders to score (classification, links): the run's own and others trained like it with "
      "the next seeds; tells how "
      "much of a score is luck of the weights")
        .at_least(1)
        .at_most(1000);
    v("memory", memory,
      "MiB for intermediate layers and smoothed features; larger ones lie in a scratch file")
        .at_least(0);
    v("device", device, "cpu, cuda or cuda:N");
    v.group("Results");
    v("predictions", predictions,
      "an .npy to write: the class that each test node of the first split is taken for, -1 for "
      "other nodes (several labels: "
      "a row of zeros and ones, of 255)");
    v("overwrite", overwrite, "replace an existing --predictions");
    v("keep", keep, "leave the scores in the run's folder, as scores.json");
  }
};

std::string spread(const nlohmann::json& score) {
  return fmt::format("{:6.2f} +- {:.2f}", score["mean"].get<double>(), score["std"].get<double>());
}

std::string clustering_text(const nlohmann::json& r) {
  return fmt::format(
      "k-means into {} clusters, {} runs, percent\n\n"
      "  {:<22} {}\n  {:<22} {}\n  {:<22} {}\n",
      r["clusters"].get<int64_t>(), r["runs"].size(), "NMI", spread(r["nmi"]), "ARI",
      spread(r["ari"]), "accuracy when matched", spread(r["accuracy"]));
}

std::string links_text(const nlohmann::json& r) {
  std::string text = fmt::format(
      "{} held-out edges ({:.3g} % of all) and as many pairs without one; {} {}, percent\n\n"
      "  {:<22} {:<16} {}\n",
      r["held_out"].get<int64_t>(), 100 * r["share"].get<double>(), r["runs"].size(),
      r["runs"].size() == 1 ? "training" : "trainings", "", "dot product", "logistic");
  static constexpr std::pair<const char*, const char*> kRows[] = {
      {"auc", "AUC"},
      {"average_precision", "average precision"},
      {"hits_10", "hits at 10"},
      {"hits_50", "hits at 50"},
      {"hits_100", "hits at 100"},
      {"mrr", "MRR among 100"}};
  for (const auto& [key, title] : kRows)
    text += fmt::format("  {:<22} {:<16} {}\n", title, spread(r["dot"][key]),
                        spread(r["logistic"][key]));
  return text;
}

std::string to_text(const nlohmann::json& r) {
  const nlohmann::json& encoders = r["encoders"];
  const size_t splits = encoders[0]["runs"].size();
  std::string text =
      fmt::format("{} over {} {} ({}; {} training labels a run; probes of {} steps)\n\n",
                  r["metric"].get<std::string>(), splits, splits == 1 ? "split" : "splits",
                  r["splits"].get<std::string>(), r["train_labels"].get<int64_t>(),
                  r["probe_epochs"].get<int64_t>());
  const auto row = [&](const std::string& name, const nlohmann::json& score) {
    text += fmt::format("  {:<22} {:6.2f} +- {:.2f}\n", name, score["mean"].get<double>(),
                        score["std"].get<double>());
  };
  static constexpr std::pair<const char*, const char*> kRows[] = {
      {"raw", "raw features"},
      {"smoothed", "two-hop smoothed"},
      {"untrained", "untrained encoder"}};
  for (const auto& [key, title] : kRows)
    if (r["reference_scores"].contains(key)) row(title, r["reference_scores"][key]);
  if (encoders.size() == 1) {
    row("trained", r);
    return text;
  }
  for (const auto& encoder : encoders)
    row(fmt::format("trained, seed {}", encoder["seed"].get<int64_t>()), encoder);
  return text + fmt::format("  {:<22} {:6.2f} +- {:.2f} over splits, +- {:.2f} over {} encoders\n",
                            "trained", r["mean"].get<double>(), r["std"].get<double>(),
                            r["std_over_seeds"].get<double>(), encoders.size());
}

// An option that the task does not read is refused: its user expects something of it.
void check_read(EvalTask task, const std::set<std::string>& given) {
  using enum EvalTask;
  static const std::map<std::string, std::set<EvalTask>> kReaders{
      {"held-out", {links}},
      {"seeds", {classification, links}},
      {"runs", {classification, clustering}},
      {"split-seed", {classification, clustering}},
      {"splits", {classification}},
      {"solver", {classification}},
      {"probe-epochs", {classification}},
      {"probe-lr", {classification}},
      {"probe-every", {classification}},
      {"protocol", {classification}},
      {"predictions", {classification}}};
  for (const auto& [name, tasks] : kReaders)
    if (given.contains(name) && !tasks.contains(task))
      fail_usage("--" + name,
                 fmt::format("--task {} does not read it", name_of(names_of(task), task)),
                 "leave it out, or choose another --task");
}

// The last scores of a run on the data that it was trained on lie in its folder too, where that can
// be written.
void keep_scores(const std::filesystem::path& run, const std::string& data,
                 const nlohmann::json& result, const CommonOptions& common) {
  const std::filesystem::path options = run / "options.json";
  if (!std::filesystem::exists(options)) return;
  try {
    const auto info = nlohmann::json::parse(MappedFile(options).text(), nullptr, false);
    if (!info.is_object() || !info.contains("data") || info["data"] != data) return;
    write_file(run / "scores.json", result.dump(2) + "\n");
  } catch (const Error& error) {
    say(common, fmt::format("note: scores.json was not written: {}\n", error.what()));
  }
}

}  // namespace

void setup_eval(CLI::App& app, Run& run) {
  auto state = std::make_shared<Bound<ProbeOptions, EvalFlags, LoadOptions>>();
  auto input = std::make_shared<std::string>(), data = std::make_shared<std::string>();
  app.add_option("INPUT", *input, "run folder, or an .npy of embeddings")->required();
  app.add_option("DATA", *data, "dataset with labels")->required();
  state->bind(app);
  app.callback([=, &run] {
    run = [=] {
      const EvalFlags& flags = state->get<EvalFlags>();
      EvalCall call{*input,
                    *data,
                    state->get<LoadOptions>(),
                    state->get<ProbeOptions>(),
                    given_options(state->lists),
                    flags.device,
                    flags.protocol,
                    flags.memory,
                    flags.seeds};
      call.task = flags.task, call.held_out = flags.held_out;
      call.predictions = flags.predictions;
      const bool classifies = flags.task == EvalTask::classification;
      check_read(flags.task, call.given);
      if (!flags.predictions.empty()) check_output(flags.predictions, flags.overwrite);
      if (flags.seeds > 1 || flags.task == EvalTask::links) call.stop = stop_on_signals();
      const auto progress = begin(state->common);
      const nlohmann::json result = core().evaluate(call, *progress);
      progress->finish();
      if (classifies && flags.keep) keep_scores(*input, *data, result, state->common);
      if (state->common.json) print_json(result);
      else if (flags.task == EvalTask::clustering) print(clustering_text(result));
      else if (flags.task == EvalTask::links) print(links_text(result));
      else print(to_text(result));
    };
  });
}

}  // namespace gs::cli
