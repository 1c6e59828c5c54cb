#include "options/preset.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

namespace gs {

namespace {

// Sets the options in the object, except those that the user gave.
void apply(OptionList& list, nlohmann::json values, const std::string& where, bool given) {
  if (values.is_object()) {
    for (const auto& option : list.options()) {
      if (!option.given) continue;
      values.erase(option.name);
      for (const std::string& before : option.renamed) values.erase(before);
    }
    // The option is a string, since it may be a word; JSON may hold it as a number.
    if (const auto weight = values.find("similarity-weight");
        weight != values.end() && weight->is_number())
      *weight = weight->dump();
  }
  list.set_json(values, where, given);
}

// The options in `values`: the object itself, or its "options". Beside those, a preset has its
// origin and a run's options.json has a description of the run.
nlohmann::json options_in(const OptionList& list, const nlohmann::json& values,
                          const std::string& where) {
  static const std::vector<std::string> kKeys{"options", "origin",   "graphsurgeon", "format",
                                              "data",    "features", "nodes",        "edges",
                                              "task",    "classes",  "by_data"};
  if (!values.is_object()) return values;  // set_json() reports it
  const bool wrapped = values.contains("options");
  for (const auto& [key, value] : values.items()) {
    const bool option = list.find_option(key) || list.find_renamed(key);
    if (std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end() && (wrapped || !option)) {
      if (wrapped) continue;
      fail_usage(where, fmt::format("has '{}' but no \"options\"", key),
                 "the file holds options, or an \"options\" object beside its description");
    }
    if (wrapped && option)
      fail_usage(where, fmt::format("option '{}' is outside \"options\"", key),
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

void apply_config(OptionList& list, const std::filesystem::path& file) {
  const MappedFile mapped(file);
  nlohmann::json values;
  try {
    values = parse_json(mapped.text());
  } catch (const nlohmann::json::exception& error) {
    fail_data(file.string(), fmt::format("is not valid JSON: {}", printable(error.what(), 120)),
              "the file holds one object, such as {\"epochs\": 50}");
  }
  apply(list, options_in(list, values, file.string()), file.string(), true);
}

}  // namespace gs
