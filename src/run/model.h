// Model files: the weights of a run, and the method that they belong to.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "method/method.h"
#include "run/info.h"

namespace gs {

// Named tensors on the way to and from a file.
using TensorMap = std::map<std::string, at::Tensor>;

void save_tensors(const std::filesystem::path& path, const TensorMap& tensors,
                  const std::map<std::string, std::string>& metadata);
TensorMap load_tensors(const std::filesystem::path& path,
                       std::map<std::string, std::string>* metadata = nullptr);

// All weights and buffers, sharing storage.
TensorMap tensors_of(const Parameters& parameters);
// Copies `values` (names without `prefix`) into the parameters. Data Error at `where` if a name is
// missing or a shape differs.
void assign(Parameters& parameters, const TensorMap& values, const std::string& prefix,
            const std::string& where);

// The setting of the method that the run trains; `info` must outlive it.
MethodSetting setting_of(const RunInfo& info, const Device& device, Random random);

// `split`: the fingerprint of the split that the weights were selected on, or empty.
void save_model(const std::filesystem::path& path, const TensorMap& weights, const RunInfo& info,
                const std::string& split = {});

// The model of a run folder, or of one .safetensors file in it (--select val writes one per split),
// ready for inference. It computes with the kernels of its training, so that embeddings repeat.
struct LoadedModel {
  RunInfo info;
  std::unique_ptr<Method> model;
  std::string split = {};  // as saved; empty in most models
};
LoadedModel load_model(const std::filesystem::path& run, const Device& device);

}  // namespace gs
