#include "eval/probe.h"

#include <ATen/Parallel.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "eval/logistic.h"
#include "eval/logistic_path.h"
#include "eval/metrics.h"
#include "nn/blas.h"
#include "nn/finite.h"
#include "nn/ops/torch_sparse.h"

namespace gs {

namespace {

constexpr int64_t kRowBytes = int64_t{256} << 20;  // gathered rows held at once
constexpr int64_t kBatchBytes = int64_t{2} << 20;  // of one batch: more would leave a core's cache
constexpr int64_t kTestBlock = 8192;               // test rows gathered at once
// Multiplications of a step below which threads get in each other's way.
constexpr double kSmallStep = 1e8;
constexpr double kNone = -1;  // below every score
// Strengths C that are tried: scikit-learn's scale, and that of the BGRL protocol.
constexpr double kStrengths[] = {1e-1, 1e0, 1e1, 1e2, 1e3};
constexpr double kWideStrengths[] = {0x1p-10, 0x1p-8, 0x1p-6, 0x1p-4, 0x1p-2, 1,
                                     0x1p2,   0x1p4,  0x1p6,  0x1p8,  0x1p10};

// The splits with their labeled nodes only; data Error if a set is empty.
std::vector<Split> usable(const Input& x, const Labels& labels, const std::vector<Split>& splits,
                          bool with_test) {
  const int64_t nodes = x.rows();
  const bool multi = labels.task == Task::multilabel;
  if (labels.task == Task::none || labels.classes < 1)
    fail_data("labels", "there are none to learn from", "evaluation needs a dataset with labels");
  if ((multi ? labels.multi.size() / labels.classes : labels.single.size()) != nodes)
    fail_data("embeddings",
              fmt::format("{} rows, but the dataset has {} labeled rows", nodes,
                          multi ? labels.multi.size() / labels.classes : labels.single.size()),
              "embeddings and dataset must list the same nodes in the same order");
  const auto known = [&](const std::vector<int32_t>& from, const char* name, size_t split) {
    std::vector<int32_t> out;
    for (const int32_t node : from) {
      GS_ASSERT(node >= 0 && node < nodes);
      if (labels.known(node)) out.push_back(node);
    }
    if (out.empty())
      fail_data(fmt::format("split {}", split), fmt::format("has no labeled {} nodes", name),
                "choose other --splits");
    return out;
  };
  std::vector<Split> out;
  for (size_t i = 0; i < splits.size(); ++i)
    out.push_back({known(splits[i].train, "training", i), known(splits[i].val, "validation", i),
                   with_test ? known(splits[i].test, "test", i) : std::vector<int32_t>{}});
  return out;
}

void check_values(const Input& x) {
  check_finite(x.sparse() ? matrix_of(x.sparse_operator()).values() : x.dense().detach());
}

struct Problem {
  const Input& x;
  const Labels& labels;
  const std::vector<Split>& splits;
  const ProbeOptions& options;
  uint64_t seed;
  Metric metric;
  Predictions* first = nullptr;

  bool by_auc() const { return metric == Metric::roc_auc; }
  bool unit_rows() const { return options.probe == Probe::logistic; }

  NodeLists nodes(int64_t begin, int64_t end, std::vector<int32_t> Split::*set) const {
    NodeLists out;
    for (int64_t r = begin; r < end; ++r) out.emplace_back(splits[static_cast<size_t>(r)].*set);
    return out;
  }
};

// The validation nodes of some splits with their labels, scored again and again.
class ValidationRows {
 public:
  ValidationRows(const Problem& p, int64_t begin, int64_t end)
      : rows_(p.x, p.nodes(begin, end, &Split::val), at::kFloat, RowBatch::Use::scores,
              p.unit_rows()),
        metric_(p.metric),
        classes_(p.labels.classes),
        scores_(at::empty({end - begin, classes_, rows_.longest()},
                          at::TensorOptions().device(p.x.device()).dtype(at::kFloat))) {
    for (const auto& list : p.nodes(begin, end, &Split::val)) truths_.emplace_back(p.labels, list);
  }

  void score(const LinearWeights& weights) {
    rows_.scores(weights, scores_);
    host_ = scores_.to(at::kCPU);
  }

  // The metric of split r at the last scored weights.
  double of_split(int64_t r) const {
    const int64_t stride = rows_.longest();
    return metric_value(
        {host_.const_data_ptr<float>() + r * classes_ * stride, classes_, rows_.count(r), stride},
        truths_[static_cast<size_t>(r)], metric_);
  }

 private:
  RowBatch rows_;
  Metric metric_;
  int64_t classes_;
  at::Tensor scores_, host_;
  std::vector<Truth> truths_;
};

// The weights of each split's probe at its best validation score, and when that was.
struct Fit {
  LinearWeights weights;
  std::vector<double> score;
  std::vector<int64_t> step;

