#include "train/trainer.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <chrono>
#include <cmath>

#include "dataset/node_list.h"
#include "dataset/splits.h"
#include "nn/batches.h"
#include "nn/device.h"
#include "nn/finite.h"
#include "nn/share.h"
#include "objective/spectrum.h"
#include "options/methods.h"
#include "run/auto_options.h"
#include "run/fingerprint.h"
#include "run/lock.h"
#include "run/writer.h"
#include "train/adam.h"
#include "train/collapse_monitor.h"
#include "train/selection.h"
#include "train/spread.h"

namespace gs {

namespace {

using Clock = std::chrono::steady_clock;

// The metrics of an epoch: means over its steps, sums of its times.
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

// A training. A supervised method is trained again on each split, one after another, and keeps for
// each the weights of its best validation epoch; any other is trained once.
class Trainer {
 public:
  Trainer(const Share& share, const TrainRequest& request, Progress& progress)
      : share_(share),
        ranks_(share.ranks),
        request_(request),
        checkpoint_(RunFolder(request.run), ranks_),
        chosen_(choose_auto_options(starting_options(request), share)),
        options_(chosen_.options),
        writer_(RunFolder(request.run), info_of(request.data, share, options_, chosen_.by_data),
                record_of(request.data, share, options_.load, fingerprint_), ranks_.first()),
        progress_(progress),
        device_(make_device(options_.train.device, options_.train.kernels)),
        random_(static_cast<uint64_t>(options_.train.seed)),
        supervised_(method_info(options_.method.method).supervised()),
        splits_(needed_splits(share.data, options_, request)),
        plan_(make_plan(share.data, options_, wanted_loader(), request.data)),
        selection_(share.data, options_, selects(options_) ? splits_ : kNoSplits),
        monitor_(options_, supervised_, request.run.string()) {
    make_model();
    batches_.emplace(share_, options_, plan_.loader, method_->first_width(), device_,
                     random_.fork("loader"), progress, request.stop);
  }

  TrainResult run() {
    try {
      return train_all();
    } catch (const Error& error) {
      writer_.stop(error, at_.epoch, elapsed());
      throw;
    }
  }

 private:
  TrainResult train_all() {
    resumes() ? resume() : start();
    announce();
    start_progress();
    while (true) {
      batches_->start(at_.epoch, at_.batch, last_epoch());
      train_epochs();
      if (at_.split + 1 >= trainings()) break;
      at_ = {at_.split + 1, 0, 0, {}};
      monitor_.restart();
      make_model();
      prepare();
      start_progress();
    }
    checkpoint();
    return finish();
  }

  bool resumes() const { return request_.resume && checkpoint_.folder().has_checkpoint(); }

  std::string wanted_loader() const {
    const std::string& asked = options_.loader.loader;
    if (asked != "auto") return asked;
    if (resumes()) return loader_of_checkpoint(checkpoint_.folder());
    return share_.index ? std::string(kFullBatch) : asked;
  }

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }
  int64_t trainings() const { return supervised_ ? static_cast<int64_t>(splits_.size()) : 1; }
  // Number of epochs to train now, which may be fewer than in the options. Schedules follow the
  // options.
  int64_t last_epoch() const {
    const int64_t all = options_.train.epochs;
    return request_.until > 0 ? std::min(request_.until, all) : all;
  }
  // The random stream of this training.
  Random random() const { return supervised_ ? random_.fork("split", at_.split) : random_; }
  const Split* split() const {
    return supervised_ ? &splits_[static_cast<size_t>(at_.split)] : nullptr;
  }
  InferenceOptions inference() const { return {static_cast<int64_t>(plan_.limit_mib * (1 << 20))}; }

  void make_model() {
    adam_.reset(), method_.reset();  // room for the next
    method_ = make_method(setting_of(writer_.info(), device_, random().fork("init")));
    adam_.emplace(method_->parameters(), AdamOptions{.lr = options_.train.lr,
                                                     .weight_decay = options_.train.weight_decay});
  }

  void prepare() {
    method_->prepare(share_, split());
    std::vector<int32_t> nodes = target_nodes();
    targets_ = Split{nodes, {}, {}};
    batches_->set_targets(std::move(nodes));
  }

  // The target nodes; empty means all nodes.
  std::vector<int32_t> target_nodes() const {
    const std::string& asked = options_.loader.target_nodes;
    if (supervised_ || asked == "train") return splits_[static_cast<size_t>(at_.split)].train;
    return asked == "all" ? std::vector<int32_t>{} : read_node_list(asked, share_.data);
  }

  bool stop_requested() const { return request_.stop && *request_.stop; }

  void start() {
    prepare();
    if (!request_.init.empty()) {
      const LoadedModel other = load_model(request_.init, device_);
      assign(method_->parameters(), tensors_of(other.model->parameters()), "",
             request_.init.string());
    }
    solved_ = method_->solve(batches_->whole(), inference(), progress_);
    writer_.start();
    checkpoint();
  }

