// Named sets of option values, compiled in from presets/*.json: "photo" (the authors'),
// "photo-tuned" (ours); and the JSON files that --config reads.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "base/options.h"

namespace gs {

struct Preset {
  std::string name, origin, options_json;
};
std::span<const Preset> presets();
bool has_preset(std::string_view name);

// Applies preset `name`; usage Error with the nearest name if there is none. Options that the user
// gave stay.
void apply_preset(OptionList& list, const std::string& name);

// Applies a JSON file: an object of options, or one that holds them under "options", as a preset or
// a run's options.json does. Unknown keys are an error in both. Options that the user gave stay.
void apply_config(OptionList& list, const std::filesystem::path& file);

}  // namespace gs
