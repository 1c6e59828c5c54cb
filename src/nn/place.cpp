#include "nn/place.h"

#include "base/error.h"

namespace gs {

Place place_for(const std::string& device, Kernels kernels, at::ScalarType type) {
  if (device == "cpu") return {at::kCPU, type, kernels == Kernels::native && type == at::kFloat};
  if (!device.starts_with("cuda"))
    fail_usage("--device", fmt::format("'{}' is not a device", printable(device)),
               "cpu, cuda or cuda:N");
  if (!at::hasCUDA())
    fail_usage("--device", "this libtorch was built without CUDA", "use --device cpu");
  try {
    return {at::Device(device), type};
  } catch (const c10::Error&) {
    fail_usage("--device", fmt::format("'{}' is not a device", printable(device)),
               "cpu, cuda or cuda:N");
  }
}

}  // namespace gs
