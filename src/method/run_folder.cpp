#include "method/run_folder.h"

#include <ATen/core/grad_mode.h>

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/safetensors.h"
#include "version.h"

namespace gs {

namespace {

struct TypeName {
  at::ScalarType type;
  std::string_view name;
};
constexpr TypeName kTypes[] = {{at::kFloat, "F32"},
                               {at::kDouble, "F64"},
                               {at::kLong, "I64"},
                               {at::kInt, "I32"},
                               {at::kByte, "U8"}};

at::ScalarType type_of(const std::string& name, const std::string& where) {
  for (const auto& row : kTypes)
    if (row.name == name) return row.type;
  fail_data(where, fmt::format("tensor type {} is not one this program writes", printable(name)),
            "is it a graphsurgeon file?");
}

std::string_view name_of_type(at::ScalarType type) {
  for (const auto& row : kTypes)
    if (row.type == type) return row.name;
  GS_ASSERT(!"tensor type");
}

}  // namespace

void save_tensors(const std::filesystem::path& path, const TensorMap& tensors,
                  const std::map<std::string, std::string>& metadata) {
  SafeTensors out;
  out.metadata = metadata;
  std::vector<at::Tensor> kept;  // contiguous CPU copies live until written
  for (const auto& [name, tensor] : tensors) {
    kept.push_back(tensor.detach().to(at::kCPU).contiguous());
    const at::Tensor& t = kept.back();
    out.tensors[name] = {std::string(name_of_type(t.scalar_type())),
                         t.sizes().vec(),
                         {static_cast<const std::byte*>(t.const_data_ptr()), t.nbytes()}};
  }
  save_safetensors(path, out);
}

TensorMap load_tensors(const std::filesystem::path& path,
                       std::map<std::string, std::string>* metadata) {
  const SafeTensors file = load_safetensors(path);
  TensorMap out;
  for (const auto& [name, view] : file.tensors) {
    at::Tensor tensor = at::empty(view.shape, type_of(view.dtype, path.string()));
    GS_ASSERT(tensor.nbytes() == view.data.size());
    if (!view.data.empty()) std::memcpy(tensor.data_ptr(), view.data.data(), view.data.size());
    out[name] = tensor;
  }
  if (metadata) *metadata = file.metadata;
  return out;
}

void assign(Parameters& parameters, const TensorMap& values, const std::string& prefix,
            const std::string& where) {
  const at::NoGradGuard no_gradient;
  for (const auto& [name, tensor] : parameters.all()) {
    const auto found = values.find(prefix + name);
    if (found == values.end())
      fail_data(where, fmt::format("has no tensor '{}'", name),
                "it was written by a model of another shape");
    if (found->second.sizes() != tensor.sizes())
      fail_data(where, fmt::format("tensor '{}' has another shape than this model's", name),
                "widths, layers and mode must be those it was trained with");
    at::Tensor target = tensor;
    target.copy_(found->second);
  }
}

RunInfo RunInfo::of(const std::string& name, const Dataset& data, const RunOptions& options,
                    const std::vector<std::string>& by_data) {
  return {name,
          data.features.width(),
          data.nodes(),
          data.graph.edges(),
          data.labels.task,
          data.labels.classes,
          options,
          by_data};
}

std::string to_json_text(const RunInfo& info) {
  RunOptions options = info.options;
  return nlohmann::json{{"graphsurgeon", GS_VERSION}, {"data", info.data},
                        {"features", info.features},  {"nodes", info.nodes},
                        {"edges", info.edges},        {"task", task_name(info.task)},
                        {"classes", info.classes},    {"options", describe(options).json()},
                        {"by_data", info.by_data}}
      .dump(2);
}

namespace {

Task task_from_name(const std::string& name) {
  for (const Task task : {Task::none, Task::binary, Task::multiclass, Task::multilabel})
    if (task_name(task) == name) return task;
  return Task::none;
}

}  // namespace

RunInfo run_info_from_json(const std::string& text, const std::string& where) {
  RunInfo info;
  try {
    const auto json = nlohmann::json::parse(text);
    info.data = json.at("data");
    info.features = json.at("features");
    info.nodes = json.at("nodes");
    info.edges = json.at("edges");
    info.task = task_from_name(json.value("task", "none"));
    info.classes = json.value("classes", int64_t{0});
    info.by_data = json.value("by_data", info.by_data);
    describe(info.options).set_json(json.at("options"), where, false);
    info.options.load.seed =
        info.options.train.seed;  // as `train` has it: made features depend on it
  } catch (const nlohmann::json::exception& error) {
    fail_data(where, fmt::format("is not a run's description: {}", printable(error.what(), 120)),
              "name a run folder that 'graphsurgeon train' wrote");
  }
  return info;
}

std::filesystem::path split_model_file(const std::filesystem::path& run, size_t split) {
  return run / fmt::format("model-split-{}.safetensors", split);
}

std::string fingerprint(const Split& split) {
  Hasher hasher;
  for (const auto* set : {&split.train, &split.val, &split.test})
    hasher.add(std::span<const int32_t>(*set));
  return hasher.result().hex();
}

LoadOptions load_like(const RunInfo& info, const LoadOptions& now,
                      const std::set<std::string>& given) {
  LoadOptions load = info.options.load, typed = now;
  OptionList target = describe(load);
  const OptionList source = describe(typed);
  for (const Option& option : source.options())
    if (given.contains(option.name) || (option.name == "data-root" && !now.data_root.empty()))
      target.find_option(option.name)->set(option.json(), "");
  return load;
}

void save_model(const std::filesystem::path& path, const TensorMap& weights, const RunInfo& info,
                const std::string& split) {
  std::map<std::string, std::string> metadata{{"graphsurgeon", to_json_text(info)}};
  if (!split.empty()) metadata["split"] = split;
  save_tensors(path, weights, metadata);
}

LoadedModel load_model(const std::filesystem::path& run, const Place& place) {
  const auto path = std::filesystem::is_directory(run) ? run / "model.safetensors" : run;
  std::map<std::string, std::string> metadata;
  const TensorMap tensors = load_tensors(path, &metadata);
  LoadedModel out;
  out.info = run_info_from_json(metadata["graphsurgeon"], path.string());
  out.split = metadata["split"];
  Place actual = place;
  actual.native = place.native && out.info.options.train.kernels == Kernels::native;
  out.model = make_method(out.info.setting(actual, Random(0)));
  assign(out.model->parameters(), tensors, "", path.string());
  return out;
}

}  // namespace gs
