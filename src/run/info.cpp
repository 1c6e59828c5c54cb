#include "run/info.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "dataset/generate/generate.h"
#include "nn/share.h"
#include "version.h"

namespace gs {

namespace {

Task task_from_name(const std::string& name) {
  for (const Task task : {Task::none, Task::binary, Task::multiclass, Task::multilabel})
    if (task_name(task) == name) return task;
  return Task::none;
}

nlohmann::json to_json(const FeatureTreatment& treatment) {
  return {{"rule", name_of(names_of(treatment.rule), treatment.rule)},
          {"shift", treatment.shift},
          {"scale", treatment.scale},
          {"columns", treatment.columns},
          {"recipe", treatment.recipe}};
}

std::shared_ptr<const FeatureTreatment> treatment_from(const nlohmann::json& json) {
  auto out = std::make_shared<FeatureTreatment>();
  out->rule = find(names_of(FeatureRule{}), json.at("rule").get<std::string>(), "rule").value;
  out->shift = json.at("shift").get<std::vector<float>>();
  out->scale = json.at("scale").get<std::vector<float>>();
  out->columns = json.at("columns").get<std::vector<std::string>>();
  out->recipe = json.value("recipe", "");
  const bool per_column =
      out->rule == FeatureRule::standardize || out->rule == FeatureRule::min_max;
  if (out->rule == FeatureRule::automatic || out->shift.size() != out->scale.size() ||
      per_column == out->scale.empty())
    return nullptr;
  return out;
}

bool is_edge_list(const std::string& data, const std::string& format) {
  std::error_code error;
  if (is_generator(data) || find_catalog(data) || !std::filesystem::exists(data, error))
    return false;
  return format.empty() ? detect_reader(data).name == "edge-list" : format == "edge-list";
}

}  // namespace

RunInfo RunInfo::of(const std::string& name, const Share& share, const RunOptions& options,
                    const std::vector<std::string>& by_data) {
  const Dataset& data = share.data;
  RunInfo out{name,
              data.features.width(),
              share.nodes(),
              share.edges(),
              data.labels.task,
              data.labels.classes,
              options,
              by_data};
  out.options.load.fitted = std::make_shared<FeatureTreatment>(data.feature_treatment);
  return out;
}

bool RunInfo::same_data(const Dataset& other) const {
  return nodes == other.nodes() && edges == other.graph.edges() &&
         features == other.features.width();
}

bool RunInfo::same_data(const RunInfo& other) const {
  return nodes == other.nodes && edges == other.edges && features == other.features;
}

std::string to_json_text(const RunInfo& info, bool with_treatment) {
  RunOptions options = info.options;
  nlohmann::json out{{"graphsurgeon", GS_VERSION},
                     {"format", kRunFormat},
                     {"data", info.data},
                     {"features", info.features},
                     {"nodes", info.nodes},
                     {"edges", info.edges},
                     {"task", task_name(info.task)},
                     {"classes", info.classes},
                     {"options", describe(options).json()},
                     {"by_data", info.by_data}};
  if (with_treatment && options.load.fitted) out["treatment"] = to_json(*options.load.fitted);
  // A path may be in any encoding; JSON may not.
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

RunInfo run_info_from_json(const std::string& text, const std::string& where) {
  RunInfo info;
  try {
    const auto json = parse_json(text);
    if (const int64_t format = json.value("format", int64_t{1}); format > kRunFormat)
      fail_data(where,
                fmt::format("has run format {}, but this program reads formats up to {}", format,
                            kRunFormat),
                "update graphsurgeon");
    info.format = json.value("format", int64_t{1});
    info.data = json.at("data");
    info.features = json.at("features");
    info.nodes = json.at("nodes");
    info.edges = json.at("edges");
    info.task = task_from_name(json.value("task", "none"));
    info.classes = json.value("classes", int64_t{0});
    info.by_data = json.value("by_data", info.by_data);
    describe(info.options).set_json(json.at("options"), where, false);
    if (json.contains("treatment")) info.options.load.fitted = treatment_from(json["treatment"]);
    // As in `train`: generated features depend on the seed.
    info.options.load.seed = info.options.train.seed;
  } catch (const nlohmann::json::exception& error) {
    fail_data(where, fmt::format("is not a run's description: {}", printable(error.what(), 120)),
              "pass a run folder that 'graphsurgeon train' wrote");
  }
  return info;
}

LoadOptions load_like(const RunInfo& info, const std::string& data, const LoadOptions& now,
                      const std::set<std::string>& given) {
  LoadOptions load = info.options.load, typed = now;
  const bool other = data != info.data;
  std::error_code error;
  if (other) load.features_file.clear();
  for (std::string* file : {&load.labels_file, &load.splits_file})
    if (other || !std::filesystem::exists(*file, error)) file->clear();
  OptionList target = describe(load);
  const OptionList source = describe(typed);
  for (const Option& option : source.options())
    if (given.contains(option.name) || (option.name == "data-root" && !now.data_root.empty()))
      target.find_option(option.name)->copy_value(option);
  if (given.contains("features")) load.fitted = nullptr;
  if (info.format < 3 && load.symmetrize == Switch::automatic && is_edge_list(data, load.format))
    load.symmetrize = Switch::no;
  return load;
}

}  // namespace gs
