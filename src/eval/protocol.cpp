#include "eval/protocol.h"

#include "base/npy.h"
#include "dataset/splits.h"
#include "method/inference.h"
#include "method/run_folder.h"
#include "nn/place.h"

namespace gs {

namespace {

namespace stdfs = std::filesystem;

constexpr int64_t kSmoothedLimit = int64_t{1} << 29;  // elements of the dense smoothed features

at::Tensor load_embeddings(const stdfs::path& path, int64_t nodes) {
  const NpyArray array = load_npy(path);
  array.require_dims(2);
  if (array.rows() != nodes)
    fail_data(path.string(), fmt::format("has {} rows for {} nodes", array.rows(), nodes),
              "embeddings need one row a node");
  return view_of(array.as<float>(), {array.shape[0], array.shape[1]});
}

std::string describe_splits(const Dataset& data, const std::string& spec, size_t count,
                            int64_t seed) {
  const bool own =
      (spec == "auto" && !data.splits.empty()) || spec == "own" || spec.starts_with("public");
  if (own) return fmt::format("{} of the data's own", count);
  return fmt::format("{} {}, seed {}", count, spec == "auto" ? "random:5/15/80" : spec, seed);
}

class Evaluator {
 public:
  Evaluator(const EvalCall& call, Progress& progress)
      : call_(call), progress_(progress), place_(place_for(call.device)) {}

  Evaluation run() {
    const bool is_run = stdfs::is_directory(call_.input);
    LoadOptions load = call_.load;
    ProbeOptions& probe = probe_;
    probe = call_.probe;
    LoadedModel model;
    if (is_run) {
      model = load_model(call_.input, place_);
      if (!call_.load_given) load = model.info.options.load, load.data_root = call_.load.data_root;
    }
    data_ = load_dataset(call_.data, load, progress_);
    if (data_.labels.task == Task::none)
      fail_data(call_.data, "has no labels to score against",
                "give them with --labels-file, or use another dataset");
    const bool per_split = is_run && model.info.options.train.select == Select::val;
    if (per_split) {  // the splits it was selected on, or one split's validation would be another's
                      // test
      probe.splits = model.info.options.train.splits;
      probe.runs = model.info.options.train.runs;
      probe.split_seed = model.info.options.train.seed;
    }
    splits_ = make_splits(data_, probe.splits, probe.runs, static_cast<uint64_t>(probe.split_seed));
    Evaluation out;
    out.splits = describe_splits(data_, probe.splits, splits_.size(), probe.split_seed);
    out.train_labels = static_cast<int64_t>(splits_.front().train.size());
    const ModelOptions shape = is_run ? model.info.options.model : ModelOptions{};
    if (probe.reference || is_run) batch_.emplace(whole_graph(data_, shape, place_));
    if (probe.reference) references(shape, is_run ? model.info.options.train.seed : 0, out);
    if (per_split) out.score = score_per_split();
    else if (is_run) out.score = score(embeddings(*model.model));
    else out.score = score(load_embeddings(call_.input, data_.nodes()));
    return out;
  }

 private:
  at::Tensor embeddings(const GraphSurgeon& model) {
    if (model.features() != data_.features.width())
      fail_data(call_.data,
                fmt::format("has {} features, but the model was trained on {}",
                            data_.features.width(), model.features()),
                "score it on a graph whose features are those of the training graph");
    return embed(model, *batch_, {}, progress_).to(at::kCPU, at::kFloat).contiguous();
  }

  Score score(const Input& x) const {
    return linear_probe(x, data_.labels, splits_, probe_, static_cast<uint64_t>(probe_.split_seed));
  }

  Score score_per_split() {
    Score all;
    for (size_t s = 0; s < splits_.size(); ++s) {
      const LoadedModel kept = load_model(
          stdfs::path(call_.input) / fmt::format("model-split-{}.safetensors", s), place_);
      const Score one = linear_probe(embeddings(*kept.model), data_.labels, {splits_[s]}, probe_,
                                     static_cast<uint64_t>(probe_.split_seed));
      all.metric = one.metric;
      all.runs.push_back(one.runs.front());
    }
    return all;
  }

  void references(const ModelOptions& shape, int64_t seed, Evaluation& out) {
    if (data_.features.width() == 0) return;
    const Input raw = make_input(data_.features, Place{});  // plain: the probe reads its matrix
    out.reference["raw"] = score(raw);
    if (data_.nodes() * data_.features.width() <= kSmoothedLimit) {
      const auto adjacency = adjacency_for(Convolution::gcn, data_.graph, place_for("cpu"));
      at::Tensor x = raw.sparse() ? raw.times(at::eye(raw.width())) : raw.dense();
      for (int hop = 0; hop < 2; ++hop) x = adjacency->apply(x);
      out.reference["smoothed"] = score(x);
    }
    const GraphSurgeon untrained(data_.features.width(), shape, place_,
                                 Random(static_cast<uint64_t>(seed)).fork("init"));
    out.reference["untrained"] = score(embeddings(untrained));
  }

  const EvalCall& call_;
  Progress& progress_;
  Place place_;
  ProbeOptions probe_;
  Dataset data_;
  std::vector<Split> splits_;
  std::optional<Batch> batch_;
};

}  // namespace

Evaluation evaluate(const EvalCall& call, Progress& progress) {
  return Evaluator(call, progress).run();
}

}  // namespace gs