  Fit(const Input& x, int64_t count, int64_t classes)
      : weights(LinearWeights::zeros(x, count, classes, at::kFloat)),
        score(static_cast<size_t>(count), kNone),
        step(static_cast<size_t>(count), 0) {}

  // Keeps what beats the best so far; weights that overflowed never do.
  void offer(const LinearWeights& now, ValidationRows& validation, int64_t at_step) {
    validation.score(now);
    const at::Tensor sums = (now.w.sum({1}) + now.b.sum({1})).to(at::kCPU);
    for (int64_t r = 0; r < sums.size(0); ++r) {
      if (!std::isfinite(sums.const_data_ptr<float>()[r])) continue;
      const double value = validation.of_split(r);
      if (value <= score[static_cast<size_t>(r)]) continue;
      score[static_cast<size_t>(r)] = value;
      step[static_cast<size_t>(r)] = at_step;
      weights.w[r].copy_(now.w[r]);
      weights.b[r].copy_(now.b[r]);
    }
  }
};

// Xavier's uniform weights, one stream of random numbers per split; the same numbers in either
// layout.
LinearWeights xavier(const Input& x, int64_t first_split, int64_t count, int64_t classes,
                     uint64_t seed) {
  const double bound = std::sqrt(6.0 / static_cast<double>(x.width() + classes));
  at::Tensor values = at::empty({count, classes, x.width()}, at::kFloat);
  auto* out = values.data_ptr<float>();
  for (int64_t r = 0; r < count; ++r) {
    Random random = Random(seed).fork("probe", first_split + r);
    for (int64_t i = 0; i < classes * x.width(); ++i)
      *out++ = static_cast<float>(bound * (2 * random.uniform() - 1));
  }
  LinearWeights weights = LinearWeights::zeros(x, count, classes, at::kFloat);
  weights.matrices(x).copy_(values.transpose(1, 2));
  return weights;
}

Fit fit_adam(const Problem& p, int64_t begin, int64_t end) {
  const int64_t count = end - begin;
  LogisticBatch train(p.x, p.labels, p.nodes(begin, end, &Split::train));
  ValidationRows validation(p, begin, end);
  LinearWeights weights = xavier(p.x, begin, count, p.labels.classes, p.seed);
  const auto zeros = [&] { return LinearWeights::zeros(p.x, count, p.labels.classes, at::kFloat); };
  LinearWeights gradient = zeros();
  const LinearWeights first = zeros(), second = zeros();
  const at::Tensor step_number = at::zeros({}, weights.w.options());
  Fit fit(p.x, count, p.labels.classes);
  for (int64_t step = 1; step <= p.options.probe_epochs; ++step) {
    train.gradient(weights, gradient);
    step_number.fill_(step);
    at::_fused_adam_({weights.w, weights.b}, {gradient.w, gradient.b}, {first.w, first.b},
                     {second.w, second.b}, {}, {step_number, step_number}, p.options.probe_lr, 0.9,
                     0.999, /*weight_decay=*/0, /*eps=*/1e-8,
                     /*amsgrad=*/false, /*maximize=*/false);
    if (step % p.options.probe_every == 0 || step == p.options.probe_epochs)
      fit.offer(weights, validation, step);
  }
  return fit;
}

// Fits one split to convergence for each penalty, from the strongest down.
Fit fit_logistic(const Problem& p, int64_t split) {
  LogisticPath train(p.x, p.labels, p.splits[static_cast<size_t>(split)].train);
  ValidationRows validation(p, split, split + 1);
  Fit fit(p.x, 1, p.labels.classes);
  const std::span<const double> wide(kWideStrengths), usual(kStrengths);
  for (const double c : p.options.wide_penalties ? wide : usual) {
    const LinearWeights weights = train.fit(c);
    fit.offer(weights, validation, std::max<int64_t>(1, train.iterations()));
  }
  return fit;
}

// Scores the test nodes of one split, a block of rows at a time.
void test(const Problem& p, const LinearWeights& weights, std::span<const int32_t> nodes,
          ProbeScore& out, Predictions* predictions) {
  const int64_t classes = p.labels.classes, count = static_cast<int64_t>(nodes.size());
  std::vector<int32_t> predicted(p.by_auc() ? 0 : nodes.size());
  at::Tensor scores = p.by_auc() ? at::empty({classes, count}, at::kFloat) : at::Tensor();
  for (int64_t begin = 0; begin < count; begin += kTestBlock) {
    const int64_t rows = std::min(kTestBlock, count - begin);
    const RowBatch block(p.x,
                         {nodes.subspan(static_cast<size_t>(begin), static_cast<size_t>(rows))},
                         at::kFloat, RowBatch::Use::once, p.unit_rows());
    at::Tensor part = at::empty({1, classes, rows}, weights.w.options());
    block.scores(weights, part);
    if (p.by_auc()) {
      scores.slice(1, begin, begin + rows).copy_(part[0]);
    } else {
      const at::Tensor host = part.to(at::kCPU);
      predict({host.const_data_ptr<float>(), classes, rows, rows},
              std::span(predicted).subspan(static_cast<size_t>(begin), static_cast<size_t>(rows)));
    }
  }
  const Truth truth(p.labels, nodes);
  if (p.by_auc())
    score_test({scores.const_data_ptr<float>(), classes, count, count}, truth, out, predictions);
  else score_test(std::move(predicted), truth, classes, out, predictions);
  if (predictions) predictions->nodes.assign(nodes.begin(), nodes.end());
}

int64_t bytes_of(const Problem& p, const Split& split) {
  const auto train = static_cast<int64_t>(split.train.size()),
             val = static_cast<int64_t>(split.val.size());
  const auto classes = p.labels.classes;
  if (!p.x.sparse())
    return 4 * (train * (2 * p.x.width() + 3 * classes) + val * (p.x.width() + classes));
  const int64_t per_row =
      matrix_of(p.x.sparse_operator()).values().numel() / std::max<int64_t>(1, p.x.rows());
  return 16 * (train + val) * per_row + 4 * (3 * train + val) * classes;
}

// How the splits are shared out: batches that stay in a core's cache, as many side by side as there
// are threads and room, each on one thread. A few large splits go one after another instead, each
// on all threads. On a GPU one batch takes all that fit.
struct Sharing {
  int64_t batch = 1;
  bool side_by_side = false;
};

Sharing share_out(const Problem& p) {
  int64_t bytes = 1;
  double step = 0;
  for (const Split& split : p.splits) {
    bytes = std::max(bytes, bytes_of(p, split));
    step = std::max(step, 2.0 * static_cast<double>(split.train.size()) *
                              static_cast<double>(p.x.width() * p.labels.classes));
  }
  const auto count = std::ssize(p.splits);
  const int64_t fit = std::clamp<int64_t>(kRowBytes / bytes, 1, count);
  if (p.x.device() != at::kCPU) return {p.options.probe == Probe::paper ? fit : 1, false};
  const int64_t batch =
      p.options.probe == Probe::paper ? std::clamp<int64_t>(kBatchBytes / bytes, 1, fit) : 1;
  const bool room = fit >= std::min<int64_t>(count, threads());
  return {batch, room && (step < kSmallStep || fit / batch >= (threads() + 1) / 2)};
}

// Keeps libtorch on one thread while it lives, so that a batch alone computes as it does beside
// others. It holds for the calling thread only: at::set_num_threads would also change the number
// that other threads start with.
class OneThread {
 public:
  OneThread() : before_(at::get_num_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

std::vector<ProbeScore> probe(const Problem& p, bool with_test) {
  const auto count = std::ssize(p.splits);
  std::vector<ProbeScore> out(p.splits.size());
  const Sharing way = share_out(p);
  const auto solve = [&](int64_t batch) {
    const int64_t begin = batch * way.batch, end = std::min(count, begin + way.batch);
    const Fit fit =
        p.options.probe == Probe::logistic ? fit_logistic(p, begin) : fit_adam(p, begin, end);
    for (int64_t r = begin; r < end; ++r) {
      const auto local = static_cast<size_t>(r - begin);
      if (fit.score[local] == kNone) continue;
      ProbeScore& score = out[static_cast<size_t>(r)];
      score.validation = 100 * fit.score[local];
      score.best_step = fit.step[local];
      if (with_test)
        test(p, fit.weights.problem(r - begin), p.splits[static_cast<size_t>(r)].test, score,
             r == 0 ? p.first : nullptr);
    }
  };
  const int64_t batches = (count + way.batch - 1) / way.batch;
  const auto solve_all = [&](int64_t begin, int64_t end) {
    const OneBlasThread alone;
    for (int64_t i = begin; i < end; ++i) solve(i);
  };
  if (way.side_by_side) {
    const OneThread guard;
    parallel_for(batches, 1, solve_all);
  } else {
    for (int64_t i = 0; i < batches; ++i) solve(i);
  }
  return out;
}

}  // namespace

Score linear_probe(const Input& x, const Labels& labels, const std::vector<Split>& splits,
                   const ProbeOptions& options, uint64_t seed, Predictions* first) {
  const std::vector<Split> checked = usable(x, labels, splits, true);
  check_values(x);
  GS_ASSERT(options.probe != Probe::both);
  const Metric metric = metric_of(labels, options.metric);
  return {metric, probe({x, labels, checked, options, seed, metric, first}, true)};
}

std::vector<double> validation_scores(const at::Tensor& z, const Labels& labels,
                                      const std::vector<Split>& splits, const ProbeOptions& options,
                                      uint64_t seed) {
  const Input x(z);
  const std::vector<Split> checked = usable(x, labels, splits, false);
  check_values(x);
  std::vector<double> out;
  GS_ASSERT(options.probe != Probe::both);
  const Metric metric = metric_of(labels, options.metric);
  for (const ProbeScore& score : probe({x, labels, checked, options, seed, metric}, false))
    out.push_back(score.validation);
  return out;
}

}  // namespace gs
