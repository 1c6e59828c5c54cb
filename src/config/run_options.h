// Everything that `train` takes and a run folder's options.json keeps: data treatment, model, loss,
// training.
#pragma once

#include <filesystem>

#include "config/loss_options.h"
#include "config/model_options.h"
#include "config/train_options.h"
#include "dataset/load.h"

namespace gs {

enum class Protocol { authors, paper };
std::span<const Named<Protocol>> names_of(Protocol);

struct RunOptions {
  LoadOptions load;
  ModelOptions model;
  LossOptions loss;
  TrainOptions train;
  Protocol protocol = Protocol::authors;

  void describe(OptionList& v);
  // What a protocol sets unless the user said otherwise: paper is 500 epochs with the best
  // validation epoch.
  void apply_protocol(OptionList& list);
};

// Named sets of values, compiled in from presets/*.json: "photo" (the authors'), "photo-tuned"
// (ours).
struct Preset {
  std::string name, origin, options_json;
};
std::span<const Preset> presets();
// Applies preset `name`; usage Error with the nearest name when there is none. Options the user
// gave stay.
void apply_preset(OptionList& list, const std::string& name);
// Applies a JSON file of options; unknown keys are an error. Options given on the command line
// stay.
void apply_config(OptionList& list, const std::filesystem::path& file);

}  // namespace gs