  void resume() {
    const std::string where = request_.run.string();
    OptimizerState optimizer{adam_->state(), 0};
    TrainState state =
        load_checkpoint(checkpoint_.folder(), writer_.info(), selection_.kept().scores.size(),
                        method_->parameters(), optimizer);
    adam_->set_steps(optimizer.steps);
    at_ = std::move(state.position);
    if (at_.split < 0 || at_.split >= trainings())
      fail_data(where, "was trained on other splits", "resume with the dataset it began with");
    if (!state.data.empty() && state.data != fingerprint_)
      fail_data(where, "was trained on other data of the same size",
                "resume with the dataset it began with");
    prepare();
    if (!state.targets.empty() && !has_fingerprint(targets_, state.targets))
      fail_data(where, "was trained on other nodes than --target-nodes now lists",
                "resume with the list it began with");
    if (at_.batch >= batches_->per_epoch() && at_.batch > 0)
      fail_data(where, "was trained on other batches", "resume with the dataset it began with");
    monitor_.restart(state.rank);
    selection_.restore(std::move(state.kept));
    writer_.resume(state.metrics_bytes);
  }

  void announce() {
    if (!chosen_.note.empty()) progress_.say(chosen_.note);
    if (batches_->sampled()) progress_.say(plan_.text());
    if (const std::string note = method_->note(); !note.empty()) progress_.say(note);
  }

  // What is left of all splits. Making a loader may have reported progress of its own before.
  void start_progress() {
    const int64_t per_epoch = batches_->per_epoch();
    const int64_t epochs = (trainings() - at_.split) * last_epoch() - at_.epoch;
    if (epochs > 0)
      progress_.start("training", epochs * per_epoch - at_.batch,
                      per_epoch > 1 ? "batches" : "epochs");
  }

  void train_epochs() {
    while (at_.epoch < last_epoch()) {
      step();
      if (at_.batch == batches_->per_epoch()) end_epoch();
      if (ranks_.several() ? stopping_ : stop_requested()) {
        checkpoint();
        ranks_.fail(Error(ErrorKind::interrupted, stopped_text(), request_.run.string(),
                          "continue with the same command and --resume"));
      }
    }
  }

  void step() {
    const auto begun = Clock::now();
    const auto [batch, times] = batches_->next();
    const Random masks = batches_->sampled() ? random().fork("step", at_.epoch, at_.batch)
                                             : random().fork("step", at_.epoch);
    const int64_t per_epoch = batches_->per_epoch();
    if (batch.loss_rows() != 0)
      learn(batch, {masks, at_.epoch * per_epoch + at_.batch, options_.train.epochs * per_epoch});
    EpochSums& sums = at_.sums;
    sums.sample += times.sample, sums.gather += times.gather, sums.wait += times.wait;
    ++at_.batch;
    sums.seconds += std::chrono::duration<double>(Clock::now() - begun).count();
    if (at_.batch == per_epoch && batch.loss_rows() != 0 && monitor_.due(at_.epoch)) measure(batch);
    progress_.note(fmt::format("loss {:.4g}, rank {:.1f}", last_loss_, monitor_.rank()));
    progress_.advance(1);
  }

  void measure(const Batch& batch) {
    const at::Tensor z = output_of(batch);
    const Batch& of = batches_->sampled() ? batch : batches_->whole();
    try {
      monitor_.measure(z, of, at_.epoch);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::data) throw;
      ranks_.fail(error);
    }
  }

  void learn(const Batch& batch, const Step& step) {
    const Loss loss = method_->loss(batch, step);
    method_->parameters().zero_gradients();
    loss.total.backward();
    stopping_ = sum_gradients(method_->parameters(), ranks_, stop_requested());
    const double total = loss.total.item<double>();
    // No step is taken on a bad number, so the weights in memory are the last good ones.
    const double norm = std::isfinite(total) ? adam_->step(options_.train.clip) : std::nan("");
    if (!std::isfinite(total) || !std::isfinite(norm))
      ranks_.fail(
          Error(ErrorKind::data,
                fmt::format("the loss is no longer a finite number at epoch {}", at_.epoch + 1),
                request_.run.string(),
                "the last good checkpoint is kept; try a lower --lr, or --clip 1"));
    at_.sums.loss += total, at_.sums.gradient_norm += norm;
    for (const auto& [name, value] : loss.terms) at_.sums.terms[name] += value;
    ++at_.sums.steps;
    last_loss_ = total;
    method_->after(step);
  }

  // The embeddings as they would be written (dropout noise would hide a collapse), or those of a
  // batch if training does not compute on the whole graph.
  at::Tensor output_of(const Batch& batch) const {
    const at::NoGradGuard no_gradient;
    return batches_->sampled() ? method_->output(batch) : method_->embed(batches_->whole());
  }

  void end_epoch() {
    EpochMetrics m = metrics_of(at_.sums, at_.batch);
    if (monitor_.due(at_.epoch)) m.effective_rank = monitor_.rank();
    m.epoch = ++at_.epoch;
    if (supervised_) m.split = at_.split;
    if (selection_.due(at_.epoch, at_.epoch == last_epoch()))
      m.validation = selection_.score(embeddings(no_progress()), m.split, method_->parameters());
    last_ = m;
    writer_.append(m);
    at_.sums = {}, at_.batch = 0;
    const int64_t every = options_.train.checkpoint_every;
    if (every > 0 && at_.epoch % every == 0 && !monitor_.suspicious()) checkpoint();
  }

