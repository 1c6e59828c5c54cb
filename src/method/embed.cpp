#include "method/embed.h"

#include "base/error.h"
#include "config/methods.h"

namespace gs {

void check_width(const RunInfo& info, const Dataset& data, const std::string& name) {
  if (data.features.width() != info.features)
    fail_data(name,
              fmt::format("has {} features, but the model was trained on {}", data.features.width(),
                          info.features),
              "name a graph whose features are those of the training graph");
}

void check_gives_embeddings(const RunInfo& info, const std::string& what) {
  if (method_info(info.options.method.method).supervised())
    fail_usage(what, "the run learned from labels and gives no embeddings",
               "use a run of a method that learns without labels");
}

at::Tensor embed(const LoadedModel& run, const Dataset& data, const std::string& name,
                 const InferenceOptions& options, Progress& progress) {
  check_width(run.info, data, name);
  const Batch batch =
      whole_graph(data, run.info.options.model.encoder, run.model->parameters().place());
  at::Tensor z = run.model->embed(batch, options, progress).to(at::kCPU, at::kFloat).contiguous();
  progress.finish();
  return z;
}

}  // namespace gs
