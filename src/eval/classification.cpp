#include "eval/classification.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dataset/catalog.h"
#include "dataset/splits.h"
#include "eval/make_task.h"
#include "eval/predictions.h"
#include "eval/probe.h"
#include "eval/references.h"
#include "nn/device.h"
#include "run/embed.h"
#include "run/fingerprint.h"
#include "run/folder.h"
#include "run/model.h"

namespace gs {

namespace {

namespace stdfs = std::filesystem;

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
  Evaluator(const EvalRequest& request, Progress& progress, const TrainEncoder& train)
      : request_(request),
        progress_(progress),
        train_(train),
        device_(make_device(request.device)),
        probe_(request.probe) {}

  ClassificationResult run() {
    const bool is_run = stdfs::is_directory(request_.input);
    if (request_.task.encoders > 1 && !is_run)
      fail_usage("--encoders",
                 fmt::format("'{}' is not a run, so no encoder can be trained like it",
                             printable(request_.input)),
                 "name the run folder, or leave --encoders at 1");
    std::optional<LoadedModel> model;
    if (is_run) {
      model = load_model(request_.input, device_);
      device_ = model->model->parameters().device();
    }
    const RunInfo info = is_run ? model->info : RunInfo{};
    supervised_ = is_run && method_info(info.options.method.method).supervised();
    per_split_ = is_run && (supervised_ || info.options.train.select == Select::val);
    if (per_split_) follow_selection(info.options.train);
    load_data(is_run ? &info : nullptr);
    ClassificationResult out;
    out.own_title = own_title(is_run ? &info : nullptr);
    out.judged = !is_run || method_info(info.options.method.method).group != MethodGroup::reference;
    choose_protocol(is_run ? info.options.protocol : request_.protocol, out);
    make_splits_of(info, out);
    if (is_run) batch_.emplace(whole_graph(data_, info.options.model.encoder, device_));
    if (probe_.reference) references(info, out);
    if (is_run) score_encoders(info, *model->model, out);
    else score_file(out);
    return out;
  }

 private:
  // The splits that the run was selected on: otherwise one split's validation nodes would be
  // another's test nodes.
  void follow_selection(const TrainOptions& train) {
    const auto follow = [&](const char* name, auto& asked, const auto& chosen) {
      if (request_.given.contains(name) && asked != chosen)
        fail_usage(
            fmt::format("--{}", name),
            fmt::format("is {}, but the run learned or chose its encoders on {}", asked, chosen),
            "leave it out, or train with these splits");
      asked = chosen;
    };
    follow("splits", probe_.splits, train.splits);
    follow("num-splits", probe_.num_splits, train.num_splits);
    follow("split-seed", probe_.split_seed, train.seed);
  }

  // `info`: the run's, or nullptr.
  void load_data(const RunInfo* info) {
    load_ = info ? load_like(*info, request_.data, request_.load, request_.given) : request_.load;
    data_ = load_dataset(request_.data, load_, progress_);
    if (info) check_width(*info, data_, request_.data);
    if (data_.labels.task == Task::none)
      fail_data(request_.data, "has no labels to score against",
                "give them with --labels-file, or use another dataset");
  }

  void choose_protocol(Protocol own, ClassificationResult& out) {
    const auto& given = request_.given;
    out.protocol = given.contains("protocol") ? request_.protocol : own;
    if (!given.contains("probe-epochs"))
      probe_.probe_epochs = probe_epochs(out.protocol, data_.name);
    out.probe_epochs = probe_.probe_epochs;
    const CatalogEntry* known = find_catalog(data_.name);
    if (probe_.metric == Metric::automatic && known && known->by_roc_auc)
      probe_.metric = Metric::roc_auc;
    if (out.protocol != Protocol::bgrl) return;
    probe_.wide_penalties = true;
    if (!given.contains("probe")) probe_.probe = Probe::logistic;
    if (per_split_ || given.contains("splits") || !data_.splits.empty()) return;
    probe_.splits = "random:10/10/80";
    if (!given.contains("num-splits")) probe_.num_splits = 20;
  }

  void make_splits_of(const RunInfo& info, ClassificationResult& out) {
    splits_ = make_splits(data_, probe_.splits, probe_.num_splits,
                          static_cast<uint64_t>(probe_.split_seed));
    if (per_split_) check_selection(info);
    out.split_seed = probe_.split_seed;
    out.splits = describe_splits(data_, probe_.splits, splits_.size(), probe_.split_seed);
    out.train_labels = std::ssize(splits_.front().train);
  }

  void check_selection(const RunInfo& info) const {
    const RunFolder run(request_.input);
    const bool enough = stdfs::exists(run.split_model(splits_.size() - 1)) &&
                        !stdfs::exists(run.split_model(splits_.size()));
    if (data_.nodes() != info.nodes || !enough)
      fail_data(request_.data, "is not the data whose splits the run's encoders were selected on",
                "score one encoder on it: 'graphsurgeon embed' with -o Z.npy, then eval Z.npy");
  }

  void score_file(ClassificationResult& out) {
    const at::Tensor z = load_embeddings(request_.input, data_.nodes());
    out.encoders.push_back({{}, score(z, &predictions_)});
    keep_predictions();
  }

  void keep_predictions() const {
    if (!request_.predictions.empty())
      save_predictions(request_.predictions, predictions_, data_.labels, data_.nodes());
  }

