#include "eval/references.h"

#include "nn/device.h"
#include "options/methods.h"
#include "run/auto_options.h"

namespace gs {

namespace {

// The embeddings of a method that needs no training, with its own defaults, on the CPU.
at::Tensor plain_embeddings(const std::string& method, const ReferenceSetting& setting) {
  RunInfo info;
  info.features = setting.data.features.width();
  info.options = default_options(method_info(method));
  info.options = choose_auto_options(info.options, setting.data).options;
  const Device cpu = make_device("cpu");
  const Batch batch = whole_graph(setting.data, info.options.model.encoder, cpu);
  const auto made = make_method(setting_of(info, cpu, Random(0)));
  const at::Tensor solved = made->solve(batch, {setting.memory}, no_progress());
  return solved.defined() ? solved : made->embed(batch, {setting.memory});
}

at::Tensor untrained_embeddings(const ReferenceSetting& setting, Progress& progress) {
  RunInfo info = setting.info;
  // Nothing is known of the encoder of embeddings in a file, and a solved method has none.
  if (method_info(info.options.method.method).solved) info.options = RunOptions{};
  info.features = setting.data.features.width();
  info.options = choose_auto_options(info.options, setting.data).options;
  const Random seed(static_cast<uint64_t>(info.options.train.seed));
  const Batch batch = whole_graph(setting.data, info.options.model.encoder, setting.device);
  const auto untrained = make_method(setting_of(info, setting.device, seed.fork("init")));
  return untrained->embed(batch, {setting.memory}, progress).to(at::kCPU, at::kFloat).contiguous();
}

}  // namespace

void visit_references(const ReferenceSetting& setting, const VisitReference& visit,
                      Progress& progress) {
  if (setting.data.features.width() == 0) return;
  visit("raw", make_input(setting.data.features, Device{}));
  for (const char* method : {"smoothed", "diffused"})
    visit(method, plain_embeddings(method, setting));
  if (setting.untrained) visit("untrained", untrained_embeddings(setting, progress));
}

std::string own_title(const RunInfo* info) {
  if (!info) return "embeddings";
  return method_info(info->options.method.method).solved ? "solved" : "trained";
}

}  // namespace gs
