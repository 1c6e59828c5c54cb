#include "config/run_options.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "config/methods.h"

namespace gs {

std::span<const Named<Protocol>> names_of(Protocol) {
  static constexpr Named<Protocol> kTable[] = {
      {"authors", Protocol::authors,
       "the last epoch, probes of 500 steps: what the authors' code does"},
      {"paper", Protocol::paper,
       "500 epochs, the best validation epoch, probes of 100 steps (Yelp and Reddit 500): what the "
       "paper says"}};
  return kTable;
}

int64_t probe_epochs(Protocol protocol, std::string_view dataset) {
  const bool large = dataset == "yelp" || dataset == "reddit";
  return protocol == Protocol::paper && !large ? 100 : 500;
}

void RunOptions::describe(OptionList& v) {
  method.describe(v);
  model.describe(v);
  loss.describe(v);
  train.describe(v);
  loader.describe(v);
  v("protocol", protocol, "sets epochs, selection and steps of a probe where they are not given");
  load.describe(v);
}

void RunOptions::apply_protocol(OptionList& list) {
  if (protocol != Protocol::paper) return;
  if (method_info(method.method).group == MethodGroup::reference) return;  // nothing to train
  if (!list.find_option("epochs")->given) train.epochs = 500;
  if (!list.find_option("select")->given) train.select = Select::val;
}

void RunOptions::check() const {
  const MethodInfo& info = method_info(method.method);
  if (!info.works_with(loader.loader)) {
    std::string known;
    for (const LoaderKind kind : info.loaders)
      known += fmt::format("{}{}", known.empty() ? "" : ", ", name_of(names_of(kind), kind));
    fail_usage("--loader",
               fmt::format("{} does not work with {}", info.name,
                           name_of(names_of(loader.loader), loader.loader)),
               fmt::format("use one of: {}", known));
  }
  if (model.encoder == Convolution::gat && !info.supervised())
    fail_usage("--encoder", fmt::format("{} has no attention", info.name),
               "use gcn or sage; gat is for the methods that learn from labels");
  if (info.group == MethodGroup::reference && train.epochs > 0)
    fail_usage("--epochs", fmt::format("{} learns nothing", info.name), "leave it at 0");
  if (loader.chosen_seeds() && loader.loader == LoaderKind::full)
    fail_usage("--seeds", "the loss of a full batch is on every node",
               "use --loader neighbor, cluster or saint with it");
  if (loader.chosen_seeds() && loader.seeds != "train" && info.supervised())
    fail_usage("--seeds", fmt::format("{} learns from the nodes of its split", info.name),
               "leave it out");
  loss.similarity_factor(1, 1);
  loader.fanouts_of(model.layers);
}

namespace {

// Sets what the object holds, except what the user gave already.
void apply(OptionList& list, nlohmann::json values, const std::string& where, bool given) {
  if (values.is_object()) {
    for (const auto& option : list.options())
      if (option.given) values.erase(option.name);
    // A text on the command line, since it may be a word; in JSON its numbers are numbers.
    if (const auto weight = values.find("similarity-weight");
        weight != values.end() && weight->is_number())
      *weight = weight->dump();
  }
  list.set_json(values, where, given);
}

// The options of `values`, which are the object itself or its "options". Beside those a preset says
// its origin, and a run's options.json what it was trained on.
nlohmann::json options_of(const OptionList& list, const nlohmann::json& values,
                          const std::string& where) {
  static const std::vector<std::string> kKeys{"options",  "origin", "graphsurgeon", "data",
                                              "features", "nodes",  "edges",        "task",
                                              "classes",  "by_data"};
  if (!values.is_object()) return values;  // refused by who sets them
  const bool wrapped = values.contains("options");
  for (const auto& [name, value] : values.items()) {
    const std::string& key = name;
    const bool option = std::any_of(list.options().begin(), list.options().end(),
                                    [&](const Option& o) { return o.name == key; });
    if (std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end() && (wrapped || !option)) {
      if (wrapped) continue;
      fail_usage(where, fmt::format("has '{}' but no \"options\"", key),
                 "it holds options, or an \"options\" object beside its description");
    }
    if (wrapped && option)
      fail_usage(where, fmt::format("option '{}' stands beside \"options\"", key),
                 "move it into \"options\"");
    if (wrapped || value.is_object()) fail_unknown("key", key, kKeys, where);
  }
  return wrapped ? values["options"] : values;
}

}  // namespace

bool has_preset(std::string_view name) {
  return std::any_of(presets().begin(), presets().end(),
                     [&](const Preset& preset) { return preset.name == name; });
}

void apply_preset(OptionList& list, const std::string& name) {
  std::vector<std::string> known;
  for (const Preset& preset : presets()) {
    known.push_back(preset.name);
    if (preset.name == name)
      return apply(list, nlohmann::json::parse(preset.options_json), "preset " + name, false);
  }
  fail_unknown("preset", name, known, "--preset");
}

void RunOptions::resolve(OptionList& list, const std::string& preset, const std::string& config) {
  if (!config.empty()) apply_config(list, config);
  if (!preset.empty()) apply_preset(list, preset);  // it may name the method
  const MethodInfo& info = method_info(method.method);
  apply(list, nlohmann::json::parse(info.defaults), fmt::format("method {}", info.name), false);
  if (!preset.empty()) apply_preset(list, preset);
  apply_protocol(list);
  if (model.layers == 0 && list.find_option("fanouts")->given)  // as many hops as were asked for
    model.layers = static_cast<int64_t>(loader.fanouts.size());
  check();
}

void apply_config(OptionList& list, const std::filesystem::path& file) {
  const MappedFile mapped(file);
  nlohmann::json values;
  try {
    values = nlohmann::json::parse(mapped.text());
  } catch (const nlohmann::json::exception& error) {
    fail_data(file.string(), fmt::format("is not valid JSON: {}", printable(error.what(), 120)),
              "it holds one object, as {\"epochs\": 50}");
  }
  apply(list, options_of(list, values, file.string()), file.string(), true);
}

}  // namespace gs
