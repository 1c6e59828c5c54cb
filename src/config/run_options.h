// Everything that `train` takes and a run folder's options.json keeps: data treatment, model, loss,
// training.
#pragma once

#include <filesystem>

#include "config/loader_options.h"
#include "config/loss_options.h"
#include "config/method_options.h"
#include "config/model_options.h"
#include "config/train_options.h"
#include "dataset/load.h"

namespace gs {

enum class Protocol { authors, paper };
std::span<const Named<Protocol>> names_of(Protocol);
// Steps of a probe: 500, but 100 by the paper's protocol on everything except Yelp and Reddit.
// `dataset`: a Dataset's name, which is the catalog's for data that the catalog knows.
int64_t probe_epochs(Protocol protocol, std::string_view dataset);

struct RunOptions {
  LoadOptions load;
  MethodOptions method;
  ModelOptions model;
  LossOptions loss;
  TrainOptions train;
  LoaderOptions loader;
  Protocol protocol = Protocol::authors;

  void describe(OptionList& v);
  // Settles every value from where it may come, the later winning: the method's own defaults, the
  // preset, the config file, what the user gave. `list` describes this struct; both names may be
  // empty. Then the protocol's values and check().
  void resolve(OptionList& list, const std::string& preset, const std::string& config);
  // Usage Error for what the declared types and ranges do not catch; needs no data.
  void check() const;

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
bool has_preset(std::string_view name);
// Applies preset `name`; usage Error with the nearest name when there is none. Options the user
// gave stay.
void apply_preset(OptionList& list, const std::string& name);
// Applies a JSON file: an object of options, or one that holds them under "options" beside what a
// preset or a run's options.json tells of itself. Unknown keys are an error in either. Options
// given on the command line stay.
void apply_config(OptionList& list, const std::filesystem::path& file);

}  // namespace gs
