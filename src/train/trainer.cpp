#include "train/trainer.h"

#include <sys/resource.h>

#include <fmt/ranges.h>
#include <algorithm>
#include <chrono>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/npy.h"
#include "dataset/node_list.h"
#include "dataset/splits.h"
#include "eval/predictions.h"
#include "eval/probe.h"
#include "method/run_folder.h"
#include "method/settle.h"
#include "nn/place.h"
#include "objective/spectrum.h"
#include "train/adam.h"
#include "train/batches.h"
#include "train/checkpoint.h"
#include "train/plan.h"

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
  nlohmann::json line{{"epoch", m.epoch},
                      {"loss", loss},
                      {"gradient_norm", m.gradient_norm},
                      {"seconds", m.seconds},
                      {"peak_mib", peak_mib()}};
  if (m.effective_rank) line["effective_rank"] = *m.effective_rank;
  if (m.split) line["split"] = *m.split;
  if (m.validation) line["validation"] = *m.validation;
  if (m.batches > 1) line["batches"] = m.batches;
  if (m.sample_seconds > 0)
    line["seconds_of"] = {
        {"sample", m.sample_seconds}, {"gather", m.gather_seconds}, {"wait", m.wait_seconds}};
  return line;
}

// The epoch's figures: means over its steps, sums of its times.
EpochMetrics metrics_of(const EpochSums& sums, int64_t batches) {
  const auto count = static_cast<double>(std::max<int64_t>(1, sums.steps));
  EpochMetrics m;
  m.loss = sums.loss / count;
  m.gradient_norm = sums.gradient_norm / count;
  for (const auto& [name, sum] : sums.terms) m.terms.emplace_back(name, sum / count);
  m.batches = batches;
  m.seconds = sums.seconds;
  m.sample_seconds = sums.sample, m.gather_seconds = sums.gather, m.wait_seconds = sums.wait;
  return m;
}

// A training. A method that learns from labels is trained anew on each split, one after another,
// and keeps for each the weights of its best validation epoch; any other is trained once.
class Run {
 public:
  Run(const Dataset& data, const TrainCall& request, Progress& progress)
      : data_(data),
        request_(request),
        settled_(settle(begun(request), data)),
        options_(settled_.options),
        progress_(progress),
        place_(place_for(options_.train.device, options_.train.kernels)),
        random_(static_cast<uint64_t>(options_.train.seed)),
        supervised_(method_info(options_.method.method).supervised()),
        info_(RunInfo::of(request.data, data, options_, settled_.by_data)),
        splits_(needed_splits()),
        plan_(make_plan(data, options_, wanted_loader(request), request.data)),
        metrics_(request.run) {
    kept_.resize(selects() ? splits_.size() : 0);
    best_.assign(kept_.size(), -1);
    make();
    batches_.emplace(data, options_, plan_.loader, method_->first_width(), place_,
                     random_.fork("loader"));
  }

  TrainResult run() {
    start();
    if (!settled_.note.empty()) progress_.say(settled_.note);
    if (batches_->sampled()) progress_.say(plan_.text());
    if (const std::string note = method_->note(); !note.empty()) progress_.say(note);
    const int64_t per_epoch = batches_->per_epoch();
    progress_.start("training", ((trainings() - split_) * end() - epoch_) * per_epoch - done_,
                    per_epoch > 1 ? "batches" : "epochs");
    while (true) {
      batches_->start(epoch_, done_, end());
      train();
      if (split_ + 1 >= trainings()) break;
      ++split_, epoch_ = 0, rank_ = 0, collapsed_ = 0;
      make();
      prepare();
    }
    checkpoint();
    return finish();
  }

 private:
  bool selects() const { return supervised_ || options_.train.select == Select::val; }
  int64_t trainings() const { return supervised_ ? static_cast<int64_t>(splits_.size()) : 1; }
  // Epochs to be done, which may be fewer than the training has: schedules follow all of them.
  int64_t end() const {
    const int64_t all = options_.train.epochs;
    return request_.until > 0 ? std::min(request_.until, all) : all;
  }
  // The stream of this training.
  Random random() const { return supervised_ ? random_.fork("split", split_) : random_; }

  std::vector<Split> needed_splits() const {
    if (!selects() && options_.loader.seeds != "train") return {};
    if (data_.labels.task == Task::none) {
      if (supervised_)
        fail_data(request_.data,
                  fmt::format("has no labels, which {} learns from", options_.method.method),
                  "use a method that needs none, as graphsurgeon");
      const bool select = selects();
      fail_data(
          request_.data,
          fmt::format("has no labels, which {} needs", select ? "--select val" : "--seeds train"),
          select ? "leave --select at 'last'" : "leave --seeds at 'all'");
    }
    return make_splits(data_, options_.train.splits, selects() ? options_.train.runs : 1,
                       static_cast<uint64_t>(request_.split_seed.value_or(options_.train.seed)));
  }