  at::Tensor embeddings(Progress& progress) const {
    return method_->embed(batches_->whole(), inference(), progress)
        .to(at::kCPU, at::kFloat)
        .contiguous();
  }

  void checkpoint() const {
    check_unchanged(share_.data);  // what was learned from other data is not kept
    check_equal(method_->parameters(), ranks_);
    if (!writer_.writes()) return;
    const bool all = targets_.train.empty();
    save_checkpoint(writer_.folder(), writer_.info(), method_->parameters(),
                    {adam_->state(), adam_->steps()},
                    {at_, plan_.loader, monitor_.rank(), selection_.kept(), writer_.metrics_bytes(),
                     all ? "" : fingerprint(targets_), fingerprint_});
  }

  std::string stopped_text() const {
    const std::string split =
        supervised_ ? fmt::format(" on split {} of {}", at_.split + 1, trainings()) : "";
    if (at_.batch == 0)
      return fmt::format("stopped after epoch {} of {}{}", at_.epoch, options_.train.epochs, split);
    return fmt::format("stopped after batch {} of {} in epoch {} of {}{}", at_.batch,
                       batches_->per_epoch(), at_.epoch + 1, options_.train.epochs, split);
  }

  TrainResult finish() {
    const TensorMap weights = selection_.best(tensors_of(method_->parameters()));
    writer_.save_models(weights, selection_.kept(), splits_);
    assign(method_->parameters(), weights, "", writer_.folder().model().string());
    const at::Tensor z = solved_.defined() ? solved_ : embeddings(progress_);
    check_unchanged(share_.data);
    check_finite(z);
    save_embeddings(writer_, z, share_);
    const double rank =
        at_.epoch > 0 || solved_.defined() ? effective_rank(z, batches_->whole()) : 0;
    writer_.finish(share_.nodes(), z.size(1), rank, at_.epoch, elapsed());
    progress_.finish();
    return {.run = request_.run.string(),
            .method = options_.method.method,
            .nodes = share_.nodes(),
            .columns = z.size(1),
            .epochs = at_.epoch,
            .parameters = method_->parameters().count(),
            .seconds = elapsed(),
            .ms_per_epoch = writer_.median_ms(),
            .peak_mib = writer_.peak_mib(),
            .effective_rank = rank,
            .view_agreement = at_.epoch > 0
                                  ? method_->view_agreement(batches_->whole(), z, inference())
                                  : std::nullopt,
            .plan = plan_,
            .note = method_->note(),
            .last = last_};
  }

  inline static const std::vector<Split> kNoSplits{};

  const Share& share_;
  const Ranks& ranks_;
  const TrainRequest& request_;
  const ReceivedCheckpoint checkpoint_;  // to resume from
  const ChosenOptions chosen_;
  const RunOptions& options_;
  // Of the dataset.
  const std::string fingerprint_ = share_.index ? share_.index->hash : fingerprint(share_.data);
  RunWriter writer_;
  Progress& progress_;
  Device device_;
  Random random_;
  bool supervised_;
  std::vector<Split> splits_;
  Plan plan_;
  Selection selection_;
  CollapseMonitor monitor_;
  std::unique_ptr<Method> method_;
  std::optional<Adam> adam_;
  std::optional<Batches> batches_;
  at::Tensor solved_;      // the embeddings of a method that was just solved; otherwise undefined
  bool stopping_ = false;  // some rank was asked to stop
  Split targets_;          // the target nodes, as training nodes; none: all nodes
  Position at_;
  EpochMetrics last_;
  double last_loss_ = 0;
  Clock::time_point begun_ = Clock::now();
};

}  // namespace

TrainResult train(const Share& share, const TrainRequest& request, Progress& progress) {
  request.options.check();
  check_spread(request.options, share);
  check_same(share, info_of(request.data, share, request.options));
  const std::string& method = request.options.method.method;
  if (!request.init.empty() && !method_info(method).trains())
    fail_usage("--init", fmt::format("{} has no weights to start from", method),
               "leave it out, or train with --method graphsurgeon");
  const Dataset& data = share.data;
  check_unchanged(data);
  RunFolder folder(request.run);
  std::optional<RunLock> lock;
  share.ranks.together([&] {
    if (share.ranks.first())
      lock.emplace(folder, [&] { folder.check_writable(request.resume, request.overwrite); });
  });
  if (data.features.width() == 0)
    fail_data(request.data, "has no features",
              "make some with --make-features degree, random or spectral");
  if (data.nodes() < 2)
    fail_data(request.data, "has fewer than two nodes", "use a graph with at least two nodes");
  GS_ASSERT(request.until == 0 || !method_info(method).supervised());
  const c10::InferenceMode no_inference(false);  // the caller may have turned gradients off
  const at::AutoGradMode gradients(true);
  return Trainer(share, request, progress).run();
}

TrainResult train(const Dataset& data, const TrainRequest& request, Progress& progress) {
  return train(Share(data), request, progress);
}

}  // namespace gs
