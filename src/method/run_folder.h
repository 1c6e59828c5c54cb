// A run folder: options.json, metrics.jsonl, model.safetensors, state.safetensors, embeddings.npy,
// ids.txt, and scores.json by eval. Each file is written whole or not at all. state.safetensors
// alone suffices to resume: it holds weights, optimiser, the kept models of --select val, the
// epoch, the options and how long metrics.jsonl was.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/run_options.h"
#include "method/method.h"

namespace gs {

// What a model was made for, kept beside its weights: enough to build it again without the data.
struct RunInfo {
  std::string data;      // as typed
  int64_t features = 0;  // F
  int64_t nodes = 0, edges = 0;
  Task task = Task::none;  // of the labels, and how many classes they have
  int64_t classes = 0;
  RunOptions options;
  std::vector<std::string> by_data;  // names of the options that the data decided

  static RunInfo of(const std::string& name, const Dataset& data, const RunOptions& options,
                    const std::vector<std::string>& by_data = {});
  MethodSetting setting(const Place& place, Random random) const {
    return {features, task, classes, options, place, random};
  }
};

// Named tensors on the way to and from a file.
using TensorMap = std::map<std::string, at::Tensor>;

void save_tensors(const std::filesystem::path& path, const TensorMap& tensors,
                  const std::map<std::string, std::string>& metadata);
TensorMap load_tensors(const std::filesystem::path& path,
                       std::map<std::string, std::string>* metadata = nullptr);

// Copies `values` (names with `prefix` cut) into the parameters. Data Error at `where` when a name
// is missing or a shape differs.
void assign(Parameters& parameters, const TensorMap& values, const std::string& prefix,
            const std::string& where);

// `split`: the fingerprint of the split that the weights were selected on, if on one.
void save_model(const std::filesystem::path& path, const TensorMap& weights, const RunInfo& info,
                const std::string& split = {});
// The model of a run folder, or of one .safetensors file in it (--select val writes one a split),
// ready for inference. It computes with the kernels of its training, so that embeddings repeat.
struct LoadedModel {
  RunInfo info;
  std::unique_ptr<Method> model;
  std::string split = {};  // as it was saved; empty in most
};
LoadedModel load_model(const std::filesystem::path& run, const Place& place);

// The file of split number k's encoder in a run of --select val.
std::filesystem::path split_model_file(const std::filesystem::path& run, size_t split);
std::string fingerprint(const Split& split);

// How to load data for a run: as its training did, but for the options that the user set now (their
// names are `given`) and for the catalog's folder.
LoadOptions load_like(const RunInfo& info, const LoadOptions& now,
                      const std::set<std::string>& given);

std::string to_json_text(const RunInfo& info);
RunInfo run_info_from_json(const std::string& text, const std::string& where);

}  // namespace gs
