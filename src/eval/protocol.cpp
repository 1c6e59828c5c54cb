#include "eval/protocol.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/npy.h"
#include "dataset/splits.h"
#include "eval/predictions.h"
#include "method/embed.h"
#include "method/settle.h"
#include "nn/place.h"
#include "nn/scratch_matrix.h"

namespace gs {

namespace {

namespace stdfs = std::filesystem;

constexpr int64_t kSmoothedColumns = 32;  // smoothed at once

std::string describe_splits(const Dataset& data, const std::string& spec, size_t count,
                            int64_t seed) {
  const bool own =
      (spec == "auto" && !data.splits.empty()) || spec == "own" || spec.starts_with("public");
  if (own) return fmt::format("{} of the data's own", count);
  return fmt::format("{} {}, seed {}", count, spec == "auto" ? "random:5/15/80" : spec, seed);
}

// Whether two option lists of the same struct hold the same values, the catalog's folder aside.
bool same_treatment(LoadOptions a, LoadOptions b) {
  a.data_root.clear(), b.data_root.clear();
  return describe(a).json() == describe(b).json();
}

class Evaluator {
 public:
  Evaluator(const EvalCall& call, Progress& progress, const TrainAgain& train_again)
      : call_(call),
        progress_(progress),
        train_again_(train_again),
        place_(place_for(call.device)),
        probe_(call.probe) {}

  EvalResult run() {
    const bool is_run = stdfs::is_directory(call_.input);
    if (call_.seeds > 1 && !is_run)
      fail_usage("--seeds",
                 fmt::format("'{}' is not a run, so no encoder can be trained like it",
                             printable(call_.input)),
                 "name the run folder, or leave --seeds at 1");
    LoadOptions load = call_.load;
    std::optional<LoadedModel> model;
    if (is_run) {
      model = load_model(call_.input, place_);
      place_ = model->model->parameters().place();
      load = load_like(model->info, call_.load, call_.given);
    }
    const RunInfo info = is_run ? model->info : RunInfo{};
    supervised_ = is_run && method_info(info.options.method.method).supervised();
    per_split_ = is_run && (supervised_ || info.options.train.select == Select::val);
    if (per_split_) follow_selection(info.options.train);
    data_ = load_dataset(call_.data, load, progress_);
    if (is_run) check_width(info, data_, call_.data);
    if (data_.labels.task == Task::none)
      fail_data(call_.data, "has no labels to score against",
                "give them with --labels-file, or use another dataset");
    EvalResult out;
    out.protocol =
        is_run && !call_.given.contains("protocol") ? info.options.protocol : call_.protocol;
    if (!call_.given.contains("probe-epochs"))
      probe_.probe_epochs = probe_epochs(out.protocol, data_.name);
    out.probe_epochs = probe_.probe_epochs;
    out.split_seed = probe_.split_seed;
    splits_ =
        make_splits(data_, probe_.splits, probe_.runs, static_cast<uint64_t>(probe_.split_seed));
    if (per_split_) check_selection(info);
    out.splits = describe_splits(data_, probe_.splits, splits_.size(), probe_.split_seed);
    out.train_labels = static_cast<int64_t>(splits_.front().train.size());
    if (probe_.reference || is_run)
      batch_.emplace(whole_graph(data_, info.options.model.encoder, place_));
    if (probe_.reference) references(info, out);
    if (!is_run) {
      out.encoders.push_back({{}, score(load_embeddings(call_.input, data_.nodes()), &told_)});
      keep_predictions();
      return out;
    }
    const int64_t seed = info.options.train.seed;
    out.encoders.push_back({seed, score_run(call_.input, *model->model, &told_)});
    keep_predictions();
    const bool own = call_.data == info.data && same_treatment(load, info.options.load);
    for (int64_t more = 1; more < call_.seeds; ++more) {
      const stdfs::path folder =
          train_again_(info, own ? &data_ : nullptr, seed + more, probe_.split_seed);
      out.encoders.push_back({seed + more, score_run(folder, *load_model(folder, place_).model)});
    }
    return out;
  }

 private:
  // The splits that the run was selected on, or one split's validation would be another's test.
  void follow_selection(const TrainOptions& train) {
    const auto follow = [&](const char* name, auto& asked, const auto& chosen) {
      if (call_.given.contains(name) && asked != chosen)
        fail_usage(
            fmt::format("--{}", name),
            fmt::format("is {}, but the run learned or chose its encoders on {}", asked, chosen),
            "leave it out, or train with these splits");
      asked = chosen;
    };
    follow("splits", probe_.splits, train.splits);
    follow("runs", probe_.runs, train.runs);
    follow("split-seed", probe_.split_seed, train.seed);
  }

  void check_selection(const RunInfo& info) const {
    const bool enough = stdfs::exists(split_model_file(call_.input, splits_.size() - 1)) &&
                        !stdfs::exists(split_model_file(call_.input, splits_.size()));
    if (data_.nodes() != info.nodes || !enough)
      fail_data(call_.data, "is not the data whose splits the run's encoders were selected on",
                "score one encoder on it: 'graphsurgeon embed' with -o Z.npy, then eval Z.npy");
  }

