#include "run/embed.h"

#include "base/error.h"
#include "base/npy.h"
#include "nn/finite.h"
#include "nn/tensor.h"
#include "options/methods.h"
#include "run/fingerprint.h"

namespace gs {

void check_width(const RunInfo& info, const Dataset& data, const std::string& name) {
  if (data.features.width() != info.features)
    fail_data(name,
              fmt::format("has {} features, but the model was trained on {}", data.features.width(),
                          info.features),
              "use a graph with the same features as the training graph");
}

void check_gives_embeddings(const RunInfo& info, const std::string& what) {
  if (method_info(info.options.method.method).supervised())
    fail_usage(what, "the run learned from labels and has no embeddings",
               "use a run of a method that learns without labels");
}

at::Tensor embed(const LoadedModel& run, const Dataset& data, const std::string& name,
                 const InferenceOptions& options, Progress& progress) {
  check_width(run.info, data, name);
  check_unchanged(data);
  const Batch batch =
      whole_graph(data, run.info.options.model.encoder, run.model->parameters().device());
  at::Tensor z = run.model->embed(batch, options, progress).to(at::kCPU, at::kFloat).contiguous();
  progress.finish();
  check_unchanged(data);
  check_finite(z);
  return z;
}

at::Tensor load_embeddings(const std::filesystem::path& path, int64_t nodes) {
  const NpyArray array = load_npy(path);
  array.require_dims(2);
  if (array.rows() != nodes)
    fail_data(path.string(), fmt::format("has {} rows for {} nodes", array.rows(), nodes),
              "embeddings need one row per node");
  if (array.shape[1] == 0)
    fail_data(path.string(), "holds embeddings without columns", "write the embeddings again");
  return view_of(array.as<float>(), {array.shape[0], array.shape[1]});
}

}  // namespace gs
