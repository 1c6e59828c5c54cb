// All options of `train`, which a run folder's options.json keeps: data treatment, method, model,
// loss, training, batches.
#pragma once

#include "dataset/load.h"
#include "options/loader.h"
#include "options/loss.h"
#include "options/method.h"
#include "options/model.h"
#include "options/spectral.h"
#include "options/train.h"

namespace gs {

enum class Protocol { authors, paper, bgrl };
inline constexpr Named<Protocol> kProtocols[] = {
    {"authors", Protocol::authors,
     "the last epoch and probes of 500 steps, as in the authors' code"},
    {"paper", Protocol::paper,
     "500 epochs, the best validation epoch and probes of 100 steps (Yelp and Reddit 500), as in "
     "the paper"},
    {"bgrl", Protocol::bgrl,
     "trained as by authors; scored by the logistic probe on 20 splits of 10 % training and 10 % "
     "validation nodes, with penalties from 2^-10 to 2^10, as in the BGRL paper"}};
constexpr std::span<const Named<Protocol>> names_of(Protocol) { return kProtocols; }

// Number of probe steps: 500, or 100 by the paper's protocol on all datasets but Yelp and Reddit.
// `dataset`: a Dataset's name, which is the catalog's for data in the catalog.
int64_t probe_epochs(Protocol protocol, std::string_view dataset);

struct RunOptions {
  LoadOptions load;
  MethodOptions method;
  ModelOptions model;
  LossOptions loss;
  SpectralOptions spectral;
  TrainOptions train;
  LoaderOptions loader;
  Protocol protocol = Protocol::authors;

  void describe(OptionList& v);
  // Resolves every value, later sources winning: the method's own defaults, the preset, the config
  // file, the user. `list` describes this struct; both names may be empty. Then applies the
  // protocol and calls check().
  void resolve(OptionList& list, const std::string& preset, const std::string& config);
  // For `train` without --method, before resolve(): spectral, unless the user set an option that
  // only training reads. `list` describes this struct.
  void choose_method(OptionList& list);
  // Usage Error for mistakes that the declared types and ranges do not catch; needs no data.
  void check() const;
  // Sets the protocol's values, except for options that the user gave: paper is 500 epochs with the
  // best validation epoch.
  void apply_protocol(OptionList& list);
};

}  // namespace gs