  at::Tensor embeddings(const Method& model) {
    return model.embed(*batch_, {memory()}, progress_).to(at::kCPU, at::kFloat).contiguous();
  }

  // `told`: what the first split's test nodes are taken for.
  Score score(const Input& x, Predictions* told = nullptr) const {
    return linear_probe(x, data_.labels, splits_, probe_, static_cast<uint64_t>(probe_.split_seed),
                        told);
  }

  void keep_predictions() const {
    if (!call_.predictions.empty())
      save_predictions(call_.predictions, told_, data_.labels, data_.nodes());
  }

  Score score_run(const stdfs::path& folder, const Method& model, Predictions* told = nullptr) {
    if (!per_split_) return score(embeddings(model), told);
    Score all;
    for (size_t s = 0; s < splits_.size(); ++s) {
      const stdfs::path file = split_model_file(folder, s);
      const LoadedModel kept = load_model(file, place_);
      if (kept.split != fingerprint(splits_[s]))
        fail_data(file.string(), fmt::format("was not selected on split {} of {}", s, call_.data),
                  "did the data or its splits change since the training? train again");
      const at::Tensor z = embeddings(*kept.model);
      Predictions* first = s == 0 ? told : nullptr;
      all.runs.push_back(supervised_ ? score_predictions(z, data_.labels, splits_[s], first)
                                     : linear_probe(z, data_.labels, {splits_[s]}, probe_,
                                                    static_cast<uint64_t>(probe_.split_seed), first)
                                           .runs.front());
    }
    all.metric = data_.labels.task == Task::multilabel ? "roc_auc" : "accuracy";
    return all;
  }

  int64_t memory() const { return call_.memory_mib << 20; }

  // Two hops, some columns at a time; the result may lie in a scratch file.
  at::Tensor smoothed(const Input& raw) const {
    const auto adjacency = adjacency_for(Convolution::gcn, data_.graph, place_for("cpu"));
    const int64_t width = raw.width();
    at::Tensor out = scratch_matrix(raw.rows(), width, Place{}, memory() / 4);
    const at::Tensor all = raw.sparse() ? at::eye(width) : at::Tensor();
    for (int64_t begin = 0; begin < width; begin += kSmoothedColumns) {
      const int64_t end = std::min(width, begin + kSmoothedColumns);
      at::Tensor x = raw.sparse() ? raw.times(all.slice(0, begin, end))
                                  : raw.dense().slice(1, begin, end).contiguous();
      for (int hop = 0; hop < 2; ++hop) x = adjacency->apply(x);
      out.slice(1, begin, end).copy_(x);
    }
    return out;
  }

  // `info`: of the run that is scored, or of none.
  void references(RunInfo info, EvalResult& out) {
    if (data_.features.width() == 0) return;
    const Input raw = make_input(data_.features, Place{});  // plain: the probe reads its matrix
    out.reference["raw"] = score(raw);
    out.reference["smoothed"] = score(smoothed(raw));
    if (supervised_) return;  // its output is no embedding: untrained, it says nothing
    info.features = data_.features.width();
    info.options = settle(info.options, data_).options;  // of embeddings in a file nothing is known
    const Random seed(static_cast<uint64_t>(info.options.train.seed));
    const auto untrained = make_method(info.setting(place_, seed.fork("init")));
    out.reference["untrained"] = score(embeddings(*untrained));
  }

  const EvalCall& call_;
  Progress& progress_;
  const TrainAgain& train_again_;
  Place place_;
  ProbeOptions probe_;
  bool per_split_ = false;   // each split has an encoder of its own
  bool supervised_ = false;  // which predicts, and is not probed
  Dataset data_;
  std::vector<Split> splits_;
  std::optional<Batch> batch_;
  Predictions told_;
};

}  // namespace

at::Tensor load_embeddings(const stdfs::path& path, int64_t nodes) {
  const NpyArray array = load_npy(path);
  array.require_dims(2);
  if (array.rows() != nodes)
    fail_data(path.string(), fmt::format("has {} rows for {} nodes", array.rows(), nodes),
              "embeddings need one row a node");
  return view_of(array.as<float>(), {array.shape[0], array.shape[1]});
}

double EvalResult::mean() const {
  double sum = 0;
  for (const EncoderScore& encoder : encoders) sum += encoder.score.mean();
  return sum / static_cast<double>(encoders.size());
}

double EvalResult::deviation_within() const {
  double squares = 0;
  if (encoders.size() == 1) return encoders.front().score.deviation();  // to the last bit
  for (const EncoderScore& encoder : encoders)
    squares += encoder.score.deviation() * encoder.score.deviation();
  return std::sqrt(squares / static_cast<double>(encoders.size()));
}

double EvalResult::deviation_between() const {
  const double middle = mean();
  double squares = 0;
  for (const EncoderScore& encoder : encoders)
    squares += (encoder.score.mean() - middle) * (encoder.score.mean() - middle);
  return std::sqrt(squares / static_cast<double>(encoders.size()));
}

EvalResult evaluate(const EvalCall& call, Progress& progress, const TrainAgain& train_again) {
  return Evaluator(call, progress, train_again).run();
}

}  // namespace gs
