#include "config/run_options.h"

#include <nlohmann/json.hpp>

#include "base/file.h"

namespace gs {

std::span<const Named<Protocol>> names_of(Protocol) {
  static constexpr Named<Protocol> kTable[] = {
      {"authors", Protocol::authors,
       "the last epoch, probes of 500 steps: what the authors' code does"},
      {"paper", Protocol::paper, "500 epochs, the best validation epoch: what the paper says"}};
  return kTable;
}

void RunOptions::describe(OptionList& v) {
  model.describe(v);
  loss.describe(v);
  train.describe(v);
  v("protocol", protocol, "sets epochs and selection where they are not given");
  load.describe(v);
}

void RunOptions::apply_protocol(OptionList& list) {
  if (protocol != Protocol::paper) return;
  if (!list.find_option("epochs")->given) train.epochs = 500;
  if (!list.find_option("select")->given) train.select = Select::val;
}

namespace {

// Sets what the object holds, except what the user gave already.
void apply(OptionList& list, nlohmann::json values, const std::string& where, bool given) {
  if (values.is_object())
    for (const auto& option : list.options())
      if (option.given) values.erase(option.name);
  list.set_json(values, where, given);
}

}  // namespace

void apply_preset(OptionList& list, const std::string& name) {
  std::vector<std::string> known;
  for (const Preset& preset : presets()) {
    known.push_back(preset.name);
    if (preset.name == name)
      return apply(list, nlohmann::json::parse(preset.options_json), "preset " + name, false);
  }
  fail_unknown("preset", name, known, "--preset");
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
  if (values.is_object() && values.contains("options"))
    values = values["options"];  // a preset file or a run's options.json
  apply(list, values, file.string(), true);
}

}  // namespace gs
