#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/core.h"

namespace gs::cli {

namespace {

struct EvalFlags {
  Protocol protocol = Protocol::authors;
  int64_t seeds = 1, memory = 8192;
  std::string device = "cpu";

  void describe(OptionList& v) {
    v.group("Encoders");
    v("protocol", protocol,
      "whose number of probe steps: authors 500, paper 100 (Yelp and Reddit 500); a run's own when "
      "it is not given");
    v("seeds", seeds,
      "encoders to score: the run's own and others trained like it with the next seeds; tells how "
      "much of a score is luck of the weights")
        .at_least(1)
        .at_most(1000);
    v("memory", memory,
      "MiB for intermediate layers and smoothed features; larger ones lie in a scratch file")
        .at_least(0);
    v("device", device, "cpu, cuda or cuda:N");
  }
};

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
      if (flags.seeds > 1) call.stop = stop_on_signals();
      const auto progress = begin(state->common);
      const nlohmann::json result = core().evaluate(call, *progress);
      progress->finish();
      if (state->common.json) print_json(result);
      else print(to_text(result));
    };
  });
}

}  // namespace gs::cli
