#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/core.h"

namespace gs::cli {

namespace {

struct EvalFlags {
  std::string device = "cpu";
  void describe(OptionList& v) { v("device", device, "cpu, cuda or cuda:N"); }
};

std::string to_text(const nlohmann::json& r) {
  std::string text = fmt::format("{} over {} {} ({}; {} training labels a run)\n\n",
                                 r["metric"].get<std::string>(), r["runs"].size(),
                                 r["runs"].size() == 1 ? "split" : "splits",
                                 r["splits"].get<std::string>(), r["train_labels"].get<int64_t>());
  const auto row = [&](const char* name, const nlohmann::json& score) {
    text += fmt::format("  {:<22} {:6.2f} +- {:.2f}\n", name, score["mean"].get<double>(),
                        score["std"].get<double>());
  };
  static constexpr std::pair<const char*, const char*> kRows[] = {
      {"raw", "raw features"},
      {"smoothed", "two-hop smoothed"},
      {"untrained", "untrained encoder"}};
  for (const auto& [key, title] : kRows)
    if (r["reference_scores"].contains(key)) row(title, r["reference_scores"][key]);
  row("trained", r);
  return text;
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
      bool load_given = false;
      for (const Option& option : state->lists[2]->options())
        load_given |= option.given && option.name != "data-root";
      const auto progress = begin(state->common);
      const nlohmann::json result =
          core().evaluate({*input, *data, state->get<LoadOptions>(), state->get<ProbeOptions>(),
                           load_given, state->get<EvalFlags>().device},
                          *progress);
      progress->finish();
      if (state->common.json) print_json(result);
      else print(to_text(result));
    };
  });
}

}  // namespace gs::cli
