#include "eval/links.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/parallel.h"
#include "base/statistics.h"
#include "dataset/make_features.h"
#include "eval/lbfgs.h"
#include "eval/make_task.h"
#include "eval/metrics.h"
#include "graph/held_out.h"
#include "nn/blas.h"
#include "nn/device.h"
#include "nn/finite.h"
#include "run/embed.h"
#include "run/model.h"

namespace gs {

namespace {

namespace stdfs = std::filesystem;

constexpr int64_t kMostPairs = 200000;  // held out of a large graph
constexpr int64_t kNegatives = 100;     // per held-out edge, to rank it among
constexpr int64_t kBlockPairs = 65536;
constexpr int64_t kRegressionRows = 4096;  // at once
constexpr double kPenalty = 1e-4;

at::Tensor ids(const std::vector<int32_t>& nodes) {
  return at::tensor(at::ArrayRef<int32_t>(nodes), at::kInt).to(at::kLong);
}

struct Ends {
  std::vector<int32_t> from, to;
};

Ends ends_of(const std::vector<NodePair>& pairs) {
  Ends out;
  for (const NodePair& pair : pairs) out.from.push_back(pair.from), out.to.push_back(pair.to);
  return out;
}

at::Tensor products(const at::Tensor& z, const Ends& ends) {
  return z.index_select(0, ids(ends.from)) * z.index_select(0, ids(ends.to));
}

// The embeddings divided by a power of two, so that their products do not overflow: exact, and the
// order of scores stays.
at::Tensor of_unit_size(const at::Tensor& z) {
  check_finite(z);
  int exponent = 0;
  std::frexp(z.abs().max().item<float>(), &exponent);
  return at::ldexp(z, at::scalar_tensor(-exponent, z.options()));
}

// Scores of pairs by a weight for each column of z; a block of them at a time.
std::vector<float> scores(const at::Tensor& z, const Ends& ends, const at::Tensor& weight) {
  std::vector<float> out;
  const auto count = static_cast<int64_t>(ends.from.size());
  for (int64_t begin = 0; begin < count; begin += kBlockPairs) {
    const int64_t end = std::min(count, begin + kBlockPairs);
    const Ends block{{ends.from.begin() + begin, ends.from.begin() + end},
                     {ends.to.begin() + begin, ends.to.begin() + end}};
    const at::Tensor part = products(z, block).matmul(weight).contiguous();
    out.insert(out.end(), part.const_data_ptr<float>(),
               part.const_data_ptr<float>() + part.numel());
  }
  return out;
}

// Logistic regression on rows of float, in double. Sums go over fixed blocks in their order, so
// that they round alike on any number of threads.
Evaluation logistic_loss(const at::Tensor& x, const at::Tensor& y, const at::Tensor& at_flat) {
  const int64_t rows = x.size(0), width = x.size(1);
  const int64_t blocks = (rows + kRegressionRows - 1) / kRegressionRows;
  const at::Tensor w = at_flat.slice(0, 0, width), bias = at_flat[width];
  at::Tensor losses = at::empty({blocks}, at::kDouble),
             gradients = at::empty({blocks, width + 1}, at::kDouble);
  parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
    const OneBlasThread alone;
    for (int64_t b = begin; b < end; ++b) {
      const at::Tensor part = x.slice(0, b * kRegressionRows, (b + 1) * kRegressionRows)
                                  .to(at::kDouble),
                       truth = y.slice(0, b * kRegressionRows, (b + 1) * kRegressionRows);
      const at::Tensor logits = part.matmul(w) + bias, error = logits.sigmoid() - truth;
      losses[b].copy_(
          at::binary_cross_entropy_with_logits(logits, truth, {}, {}, at::Reduction::Sum));
      gradients[b].slice(0, 0, width).copy_(part.t().matmul(error));
      gradients[b][width].copy_(error.sum());
    }
  });
  const double loss = losses.sum().item<double>() / static_cast<double>(rows);
  at::Tensor gradient = gradients.sum(0) / static_cast<double>(rows);
  gradient.slice(0, 0, width).add_(w, kPenalty);
  return {loss + kPenalty / 2 * at::dot(w, w).item<double>(), gradient};
}

