#include "train/trainer.h"

#include <sys/resource.h>

#include <fmt/ranges.h>
#include <algorithm>
#include <chrono>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/npy.h"
#include "dataset/splits.h"
#include "eval/probe.h"
#include "method/inference.h"
#include "method/run_folder.h"
#include "nn/place.h"
#include "objective/eigenmaps.h"
#include "train/adam.h"
#include "train/checkpoint.h"

namespace gs {

namespace {

namespace stdfs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double kCollapsedRank =
    1.5;  // effective rank below which nearly all embeddings lie on one line
constexpr int kCollapsedLooks = 2;  // in a row, before a run is given up

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

nlohmann::json line_of(const EpochMetrics& m) {
  nlohmann::json loss{{"total", m.loss}};
  for (const auto& [name, value] : m.terms) loss[name] = value;
  return {{"epoch", m.epoch},
          {"loss", loss},
          {"gradient_norm", m.gradient_norm},
          {"effective_rank", m.effective_rank},
          {"seconds", m.seconds},
          {"peak_mib", peak_mib()}};
}

class Run {
 public:
  Run(const Dataset& data, const TrainCall& request, Progress& progress)
      : data_(data),
        request_(request),
        options_(request.options),
        progress_(progress),
        place_(place_for(options_.train.device, options_.train.kernels)),
        random_(static_cast<uint64_t>(options_.train.seed)),
        model_(data.features.width(), options_.model, place_, random_.fork("init")),
        adam_(model_.parameters(),
              {.lr = options_.train.lr, .weight_decay = options_.train.weight_decay}),
        batch_(whole_graph(data, options_.model, place_)),
        metrics_(request.run) {
    if (place_.native) aggregate_features(batch_, options_.model);
    info_ = {request.data, data.features.width(), data.nodes(), data.graph.edges(), options_};
    if (options_.train.select == Select::val) {
      if (data.labels.task == Task::none)
        fail_data(request.data, "has no labels, which --select val needs",
                  "leave --select at 'last'");
      splits_ =
          make_splits(data, options_.train.splits, options_.train.runs,
                      static_cast<uint64_t>(request.split_seed.value_or(options_.train.seed)));
      kept_.resize(splits_.size());
      best_.assign(splits_.size(), -1);
    }
  }

  TrainResult run() {
    start();
    progress_.start("training", options_.train.epochs - epoch_, "epochs");
    while (epoch_ < options_.train.epochs) {
      step();
      if (options_.train.select == Select::val &&
          (epoch_ % options_.train.select_every == 0 || epoch_ == options_.train.epochs))
        select();
      const bool due =
          options_.train.checkpoint_every > 0 && epoch_ % options_.train.checkpoint_every == 0;
      const bool stopping = request_.stop && *request_.stop;
      if ((due && collapsed_ == 0) || stopping) checkpoint();
      if (stopping)
        throw Error(ErrorKind::interrupted,
                    fmt::format("stopped after epoch {} of {}", epoch_, options_.train.epochs),
                    request_.run.string(), "go on with the same command and --resume");
    }
    checkpoint();
    return finish();
  }

 private:
  stdfs::path file(const char* name) const { return request_.run / name; }

  void start() {
    if (request_.resume && has_checkpoint(request_.run)) return resume();
    if (stdfs::exists(request_.run)) {
      if (!stdfs::is_directory(request_.run))
        fail_data(request_.run.string(), "is there and is not a folder",
                  "choose another name with -o");
      // --resume of a run that was killed before its first checkpoint begins it anew.
      if (!stdfs::is_empty(request_.run) && !request_.overwrite && !request_.resume)
        fail_data(request_.run.string(), "holds files already",
                  "pass --resume to go on with it, or --overwrite to start anew");
      clear_run_folder(request_.run);
    }
    std::error_code error;
    stdfs::create_directories(request_.run, error);
    if (error)
      fail_data(request_.run.string(), error.message(), "choose a folder that can be written");
    if (!request_.init.empty()) {
      const LoadedModel other = load_model(request_.init, place_);
      TensorMap values;
      for (const auto& [name, tensor] : other.model->parameters().all()) values[name] = tensor;
      assign(model_.parameters(), values, "", request_.init.string());
    }
    write_file(file("options.json"), to_json_text(info_) + "\n");
    metrics_.create();
    checkpoint();
  }

  void resume() {
    TrainState state =
        load_checkpoint(request_.run, info_, splits_.size(), model_.parameters(), adam_);
    epoch_ = state.epoch;
    rank_ = state.rank;
    best_ = std::move(state.best);
    kept_ = std::move(state.kept);
    clear_temporaries(request_.run);
    write_file(file("options.json"), to_json_text(info_) + "\n");
    metrics_.cut_back(state.metrics_bytes);
  }

