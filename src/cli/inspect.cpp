#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/command.h"
#include "cli/core.h"

namespace gs::cli {

namespace {

struct InspectFlags {
  int64_t top = 20, memory = 8192;
  std::string device = "cpu", agreement;
  bool overwrite = false;

  void describe(OptionList& v) {
    v.group("Inspection");
    v("top", top, "features and nodes to name").at_least(0);
    v("memory", memory, "MiB for intermediate layers; larger ones lie in a scratch file")
        .at_least(0);
    v("device", device, "cpu, cuda or cuda:N");
    v("agreement", agreement, "an .npy to write: the cosine of each node's two views");
    v("overwrite", overwrite, "replace an existing --agreement or --output");
  }
};

constexpr size_t kNamed = 8;  // features in a line of text

std::string shown(const nlohmann::json& name) { return printable(name.get<std::string>()); }

std::string names_of_columns(const nlohmann::json& rows) {
  std::string out;
  for (size_t i = 0; i < rows.size() && i < kNamed; ++i)
    out += fmt::format("{}{}", out.empty() ? "" : ", ", shown(rows[i]["name"]));
  return out;
}

std::string mixed(const nlohmann::json& mixing) {
  std::string out =
      fmt::format("about {:.0f} features in a column", mixing["features_each"].get<double>());
  for (size_t i = 0; i < mixing["closest"].size() && i < kNamed / 2; ++i) {
    const auto& pair = mixing["closest"][i];
    out += fmt::format("{} {} with {} ({:.2f})", i == 0 ? ";" : ",", shown(pair["name"]),
                       shown(pair["with"]), pair["cosine"].get<double>());
  }
  return out;
}

std::string angles_text(const nlohmann::json& r) {
  const nlohmann::json& angles = r["principal_angles"];
  if (angles.empty()) return "none: each reads and writes all there is";
  return fmt::format("{:.1f} degrees in the middle, {:.1f} at least, between what they {}",
                     angles[angles.size() / 2].get<double>(), angles[0].get<double>(),
                     r["angles_between"] == "outputs" ? "write" : "read");
}

std::string to_text(const nlohmann::json& r) {
  const nlohmann::json &gains = r["gains"], &spectrum = r["spectrum"];
  const auto rank = [&](const char* what) {
    return spectrum[what]["effective_rank"].get<double>();
  };
  const bool of_features = r["heads_read"] == "features";
  std::string text = fmt::format(
      "The heads read the {}{}.\n",
      of_features ? "features" : "encoding; features are followed through it, on a node alone",
      r["linear"].get<bool>() ? "" : " (their first layers are looked at)");
  for (const char* head : {"first", "second"})
    text += fmt::format(
        "  {:<6} amplifies       {}\n"
        "         suppresses      {}\n"
        "         mixes           {}\n",
        head, names_of_columns(gains[fmt::format("amplified_by_{}", head)]),
        names_of_columns(gains[fmt::format("suppressed_by_{}", head)]), mixed(r["mixing"][head]));
  text += fmt::format(
      "  told apart most        {}\n"
      "  gains correlate        {:.3f}\n"
      "  weights' cosine        {:.3f}\n"
      "  angle between them     {}\n\n",
      names_of_columns(gains["told_apart"]), r["gain_correlation"].get<double>(),
      r["weight_cosine"].get<double>(), angles_text(r));
  text += fmt::format(
      "The views of a node agree with a cosine of {:.3f} on average ({:.3f} for the worst 5 %).\n"
      "  alignment (CKA)        {:.3f}\n"
      "  effective rank         heads {:.1f} and {:.1f}, views {:.1f} and {:.1f}, embedding "
      "{:.1f}\n",
      r["agreement"]["mean"].get<double>(), r["agreement"]["quantiles"]["5"].get<double>(),
      r["cka"].get<double>(), rank("first_head"), rank("second_head"), rank("first_view"),
      rank("second_view"), rank("embedding"));
  if (!r["classes"].empty()) {
    text += "\n  class                   nodes  agreement  effective rank\n";
    for (const auto& c : r["classes"])
      text += fmt::format("  {:<22} {:6}     {:6.3f}          {:6.1f}\n", shown(c["name"]),
                          c["nodes"].get<int64_t>(), c["agreement"].get<double>(),
                          c["effective_rank"].get<double>());
  }
  if (!r["disagree"].empty()) {
    text += "\n  where the views disagree most\n";
    for (size_t i = 0; i < r["disagree"].size() && i < 10; ++i) {
      const auto& node = r["disagree"][i];
      text += fmt::format("  {:<22} cosine {:6.3f}, degree {}{}\n", shown(node["id"]),
                          node["cosine"].get<double>(), node["degree"].get<int64_t>(),
                          node.contains("class") ? ", class " + shown(node["class"]) : "");
    }
  }
  return text;
}

}  // namespace

void setup_inspect(CLI::App& app, Run& run) {
  auto state = std::make_shared<Bound<InspectFlags, LoadOptions>>();
  auto folder = std::make_shared<std::string>(), data = std::make_shared<std::string>(),
       output = std::make_shared<std::string>();
  app.add_option("RUN", *folder, "run folder of graphsurgeon")->required();
  app.add_option("DATA", *data, "the graph to look at it on")->required();
  app.add_option("-o,--output", *output, "also write everything to this JSON file");
  state->bind(app);
  app.callback([=, &run] {
    run = [=] {
      const InspectFlags& flags = state->get<InspectFlags>();
      for (const std::string& file : {*output, flags.agreement})
        if (!file.empty()) check_output(file, flags.overwrite);
      const auto progress = begin(state->common);
      const nlohmann::json result =
          core().inspect({*folder, *data, state->get<LoadOptions>(), given_options(state->lists),
                          flags.top, flags.memory, flags.device, flags.agreement},
                         *progress);
      if (!output->empty()) write_file(*output, result.dump(2) + "\n");
      if (state->common.json) print_json(result);
      else print(to_text(result));
    };
  });
}

}  // namespace gs::cli