// The weight of each column's product that separates known edges from pairs without one; columns
// are brought to a mean square of 1 for it.
at::Tensor learn(const at::Tensor& z, const HeldOut& held) {
  Ends ends = ends_of(held.known), others = ends_of(held.unknown);
  const auto positives = static_cast<int64_t>(ends.from.size());
  ends.from.insert(ends.from.end(), others.from.begin(), others.from.end());
  ends.to.insert(ends.to.end(), others.to.begin(), others.to.end());
  at::Tensor x = products(z, ends);
  const at::Tensor scale = x.square().mean(0).sqrt().clamp_min(1e-12);
  x.div_(scale);
  at::Tensor y = at::zeros({x.size(0)}, at::kDouble);
  y.slice(0, 0, positives).fill_(1);
  const Minimum found =
      minimize([&](const at::Tensor& at_flat) { return logistic_loss(x, y, at_flat); },
               at::zeros({x.size(1) + 1}, at::kDouble), {.iterations = 200, .tolerance = 1e-6});
  return found.x.slice(0, 0, x.size(1)).to(at::kFloat) / scale;
}

// Pairs to rank held-out edges among: kNegatives for each edge of `ranked`.
struct Negatives {
  std::vector<NodePair> ranked;
  Ends ends;
};

// An edge whose one end is joined to every node is ranked from its other end; one where both are
// has no negatives and is left out.
Negatives negatives_of(const Csr& graph, const HeldOut& held, Random random) {
  Negatives out;
  for (size_t i = 0; i < held.positive.size(); ++i) {
    NodePair pair = held.positive[i];
    const auto draw = [&] {  // the stream's name is part of the results
      return non_neighbors(graph, pair.from, kNegatives, random.fork("rivals", i));
    };
    std::vector<int32_t> to = draw();
    if (to.empty()) {
      std::swap(pair.from, pair.to);
      to = draw();
    }
    if (to.empty()) continue;
    to.resize(kNegatives, to.back());
    out.ranked.push_back(pair);
    out.ends.from.insert(out.ends.from.end(), kNegatives, pair.from);
    out.ends.to.insert(out.ends.to.end(), to.begin(), to.end());
  }
  return out;
}

LinkScore score_all(const at::Tensor& z, const HeldOut& held, const Negatives& negatives,
                    const at::Tensor& weight) {
  LinkScore out = score_links(scores(z, ends_of(held.positive), weight),
                              scores(z, ends_of(held.negative), weight));
  out.mrr = 100 * mean_reciprocal_rank(scores(z, ends_of(negatives.ranked), weight),
                                       scores(z, negatives.ends, weight));
  return out;
}

}  // namespace

LinkScore score_links(std::span<const float> positive, std::span<const float> negative) {
  std::vector<float> all(positive.begin(), positive.end());
  all.insert(all.end(), negative.begin(), negative.end());
  std::vector<uint8_t> truth(all.size());
  std::fill(truth.begin(), truth.begin() + static_cast<int64_t>(positive.size()), uint8_t{1});
  LinkScore out;
  out.auc = 100 * roc_auc(all, truth);

  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return all[a] > all[b]; });
  double found = 0, sum = 0;
  for (size_t begin = 0; begin < order.size();) {  // pairs of one score come in together
    size_t end = begin;
    double here = 0;
    while (end < order.size() && all[order[end]] == all[order[begin]]) here += truth[order[end++]];
    found += here;
    sum += here * found / static_cast<double>(end);
    begin = end;
  }
  out.average_precision = 100 * sum / static_cast<double>(positive.size());

  std::vector<float> best(negative.begin(), negative.end());
  std::sort(best.begin(), best.end(), std::greater<>());
  const auto hits = [&](size_t k) {
    if (best.size() < k) return 100.0;
    const auto above = std::count_if(positive.begin(), positive.end(),
                                     [&](float score) { return score > best[k - 1]; });
    return 100 * static_cast<double>(above) / static_cast<double>(positive.size());
  };
  out.hits_10 = hits(10), out.hits_50 = hits(50), out.hits_100 = hits(100);
  return out;
}

double mean_reciprocal_rank(std::span<const float> positive, std::span<const float> negatives) {
  if (positive.empty()) return 0;
  const size_t each = negatives.size() / positive.size();
  double sum = 0;
  for (size_t i = 0; i < positive.size(); ++i) {
    double rank = 1;
    for (const float negative : negatives.subspan(i * each, each))
      rank += negative > positive[i] ? 1 : negative == positive[i] ? 0.5 : 0;
    sum += 1 / rank;
  }
  return sum / static_cast<double>(positive.size());
}