  void step() {
    const auto begun = Clock::now();
    const Views views = model_.views(batch_, true, random_.fork("step", epoch_));
    const Loss loss = model_.loss(views, options_.loss);
    model_.parameters().zero_gradients();
    loss.total.backward();
    EpochMetrics m;
    m.loss = loss.total.item<double>();
    m.terms = loss.terms;
    m.epoch = epoch_ + 1;
    // Nothing is stepped on a bad number, so the weights in memory are the last good ones.
    m.gradient_norm = std::isfinite(m.loss) ? adam_.step(options_.train.clip) : std::nan("");
    if (!std::isfinite(m.loss) || !std::isfinite(m.gradient_norm))
      fail_data(request_.run.string(),
                fmt::format("the loss is no longer a finite number at epoch {}", m.epoch),
                "the last good checkpoint is kept; try a lower --lr, or --clip 1");
    ++epoch_;
    m.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
    seconds_.push_back(m.seconds);
    if (epoch_ == 1 || epoch_ % options_.train.rank_every == 0) look();
    m.effective_rank = rank_;
    last_ = m;
    append_metrics(m);
    progress_.note(fmt::format("loss {:.4g}, rank {:.1f}", m.loss, m.effective_rank));
    progress_.advance(1);
  }

  // Effective rank of the embeddings as they would be written: dropout's noise would hide a
  // collapse.
  void look() {
    rank_ = effective_rank(embed(model_, batch_));
    collapsed_ = model_.options().dim >= 4 && rank_ < kCollapsedRank ? collapsed_ + 1 : 0;
    if (collapsed_ >= kCollapsedLooks)
      fail_data(request_.run.string(),
                fmt::format(
                    "the embeddings collapsed to one direction (effective rank {:.2f}) by epoch {}",
                    rank_, epoch_),
                "the last good checkpoint is kept; try a larger --gamma or a lower --lr");
  }

  void append_metrics(const EpochMetrics& m) { metrics_.append(line_of(m).dump() + "\n"); }

  // Probes the validation nodes of each split; keeps for each the weights that did best there.
  void select() {
    const at::Tensor z = embed(model_, batch_).to(at::kCPU, at::kFloat);
    ProbeOptions probe;
    probe.probe_epochs = probe_epochs(options_.protocol, data_.name);
    const auto scores = validation_scores(z, data_.labels, splits_, probe,
                                          static_cast<uint64_t>(options_.train.seed));
    for (size_t s = 0; s < splits_.size(); ++s) {
      if (!(scores[s] > best_[s])) continue;
      best_[s] = scores[s];
      for (const auto& [name, tensor] : model_.parameters().all())
        kept_[s][name] = tensor.detach().clone();
    }
  }

  void checkpoint() {
    save_checkpoint(request_.run, info_, model_.parameters(), adam_,
                    {epoch_, rank_, best_, kept_, metrics_.bytes()});
  }

  TrainResult finish() {
    TensorMap weights;
    for (const auto& [name, tensor] : model_.parameters().all()) weights[name] = tensor;
    for (size_t s = 0; s < kept_.size(); ++s) {
      if (kept_[s].empty()) kept_[s] = weights;  // no epoch was trained, so none was looked at
      save_model(split_model_file(request_.run, s), kept_[s], info_, fingerprint(splits_[s]));
    }
    if (!kept_.empty()) weights = kept_[0];
    save_model(file("model.safetensors"), weights, info_);
    assign(model_.parameters(), weights, "", file("model.safetensors").string());
    const at::Tensor z = embed(model_, batch_, {}, progress_).to(at::kCPU, at::kFloat).contiguous();
    const int64_t shape[] = {z.size(0), z.size(1)};
    save_npy<float>(file("embeddings.npy"), floats(z), shape);
    if (!data_.node_ids.empty())
      write_file(file("ids.txt"), fmt::format("{}\n", fmt::join(data_.node_ids, "\n")));
    progress_.finish();
    std::sort(seconds_.begin(), seconds_.end());
    TrainResult result;
    result.epochs = epoch_;
    result.parameters = model_.parameters().count();
    result.ms_per_epoch = seconds_.empty() ? 0 : 1000 * seconds_[seconds_.size() / 2];
    result.peak_mib = peak_mib();
    result.last = last_;
    return result;
  }

  const Dataset& data_;
  const TrainCall& request_;
  const RunOptions& options_;
  Progress& progress_;
  Place place_;
  Random random_;
  GraphSurgeon model_;
  Adam adam_;
  Batch batch_;
  MetricsFile metrics_;
  RunInfo info_;
  std::vector<Split> splits_;
  std::vector<TensorMap> kept_;  // of each split, with --select val
  std::vector<double> best_, seconds_;
  EpochMetrics last_;
  int64_t epoch_ = 0;
  double rank_ = 0;    // effective rank at the last look
  int collapsed_ = 0;  // looks in a row that found a collapse
};

}  // namespace

TrainResult train(const Dataset& data, const TrainCall& request, Progress& progress) {
  request.options.check();
  if (data.features.width() == 0)
    fail_data(request.data, "has no features",
              "make some with --make-features degree, random or spectral");
  if (data.nodes() < 2)
    fail_data(request.data, "has fewer than two nodes", "an embedding needs a graph");
  return Run(data, request, progress).run();
}

}  // namespace gs