  // A fresh model and its optimiser.
  void make() {
    method_ = make_method(info_.setting(place_, random().fork("init")));
    adam_.emplace(method_->parameters(), AdamOptions{.lr = options_.train.lr,
                                                     .weight_decay = options_.train.weight_decay});
  }

  void prepare() {
    method_->prepare(data_, supervised_ ? &splits_[static_cast<size_t>(split_)] : nullptr);
    std::vector<int32_t> nodes = seeds();
    seeds_digest_ = nodes.empty() ? "" : fingerprint(Split{nodes, {}, {}});
    batches_->seed(std::move(nodes));
  }

  // Nodes that the loss is on; none means all.
  std::vector<int32_t> seeds() const {
    const std::string& asked = options_.loader.seeds;
    if (supervised_ || asked == "train") return splits_[static_cast<size_t>(split_)].train;
    if (asked == "all") return {};
    return read_node_list(asked, data_);
  }

  void train() {
    while (epoch_ < end()) {
      step();
      if (done_ == batches_->per_epoch()) end_epoch();
      if (request_.stop && *request_.stop) {
        checkpoint();
        throw Error(ErrorKind::interrupted, stopped_text(), request_.run.string(),
                    "go on with the same command and --resume");
      }
    }
  }

  stdfs::path file(const char* name) const { return request_.run / name; }

  // What a run starts from has a shape already, which is not to be chosen again.
  static RunOptions begun(const TrainCall& request) {
    RunOptions options = request.options;
    ModelOptions& model = options.model;
    if (request.init.empty() || is_settled(model)) return options;
    const ModelOptions before = load_model(request.init, Place{}).info.options.model;
    if (model.layers == 0) model.layers = before.layers;
    if (model.skip == Skip::automatic) model.skip = before.skip;
    return options;
  }

  static LoaderKind wanted_loader(const TrainCall& request) {
    const LoaderKind asked = request.options.loader.loader;
    const bool decided =
        asked == LoaderKind::automatic && request.resume && has_checkpoint(request.run);
    return decided ? loader_of_checkpoint(request.run) : asked;
  }

  std::string stopped_text() const {
    if (done_ == 0)
      return fmt::format("stopped after epoch {} of {}{}", epoch_, options_.train.epochs,
                         split_text());
    return fmt::format("stopped after batch {} of {} in epoch {} of {}{}", done_,
                       batches_->per_epoch(), epoch_ + 1, options_.train.epochs, split_text());
  }

  std::string split_text() const {
    return supervised_ ? fmt::format(" on split {} of {}", split_ + 1, trainings()) : "";
  }

  void start() {
    if (request_.resume && has_checkpoint(request_.run)) return resume();
    prepare();
    if (stdfs::exists(request_.run)) clear_run_folder(request_.run);
    std::error_code error;
    stdfs::create_directories(request_.run, error);
    if (error)
      fail_data(request_.run.string(), error.message(), "choose a folder that can be written");
    if (!request_.init.empty()) {
      const LoadedModel other = load_model(request_.init, place_);
      TensorMap values;
      for (const auto& [name, tensor] : other.model->parameters().all()) values[name] = tensor;
      assign(method_->parameters(), values, "", request_.init.string());
    }
    write_file(file("options.json"), to_json_text(info_) + "\n");
    metrics_.create();
    checkpoint();
  }

  void resume() {
    TrainState state =
        load_checkpoint(request_.run, info_, kept_.size(), method_->parameters(), *adam_);
    split_ = state.split, epoch_ = state.epoch, done_ = state.batch;
    if (split_ < 0 || split_ >= trainings())
      fail_data(request_.run.string(), "was trained on other splits",
                "resume with the dataset it began with");
    prepare();
    if (!state.seeds.empty() && state.seeds != seeds_digest_)
      fail_data(request_.run.string(), "was trained on other nodes than --seeds now lists",
                "resume with the list it began with");
    sums_ = std::move(state.sums);
    rank_ = state.rank;
    if (done_ >= batches_->per_epoch() && done_ > 0)
      fail_data(request_.run.string(), "was trained on other batches",
                "resume with the dataset it began with");
    best_ = std::move(state.best);
    kept_ = std::move(state.kept);
    clear_temporaries(request_.run);
    write_file(file("options.json"), to_json_text(info_) + "\n");
    metrics_.cut_back(state.metrics_bytes);
    before_ = metrics_.costs();
    seconds_ = before_.seconds;
  }