LinkResult predict_links(const EvalRequest& request, Progress& progress,
                         const TrainEncoder& train) {
  if (!stdfs::is_directory(request.input))
    fail_usage("--task links",
               fmt::format("'{}' is not a run: embeddings made with all edges know the answers",
                           printable(request.input)),
               "name a run folder; its training is repeated without the held-out edges");
  const Device device = make_device(request.device);
  const LoadedModel model = load_model(request.input, device);
  check_gives_embeddings(model.info, "--task links");
  const LoadOptions load = load_like(model.info, request.data, request.load, request.given);
  Dataset data = load_dataset(request.data, load, progress);
  check_width(model.info, data, request.data);
  // Features made of all edges would give the held-out ones away.
  const bool made = data.treatment.find(kFeaturesMade) != std::string::npos;
  if (made && load.make_features == MakeFeatures::none)
    fail_data(request.data, "its features were made of all its edges when it was written",
              "convert it without --make-features, and train with that option");
  LinkResult out;
  const Csr whole = data.graph;
  for (int64_t i = 0; i < request.task.encoders; ++i) {
    const int64_t seed = model.info.options.train.seed + i;
    const Random random = Random(static_cast<uint64_t>(seed)).fork("links");
    HeldOut held = hold_out(whole, request.task.held_out, kMostPairs, random);
    data.graph = held.graph;
    out.share = held.share;
    if (made)
      data.features = make_features(load.make_features, data.graph, load.make_width, load.seed);
    const LoadedModel trained = load_model(train(model.info, data, seed, 0), device);
    at::Tensor z = embed(trained, data, request.data, {request.memory_mib << 20}, progress);
    z = of_unit_size(z);
    const Negatives negatives = negatives_of(whole, held, random);
    out.encoders.push_back({seed, std::ssize(held.positive),
                            score_all(z, held, negatives, at::ones({z.size(1)})),
                            score_all(z, held, negatives, learn(z, held))});
  }
  return out;
}

namespace {

struct LinkPart {
  const char *key, *title;
  double LinkScore::*value;
};
constexpr LinkPart kLinkParts[] = {
    {"auc", "AUC", &LinkScore::auc},
    {"average_precision", "average precision", &LinkScore::average_precision},
    {"hits_10", "hits at 10", &LinkScore::hits_10},
    {"hits_50", "hits at 50", &LinkScore::hits_50},
    {"hits_100", "hits at 100", &LinkScore::hits_100},
    {"mrr", "MRR among 100", &LinkScore::mrr}};

}  // namespace

std::vector<double> LinkResult::values(LinkScore LinkEncoderScore::*scorer,
                                       double LinkScore::*part) const {
  std::vector<double> out;
  for (const LinkEncoderScore& encoder : encoders) out.push_back(encoder.*scorer.*part);
  return out;
}

nlohmann::json LinkResult::to_json() const {
  const auto part = [&](LinkScore LinkEncoderScore::*scorer,
                        double LinkScore::*which) -> nlohmann::json {
    const std::vector<double> numbers = values(scorer, which);
    const Spread spread = spread_of(numbers);
    return {{"mean", spread.mean}, {"std", spread.deviation}, {"values", numbers}};
  };
  nlohmann::json out = part(&LinkEncoderScore::logistic, &LinkScore::auc), dot, logistic;
  for (const LinkPart& row : kLinkParts) {
    dot[row.key] = part(&LinkEncoderScore::dot, row.value);
    logistic[row.key] = part(&LinkEncoderScore::logistic, row.value);
  }
  out.update({{"metric", "auc"},
              {"held_out", encoders.front().held_out},
              {"share", share},
              {"dot", std::move(dot)},
              {"logistic", std::move(logistic)}});
  return out;
}

std::string LinkResult::to_text() const {
  std::string text = fmt::format(
      "{} held-out edges ({:.3g} % of all) and as many pairs without one; {} {}, percent\n\n"
      "  {:<22} {:<16} {}\n",
      encoders.front().held_out, 100 * share, encoders.size(),
      encoders.size() == 1 ? "training" : "trainings", "", "dot product", "logistic");
  const auto shown = [&](LinkScore LinkEncoderScore::*scorer, double LinkScore::*part) {
    const Spread spread = spread_of(values(scorer, part));
    return fmt::format("{:6.2f} +- {:.2f}", spread.mean, spread.deviation);
  };
  for (const LinkPart& row : kLinkParts)
    text += fmt::format("  {:<22} {:<16} {}\n", row.title, shown(&LinkEncoderScore::dot, row.value),
                        shown(&LinkEncoderScore::logistic, row.value));
  return text;
}

class Links final : public EvalTask {
 public:
  std::unique_ptr<TaskResult> run(const EvalRequest& request, Progress& progress,
                                  const TrainEncoder& train) const override {
    return std::make_unique<LinkResult>(predict_links(request, progress, train));
  }
};
template std::unique_ptr<EvalTask> make_task<Links>();

}  // namespace gs
