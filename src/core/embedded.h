// The embeddings that a call is about, and the dataset they are of: computed by a run's model, or
// mapped from an .npy.
#pragma once

#include <filesystem>
#include <functional>

#include "dataset/load.h"
#include "method/embed.h"
#include "nn/place.h"

namespace gs {

struct Embedded {
  Dataset data;
  at::Tensor z;  // N x W floats on the CPU
};

// `look` may refuse the run or the data before the long work. Call: an EmbedCall or EvalCall.
template <class Call>
Embedded embedded_by_run(const std::filesystem::path& run, const Call& call, Progress& progress,
                         const std::function<void(const RunInfo&, const Dataset&)>& look) {
  const LoadedModel loaded = load_model(run, place_for(call.device));
  Embedded out;
  out.data = load_dataset(call.data, load_like(loaded.info, call.load, call.given), progress);
  check_width(loaded.info, out.data, call.data);
  look(loaded.info, out.data);
  out.z = embed(loaded, out.data, call.data, {call.memory_mib << 20}, progress);
  return out;
}

}  // namespace gs
