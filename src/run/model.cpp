#include "run/model.h"

#include <ATen/core/grad_mode.h>

#include "base/safetensors.h"
#include "base/text.h"
#include "nn/expected_shapes.h"
#include "run/record.h"

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
  fail_data(where, fmt::format("tensor type {} is not supported", printable(name)),
            "check that it is a graphsurgeon file");
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
  std::vector<at::Tensor> kept;  // keeps contiguous CPU copies until they are written
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
    const at::ScalarType type = type_of(view.dtype, path.string());
    auto* data = const_cast<std::byte*>(view.data.data());  // from_blob() has no other form
    out[name] = view.data.empty() ? at::empty(view.shape, type)
                                  : at::from_blob(
                                        data, view.shape, [owner = file.owner](void*) {}, type);
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
                "the file was written by a model of another shape");
    if (found->second.sizes() != tensor.sizes())
      fail_data(where, fmt::format("tensor '{}' has another shape than this model's", name),
                "use the widths, layers and mode that the model was trained with");
    if (!at::isfinite(found->second).all().item<bool>())
      fail_data(where, fmt::format("tensor '{}' holds a value that is not finite", name),
                "the file is damaged; train again");
    at::Tensor target = tensor;
    target.copy_(found->second);
  }
}

TensorMap tensors_of(const Parameters& parameters) {
  TensorMap out;
  for (const auto& [name, tensor] : parameters.all()) out[name] = tensor;
  return out;
}

MethodSetting setting_of(const RunInfo& info, const Device& device, Random random) {
  return {info.features, info.task, info.classes, info.options, device, random};
}

void save_model(const std::filesystem::path& path, const TensorMap& weights, const RunInfo& info,
                const std::string& split) {
  std::map<std::string, std::string> metadata{{"graphsurgeon", to_json_text(info, true)}};
  if (!split.empty()) metadata["split"] = split;
  save_tensors(path, weights, metadata);
}

LoadedModel load_model(const std::filesystem::path& run, const Device& device) {
  const bool folder = !run.has_extension() || std::filesystem::is_directory(run);
  if (folder) check_finished(RunFolder(run));
  const auto path = folder ? RunFolder(run).model() : run;
  std::map<std::string, std::string> metadata;
  const TensorMap tensors = load_tensors(path, &metadata);
  LoadedModel out;
  out.info = run_info_from_json(metadata["graphsurgeon"], path.string());
  out.split = metadata["split"];
  Device actual = device;
  if (out.info.features < 1)
    fail_data(path.string(), fmt::format("is a model of {} features", out.info.features),
              "the file is damaged or was edited; train again");
  actual.native = device.native && out.info.options.train.kernels == Kernels::native;
  ExpectedShapes::Shapes shapes;
  for (const auto& [name, tensor] : tensors) shapes[name] = tensor.sizes().vec();
  const ExpectedShapes expected(std::move(shapes), path.string());
  out.model = make_method(setting_of(out.info, actual, Random(0)));
  assign(out.model->parameters(), tensors, "", path.string());
  return out;
}

}  // namespace gs
