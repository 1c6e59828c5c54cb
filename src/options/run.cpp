#include "options/run.h"

#include <fmt/ranges.h>

#include <set>

#include "options/convolutions.h"
#include "options/methods.h"
#include "options/preset.h"

namespace gs {

namespace {

std::vector<std::string_view> loaders_of(const MethodInfo& method) {
  std::vector<std::string_view> out;
  for (const LoaderInfo& loader : loaders())
    if (method.loaders.allows(loader.name)) out.push_back(loader.name);
  return out;
}

// The convolutions without attention.
std::vector<std::string_view> plain_convolutions() {
  std::vector<std::string_view> out;
  for_each_convolution([&](const ConvolutionInfo& row) {
    if (!row.attention) out.push_back(row.name);
  });
  return out;
}

// Sets the method's own defaults, except for options that the user gave.
void apply_defaults(OptionList& list, const MethodInfo& method) {
  RunOptions plain, own = default_options(method);
  const OptionList before = describe(plain), after = describe(own);
  for (Option& option : list.options()) {
    const Option* value = after.find_option(option.name);
    const bool changed = value->text() != before.find_option(option.name)->text();
    if (changed && !option.given && option.name != "method") option.copy_value(*value);
  }
}

}  // namespace

int64_t probe_epochs(Protocol protocol, std::string_view dataset) {
  const bool large = dataset == "yelp" || dataset == "reddit";
  return protocol == Protocol::paper && !large ? 100 : 500;
}

void RunOptions::describe(OptionList& v) {
  method.describe(v);
  model.describe(v);
  loss.describe(v);
  spectral.describe(v);
  train.describe(v);
  loader.describe(v);
  v("protocol", protocol, "default epochs, selection and probe steps");
  load.describe(v);
}

void RunOptions::apply_protocol(OptionList& list) {
  if (protocol != Protocol::paper) return;
  if (!method_info(method.method).trains()) return;
  if (!list.find_option("epochs")->given) train.epochs = 500;
  if (!list.find_option("select")->given) train.select = Select::val;
}

void RunOptions::check() const {
  const MethodInfo& info = method_info(method.method);
  if (!info.loaders.allows(loader.loader))
    fail_usage("--loader", fmt::format("{} does not work with {}", info.name, loader.loader),
               fmt::format("use one of: {}", fmt::join(loaders_of(info), ", ")));
  if (convolution_info(model.encoder).attention && !info.supervised())
    fail_usage("--encoder", fmt::format("{} has no attention", info.name),
               fmt::format("use one of: {}; attention is for the supervised methods",
                           fmt::join(plain_convolutions(), ", ")));
  if (!info.trains() && train.epochs > 0)
    fail_usage(
        "--epochs",
        fmt::format("{} {}", info.name, info.solved ? "is solved at once" : "learns nothing"),
        "leave it at 0");
  std::vector<std::string_view> sampled = loaders_of(info);
  std::erase(sampled, kFullBatch);
  if (loader.chooses_targets() && loader.loader == kFullBatch)
    fail_usage("--target-nodes", "the loss of a full batch is on every node",
               fmt::format("use a sampled loader, one of: {}", fmt::join(sampled, ", ")));
  if (loader.chooses_targets() && loader.target_nodes != "train" && info.supervised())
    fail_usage("--target-nodes", fmt::format("{} learns from the nodes of its split", info.name),
               "leave it out");
  loss.similarity_factor(1, 1);
  spectral.parsed_filters();
  loader.fanouts_of(model.layers);
}

void RunOptions::choose_method(OptionList& list) {
  if (list.find_option("method")->given) return;
  std::set<std::string> neutral{"dim", "seed", "device", "kernels", "memory", "protocol"};
  const OptionList of_data = gs::describe(load), of_spectral = gs::describe(spectral);
  for (const Option& option : of_data.options()) neutral.insert(option.name);
  for (const Option& option : of_spectral.options()) neutral.insert(option.name);
  for (const Option& option : list.options())
    if (option.given && !neutral.contains(option.name)) return;
  method.method = "spectral";
}

void RunOptions::resolve(OptionList& list, const std::string& preset, const std::string& config) {
  if (!config.empty()) apply_config(list, config);
  if (!preset.empty()) apply_preset(list, preset);  // it may name the method
  apply_defaults(list, method_info(method.method));
  if (!preset.empty()) apply_preset(list, preset);
  apply_protocol(list);
  // One layer per hop of --fanouts.
  if (model.layers == 0 && list.find_option("fanouts")->given)
    model.layers = static_cast<int64_t>(loader.fanouts.size());
  load.binary_weights = method_info(method.method).trains();
  check();
}

}  // namespace gs
