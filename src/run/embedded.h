// The dataset and the embeddings of a request: computed by a run's model, or mapped from an .npy.
#pragma once

#include <filesystem>
#include <functional>

#include "dataset/load.h"
#include "nn/device.h"
#include "run/neighborhood.h"

namespace gs {

struct Embedded {
  Dataset data;
  at::Tensor z;  // N x W floats on the CPU
};

// `look` may reject the run or the data before the long work. `nodes`: only these are embedded,
// unless there are none; read after `look`. Request: an EmbedRequest or an EvalRequest.
template <class Request>
Embedded embedded_by_run(const std::filesystem::path& run, const Request& request,
                         Progress& progress,
                         const std::function<void(const RunInfo&, const Dataset&)>& look,
                         const std::vector<int32_t>* nodes = nullptr) {
  const LoadedModel loaded = load_model(run, make_device(request.device));
  Embedded out;
  out.data = load_dataset(
      request.data, load_like(loaded.info, request.data, request.load, request.given), progress);
  check_width(loaded.info, out.data, request.data);
  look(loaded.info, out.data);
  const InferenceOptions options{request.memory_mib << 20};
  out.z = nodes && !nodes->empty()
              ? embed_nodes(loaded, out.data, *nodes, request.data, options, progress)
              : embed(loaded, out.data, request.data, options, progress);
  return out;
}

}  // namespace gs