  // The run's own encoder, then others trained like it.
  void score_encoders(const RunInfo& info, const Method& own, ClassificationResult& out) {
    const int64_t seed = info.options.train.seed;
    out.encoders.push_back({seed, score_run(request_.input, own, &predictions_)});
    keep_predictions();
    std::optional<Dataset> trained_on;
    for (int64_t more = 1; more < request_.task.encoders; ++more) {
      const stdfs::path folder =
          train_(info, training_data(info, trained_on), seed + more, probe_.split_seed);
      out.encoders.push_back({seed + more, score_run(folder, *load_model(folder, device_).model)});
    }
  }

  // The data that the run was trained on: the data to score if that is the same, else loaded once
  // into `other`.
  const Dataset& training_data(const RunInfo& info, std::optional<Dataset>& other) const {
    const bool same = request_.data == info.data && same_treatment(load_, info.options.load);
    if (!same && !other) {
      LoadOptions load = info.options.load;
      if (!request_.load.data_root.empty()) load.data_root = request_.load.data_root;
      try {
        other = load_dataset(info.data, load, progress_);
      } catch (const Error& error) {
        fail_data(error.where(), error.message(),
                  fmt::format("--encoders trains on the run's own data, '{}'; run it where that "
                              "can be read",
                              printable(info.data)));
      }
    }
    const Dataset& data = same ? data_ : *other;
    if (!info.same_data(data))
      fail_data(info.data, "has changed since the run was trained on it",
                "--encoders needs the run's own data; train again");
    return data;
  }

  at::Tensor embeddings(const Method& model) {
    return model.embed(*batch_, {memory()}, progress_).to(at::kCPU, at::kFloat).contiguous();
  }

  // `predictions`, if not nullptr, gets those of the first split's test nodes; so do the next ones.
  ProbeScores score(const Input& x, const std::vector<Split>& splits,
                    Predictions* predictions = nullptr) const {
    ProbeScores out;
    for (const auto& [name, probe, about] : kProbes) {
      if (probe == Probe::both || (probe_.probe != Probe::both && probe_.probe != probe)) continue;
      ProbeOptions options = probe_;
      options.probe = probe;
      out.push_back({std::string(name), linear_probe(x, data_.labels, splits, options,
                                                     static_cast<uint64_t>(probe_.split_seed),
                                                     out.empty() ? predictions : nullptr)});
    }
    return out;
  }
  ProbeScores score(const Input& x, Predictions* predictions = nullptr) const {
    return score(x, splits_, predictions);
  }

  ProbeScores score_run(const stdfs::path& folder, const Method& model,
                        Predictions* predictions = nullptr) {
    if (!per_split_) return score(embeddings(model), predictions);
    ProbeScores all;
    for (size_t s = 0; s < splits_.size(); ++s) {
      const stdfs::path file = RunFolder(folder).split_model(s);
      const LoadedModel kept = load_model(file, device_);
      if (!has_fingerprint(splits_[s], kept.split))
        fail_data(file.string(),
                  fmt::format("was not selected on split {} of {}", s, request_.data),
                  "if the data or its splits changed since the training, train again");
      ProbeScores one =
          score_split(embeddings(*kept.model), splits_[s], s == 0 ? predictions : nullptr);
      if (s == 0) all = std::move(one);
      else
        for (size_t p = 0; p < all.size(); ++p)
          all[p].score.splits.push_back(one[p].score.splits.front());
    }
    return all;
  }

  ProbeScores score_split(const at::Tensor& z, const Split& split, Predictions* predictions) const {
    if (!supervised_) return score(z, {split}, predictions);
    const Metric metric = metric_of(data_.labels, probe_.metric);
    return {{"predictions",
             {metric, {score_predictions(z, data_.labels, split, metric, predictions)}}}};
  }

  int64_t memory() const { return request_.memory_mib << 20; }

  // `info`: the run's, or that of no run.
  void references(const RunInfo& info, ClassificationResult& out) {
    // The output of a supervised method is no embedding: untrained, it says nothing.
    visit_references(
        {data_, info, device_, memory(), !supervised_},
        [&](const std::string& key, const Input& x) { out.reference[key] = reference(x); },
        progress_);
  }

  // By the probes that the run is scored by; beside a method's own predictions, by `logistic`.
  ProbeScores reference(const Input& x) const {
    return supervised_ ? ProbeScores{score(x).front()} : score(x);
  }

  const EvalRequest& request_;
  Progress& progress_;
  const TrainEncoder& train_;
  Device device_;
  ProbeOptions probe_;
  bool per_split_ = false;   // each split has an encoder of its own
  bool supervised_ = false;  // which predicts, and is not probed
  LoadOptions load_;
  Dataset data_;
  std::vector<Split> splits_;
  std::optional<Batch> batch_;
  Predictions predictions_;
};

}  // namespace

ClassificationResult classify(const EvalRequest& request, Progress& progress,
                              const TrainEncoder& train) {
  return Evaluator(request, progress, train).run();
}

class Classification final : public EvalTask {
 public:
  std::unique_ptr<TaskResult> run(const EvalRequest& request, Progress& progress,
                                  const TrainEncoder& train) const override {
    return std::make_unique<ClassificationResult>(classify(request, progress, train));
  }
};
template std::unique_ptr<EvalTask> make_task<Classification>();

}  // namespace gs
