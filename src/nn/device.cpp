#include "nn/device.h"

#include "base/error.h"

namespace gs {

Device make_device(const std::string& name, Kernels kernels, at::ScalarType dtype) {
  if (name == "cpu") return {at::kCPU, dtype, kernels == Kernels::native && dtype == at::kFloat};
  if (!name.starts_with("cuda"))
    fail_usage("--device", fmt::format("'{}' is not a device", printable(name)),
               "cpu, cuda or cuda:N");
  if (!at::hasCUDA())
    fail_usage("--device", "this libtorch was built without CUDA", "use --device cpu");
  try {
    return {at::Device(name), dtype};
  } catch (const c10::Error&) {
    fail_usage("--device", fmt::format("'{}' is not a device", printable(name)),
               "cpu, cuda or cuda:N");
  }
}

}  // namespace gs