  void step() {
    const auto begun = Clock::now();
    const auto [batch, times] = batches_->next();
    const Random masks =
        batches_->sampled() ? random().fork("step", epoch_, done_) : random().fork("step", epoch_);
    const int64_t per_epoch = batches_->per_epoch();
    if (batch.seeds != 0)
      learn(batch, {masks, epoch_ * per_epoch + done_, options_.train.epochs * per_epoch});
    sums_.sample += times.sample, sums_.gather += times.gather, sums_.wait += times.wait;
    ++done_;
    sums_.seconds += std::chrono::duration<double>(Clock::now() - begun).count();
    if (done_ == per_epoch && batch.seeds != 0 && look_is_due()) look(batch);
    progress_.note(fmt::format("loss {:.4g}, rank {:.1f}", last_loss_, rank_));
    progress_.advance(1);
  }

  void learn(const Batch& batch, const Step& step) {
    const Loss loss = method_->loss(batch, step);
    method_->parameters().zero_gradients();
    loss.total.backward();
    const double total = loss.total.item<double>();
    // Nothing is stepped on a bad number, so the weights in memory are the last good ones.
    const double norm = std::isfinite(total) ? adam_->step(options_.train.clip) : std::nan("");
    if (!std::isfinite(total) || !std::isfinite(norm))
      fail_data(request_.run.string(),
                fmt::format("the loss is no longer a finite number at epoch {}", epoch_ + 1),
                "the last good checkpoint is kept; try a lower --lr, or --clip 1");
    sums_.loss += total, sums_.gradient_norm += norm;
    for (const auto& [name, value] : loss.terms) sums_.terms[name] += value;
    ++sums_.steps;
    last_loss_ = total;
    method_->after(step);
  }

  bool look_is_due() const { return epoch_ == 0 || (epoch_ + 1) % options_.train.rank_every == 0; }

  void end_epoch() {
    EpochMetrics m = metrics_of(sums_, done_);
    if (look_is_due()) m.effective_rank = rank_;
    m.epoch = ++epoch_;
    seconds_.push_back(m.seconds);
    const bool last = epoch_ == end();
    if (selects() && (epoch_ % options_.train.select_every == 0 || last)) select(m);
    if (supervised_) m.split = split_;
    last_ = m;
    metrics_.append(line_of(m).dump() + "\n");
    sums_ = {}, done_ = 0;
    const int64_t every = options_.train.checkpoint_every;
    if (every > 0 && epoch_ % every == 0 && collapsed_ == 0) checkpoint();
  }

  // Effective rank of the embeddings as they would be written (dropout's noise would hide a
  // collapse), or of a batch's where the whole graph is not computed on.
  void look(const Batch& batch) {
    const at::NoGradGuard no_gradient;
    rank_ = effective_rank(batches_->sampled() ? method_->output(batch)
                                               : method_->embed(batches_->whole()));
    const bool can = !supervised_ && options_.model.dim >= 4;
    collapsed_ = can && rank_ < kCollapsedRank ? collapsed_ + 1 : 0;
    if (collapsed_ >= kCollapsedLooks)
      fail_data(request_.run.string(),
                fmt::format(
                    "the embeddings collapsed to one direction (effective rank {:.2f}) by epoch {}",
                    rank_, epoch_ + 1),
                "the last good checkpoint is kept; try a larger --gamma or a lower --lr");
  }

  // Scores the validation nodes of each split, by a probe or by what the method itself predicts;
  // keeps for each the weights that did best there.
  void select(EpochMetrics& m) {
    const at::Tensor z =
        method_->embed(batches_->whole(), inference()).to(at::kCPU, at::kFloat).contiguous();
    if (supervised_) {
      const auto s = static_cast<size_t>(split_);
      m.validation = validation_score(z, data_.labels, splits_[s]);
      return keep_if_better(s, *m.validation);
    }
    ProbeOptions probe;
    probe.probe_epochs = probe_epochs(options_.protocol, data_.name);
    const auto scores = validation_scores(z, data_.labels, splits_, probe,
                                          static_cast<uint64_t>(options_.train.seed));
    m.validation = 0;
    for (size_t s = 0; s < splits_.size(); ++s) {
      *m.validation += scores[s] / static_cast<double>(splits_.size());
      keep_if_better(s, scores[s]);
    }
  }

  void keep_if_better(size_t split, double score) {
    if (!(score > best_[split])) return;
    best_[split] = score;
    for (const auto& [name, tensor] : method_->parameters().all())
      kept_[split][name] = tensor.detach().clone();
  }

  void checkpoint() {
    save_checkpoint(request_.run, info_, method_->parameters(), *adam_,
                    {split_, epoch_, done_, sums_, plan_.loader, rank_, best_, kept_,
                     metrics_.bytes(), seeds_digest_});
  }

  InferenceOptions inference() const { return {static_cast<int64_t>(plan_.limit_mib * (1 << 20))}; }

  TrainResult finish() {
    TensorMap weights;
    for (const auto& [name, tensor] : method_->parameters().all()) weights[name] = tensor;
    for (size_t s = 0; s < kept_.size(); ++s) {
      if (kept_[s].empty()) kept_[s] = weights;  // no epoch was trained, so none was looked at
      save_model(split_model_file(request_.run, s), kept_[s], info_, fingerprint(splits_[s]));
    }
    if (!kept_.empty()) weights = kept_[0];
    std::error_code none;
    stdfs::remove(file("scores.json"), none);  // of another model
    save_model(file("model.safetensors"), weights, info_);
    assign(method_->parameters(), weights, "", file("model.safetensors").string());
    const at::Tensor z = method_->embed(batches_->whole(), inference(), progress_)
                             .to(at::kCPU, at::kFloat)
                             .contiguous();
    const int64_t shape[] = {z.size(0), z.size(1)};
    save_npy<float>(file("embeddings.npy"), floats(z), shape);
    if (!data_.node_ids.empty())
      write_file(file("ids.txt"), fmt::format("{}\n", fmt::join(data_.node_ids, "\n")));
    progress_.finish();
    std::sort(seconds_.begin(), seconds_.end());
    TrainResult result;
    result.epochs = epoch_;
    result.parameters = method_->parameters().count();
    result.ms_per_epoch = seconds_.empty() ? 0 : 1000 * seconds_[seconds_.size() / 2];
    result.peak_mib = std::max(peak_mib(), before_.peak_mib);
    if (epoch_ > 0) result.effective_rank = effective_rank(z);
    result.last = last_;
    result.plan = plan_;
    result.note = method_->note();
    return result;
  }

  const Dataset& data_;
  const TrainCall& request_;
  const Settled settled_;
  const RunOptions& options_;
  Progress& progress_;
  Place place_;
  Random random_;
  bool supervised_;
  RunInfo info_;
  std::vector<Split> splits_;  // that labels are read of; none where none are
  Plan plan_;
  std::unique_ptr<Method> method_;
  std::optional<Adam> adam_;
  std::optional<Batches> batches_;
  MetricsFile metrics_;
  std::vector<TensorMap> kept_;  // of each split that is selected on
  std::vector<double> best_, seconds_;
  MetricsFile::Costs before_;  // of the epochs before a stop
  EpochMetrics last_;
  std::string seeds_digest_;  // of the nodes that the loss is on; empty: all
  int64_t split_ = 0;         // that is trained on, by a method that learns from labels
  int64_t epoch_ = 0;         // whole ones
  int64_t done_ = 0;          // batches of the epoch that is under way
  EpochSums sums_;            // over those
  double last_loss_ = 0;
  double rank_ = 0;    // effective rank at the last look
  int collapsed_ = 0;  // looks in a row that found a collapse
};

}  // namespace

namespace {

// Before the long work of making batches.
void check_run_folder(const TrainCall& request) {
  if (!stdfs::exists(request.run)) return;
  if (!stdfs::is_directory(request.run))
    fail_data(request.run.string(), "is there and is not a folder", "choose another name with -o");
  // --resume of a run that was killed before its first checkpoint begins it anew.
  if (!stdfs::is_empty(request.run) && !request.overwrite && !request.resume)
    fail_data(request.run.string(), "holds files already",
              "pass --resume to go on with it, or --overwrite to start anew");
}

}  // namespace

TrainResult train(const Dataset& data, const TrainCall& request, Progress& progress) {
  request.options.check();
  check_run_folder(request);
  if (data.features.width() == 0)
    fail_data(request.data, "has no features",
              "make some with --make-features degree, random or spectral");
  if (data.nodes() < 2)
    fail_data(request.data, "has fewer than two nodes", "an embedding needs a graph");
  GS_ASSERT(request.until == 0 || !method_info(request.options.method.method).supervised());
  return Run(data, request, progress).run();
}

}  // namespace gs
