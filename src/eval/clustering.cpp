#include "eval/clustering.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/random.h"
#include "base/statistics.h"
#include "eval/make_task.h"
#include "eval/references.h"
#include "nn/diffusion.h"
#include "nn/finite.h"
#include "objective/eigenmaps.h"
#include "run/embedded.h"

namespace gs {

namespace {

constexpr int64_t kClusteringRows = 8192;  // fixed, so that sums round alike on any machine

class Lloyd {
 public:
  Lloyd(const at::Tensor& z, int64_t clusters)
      : z_(z),
        clusters_(clusters),
        squares_((z * z).sum(1)),
        nearest_(at::empty({z.size(0)}, at::kLong)) {}

  // Centers far from each other: each next one is a row drawn by its squared distance to those
  // there are.
  at::Tensor plus_plus(Random random) const {
    const int64_t n = z_.size(0);
    at::Tensor centers = at::empty({clusters_, z_.size(1)}, z_.options());
    at::Tensor distance = at::full({n}, std::numeric_limits<double>::infinity(), at::kDouble);
    int64_t chosen = static_cast<int64_t>(random.below(static_cast<uint64_t>(n)));
    for (int64_t c = 0; c < clusters_; ++c) {
      centers[c] = z_[chosen];
      const at::Tensor away = (z_ - centers[c]).square().sum(1).to(at::kDouble);
      distance = at::minimum(distance, away);
      const at::Tensor up_to = distance.cumsum(0);
      const double total = up_to[n - 1].item<double>();
      chosen = total > 0 ? at::searchsorted(
                               up_to, at::scalar_tensor(total * random.uniform(), at::kDouble))
                               .clamp_max(n - 1)
                               .item<int64_t>()
                         : static_cast<int64_t>(random.below(static_cast<uint64_t>(n)));
    }
    return centers;
  }

  // One step: rows to their nearest centers, centers to the means of their rows. Returns the
  // distortion before it.
  double step(at::Tensor& centers) {
    const at::Tensor center_squares = (centers * centers).sum(1);
    at::Tensor sums = at::zeros({clusters_, z_.size(1)}, at::kDouble);
    at::Tensor counts = at::zeros({clusters_}, at::kDouble);
    double distortion = 0;
    for (int64_t begin = 0; begin < z_.size(0); begin += kClusteringRows) {
      const int64_t end = std::min(z_.size(0), begin + kClusteringRows);
      const at::Tensor rows = z_.slice(0, begin, end);
      const at::Tensor away =
          at::addmm(center_squares.unsqueeze(0), rows, centers.t(), 1, -2);  // without |z|^2
      const auto [least, which] = away.min(1);
      nearest_.slice(0, begin, end).copy_(which);
      distortion +=
          (least + squares_.slice(0, begin, end)).clamp_min(0).sum(at::kDouble).item<double>();
      const at::Tensor member = at::one_hot(which, clusters_).to(z_.scalar_type());
      sums += member.t().mm(rows).to(at::kDouble);
      counts += member.sum(0).to(at::kDouble);
    }
    const at::Tensor means = (sums / counts.clamp_min(1).unsqueeze(1)).to(z_.scalar_type());
    centers = at::where((counts > 0).unsqueeze(1), means, centers);  // an empty one stays
    return distortion;
  }

  const at::Tensor& nearest() const { return nearest_; }

 private:
  const at::Tensor& z_;
  int64_t clusters_;
  at::Tensor squares_, nearest_;
};

// Counts of (cluster, class) over the rows whose class is known.
struct Contingency {
  std::vector<std::vector<int64_t>> both;
  std::vector<int64_t> clusters, classes;
  int64_t total = 0;

  Contingency(std::span<const int32_t> found, std::span<const int32_t> truth) {
    GS_ASSERT(found.size() == truth.size());
    int32_t rows = 0, columns = 0;
    for (size_t i = 0; i < truth.size(); ++i)
      if (truth[i] >= 0)
        rows = std::max(rows, found[i] + 1), columns = std::max(columns, truth[i] + 1);
    clusters.resize(static_cast<size_t>(rows)), classes.resize(static_cast<size_t>(columns));
    both.assign(clusters.size(), std::vector<int64_t>(classes.size()));
    for (size_t i = 0; i < truth.size(); ++i) {
      if (truth[i] < 0) continue;
      const auto r = static_cast<size_t>(found[i]), c = static_cast<size_t>(truth[i]);
      ++both[r][c], ++clusters[r], ++classes[c], ++total;
    }
  }
};

double entropy(const std::vector<int64_t>& counts, int64_t total) {
  double sum = 0;
  for (const int64_t n : counts)
    if (n > 0) {
      const double p = static_cast<double>(n) / static_cast<double>(total);
      sum -= p * std::log(p);
    }
  return sum;
}

double normalized_information(const Contingency& t) {
  double information = 0;
  const auto n = static_cast<double>(t.total);
  for (size_t r = 0; r < t.clusters.size(); ++r)
    for (size_t c = 0; c < t.classes.size(); ++c)
      if (t.both[r][c] > 0) {
        const auto joint = static_cast<double>(t.both[r][c]);
        information +=
            joint / n *
            std::log(joint * n /
                     (static_cast<double>(t.clusters[r]) * static_cast<double>(t.classes[c])));
      }
  const double mean = (entropy(t.clusters, t.total) + entropy(t.classes, t.total)) / 2;
  return mean > 0 ? std::max(0.0, information) / mean : 1;  // one cluster and one class agree
}

double adjusted_rand(const Contingency& t) {
  const auto pairs = [](int64_t n) {
    return static_cast<double>(n) * static_cast<double>(n - 1) / 2;
  };
  double together = 0, in_clusters = 0, in_classes = 0;
  for (const auto& row : t.both)
    for (const int64_t n : row) together += pairs(n);
  for (const int64_t n : t.clusters) in_clusters += pairs(n);
  for (const int64_t n : t.classes) in_classes += pairs(n);
  const double all = pairs(t.total), expected = all > 0 ? in_clusters * in_classes / all : 0;
  const double most = (in_clusters + in_classes) / 2;
  return most == expected ? 1 : (together - expected) / (most - expected);
}

double matched(const Contingency& t) {
  const size_t n = std::max(t.clusters.size(), t.classes.size());
  std::vector<double> cost(n * n);
  for (size_t r = 0; r < t.clusters.size(); ++r)
    for (size_t c = 0; c < t.classes.size(); ++c)
      cost[r * n + c] = -static_cast<double>(t.both[r][c]);
  const std::vector<int32_t> column = least_assignment(cost, static_cast<int64_t>(n));
  double right = 0;
  for (size_t r = 0; r < n; ++r) right -= cost[r * n + static_cast<size_t>(column[r])];
  return right / static_cast<double>(t.total);
}

}  // namespace

std::vector<int32_t> k_means(const at::Tensor& rows, int64_t clusters,
                             const KMeansOptions& options) {
  GS_ASSERT(clusters >= 1 && rows.size(0) >= 1);
  const at::Tensor z = rows - rows.mean(0);  // far from the origin distances would cancel
  const double spread = z.var(0, /*unbiased=*/false).mean().item<double>();
  Lloyd lloyd(z, clusters);
  double least = std::numeric_limits<double>::infinity();
  at::Tensor best;
  for (int64_t restart = 0; restart < options.restarts; ++restart) {
    at::Tensor centers = lloyd.plus_plus(Random(options.seed).fork("k-means", restart));
    double distortion = 0;
    for (int64_t i = 0; i < options.iterations; ++i) {
      const at::Tensor before = centers;
      distortion = lloyd.step(centers);
      if ((centers - before).square().sum().item<double>() <= options.tolerance * spread) break;
    }
    if (distortion >= least) continue;
    least = distortion;
    best = lloyd.nearest().to(at::kInt);
  }
  if (!best.defined()) best = at::zeros({z.size(0)}, at::kInt);  // distances were no numbers
  return {best.const_data_ptr<int32_t>(), best.const_data_ptr<int32_t>() + best.numel()};
}

ClusteringScore compare(std::span<const int32_t> found, std::span<const int32_t> truth) {
  const Contingency table(found, truth);
  if (table.total == 0) return {};
  return {normalized_information(table), adjusted_rand(table), matched(table)};
}

std::vector<int32_t> least_assignment(std::span<const double> cost, int64_t n) {
  // Shortest augmenting paths: potentials u of rows and v of columns keep reduced costs from
  // falling below 0; row 0 and column 0 are the place that a path starts from.
  constexpr double kFar = std::numeric_limits<double>::infinity();
  const auto size = static_cast<size_t>(n) + 1;
  std::vector<double> u(size), v(size);
  std::vector<size_t> row_of(size), way(size);
  for (size_t row = 1; row < size; ++row) {
    std::vector<double> least(size, kFar);
    std::vector<bool> used(size);
    size_t column = 0;
    row_of[0] = row;
    do {
      used[column] = true;
      const size_t at = row_of[column];
      double delta = kFar;
      size_t next = 0;
      for (size_t c = 1; c < size; ++c) {
        if (used[c]) continue;
        const double reduced = cost[(at - 1) * (size - 1) + c - 1] - u[at] - v[c];
        if (reduced < least[c]) least[c] = reduced, way[c] = column;
        if (least[c] < delta) delta = least[c], next = c;
      }
      for (size_t c = 0; c < size; ++c) {
        if (used[c]) u[row_of[c]] += delta, v[c] -= delta;
        else least[c] -= delta;
      }
      column = next;
    } while (row_of[column] != 0);
    for (; column != 0; column = way[column]) row_of[column] = row_of[way[column]];
  }
  std::vector<int32_t> out(static_cast<size_t>(n));
  for (size_t c = 1; c < size; ++c) out[row_of[c] - 1] = static_cast<int32_t>(c - 1);
  return out;
}

std::vector<ClusteringScore> score_clustering(const at::Tensor& z, const Labels& labels,
                                              int64_t repeats, const KMeansOptions& options) {
  if (labels.task == Task::none || labels.task == Task::multilabel)
    fail_data("labels",
              labels.task == Task::none ? "there are none to compare clusters with"
                                        : "a node has several, and clusters do not overlap",
              "clustering is scored on data with one class per node");
  check_finite(z);
  const at::Tensor unit = unit_rows(z);
  std::vector<ClusteringScore> out;
  const std::span<const int32_t> truth(labels.single.data(),
                                       static_cast<size_t>(labels.single.size()));
  for (int64_t repeat = 0; repeat < repeats; ++repeat) {
    KMeansOptions one = options;
    one.seed = Random(options.seed).fork("clustering", repeat).key();
    out.push_back(compare(k_means(unit, labels.classes, one), truth));
  }
  return out;
}

namespace {

using nlohmann::json;
using ClusteringScores = std::vector<ClusteringScore>;

constexpr std::pair<const char*, double ClusteringScore::*> kClusteringParts[] = {
    {"nmi", &ClusteringScore::nmi},
    {"ari", &ClusteringScore::ari},
    {"accuracy", &ClusteringScore::accuracy}};

std::vector<double> percent(const ClusteringScores& scores, double ClusteringScore::*part) {
  std::vector<double> values;
  for (const ClusteringScore& score : scores) values.push_back(100 * score.*part);
  return values;
}

json part_json(const ClusteringScores& scores, double ClusteringScore::*part) {
  const std::vector<double> values = percent(scores, part);
  const Spread spread = spread_of(values);
  return {{"mean", spread.mean}, {"std", spread.deviation}, {"values", values}};
}

json parts_json(const ClusteringScores& scores) {
  json out = json::object();
  for (const auto& [name, part] : kClusteringParts) out[name] = part_json(scores, part);
  return out;
}

constexpr int64_t kMostReferenceColumns = 256;

// The rows of a reference: of wide features, their leading directions, which hold what k-means
// sees of them.
at::Tensor rows_of(const Input& x) {
  if (x.width() <= kMostReferenceColumns) return columns_of(x, 0, x.width());
  std::unique_ptr<TallMatrix> matrix;
  if (x.sparse())
    matrix = std::make_unique<SparseTall>(
        std::shared_ptr<const SparseOperator>(std::shared_ptr<void>(), &x.sparse_operator()));
  else matrix = std::make_unique<DenseTall>(x.dense());
  const Directions found = leading_directions(
      {*matrix, at::zeros({x.width()}, at::kDouble), at::ones({x.width()}, at::kDouble)},
      kMostReferenceColumns, Random(0).fork("clustering"));
  return matrix->times(found.vectors);
}

}  // namespace

json ClusteringResult::to_json() const {
  json out = part_json(repeats, &ClusteringScore::nmi), means = json::object(),
       scores = json::object();
  for (const auto& [name, found] : reference) {
    means[name] = spread_of(percent(found, &ClusteringScore::nmi)).mean;
    scores[name] = parts_json(found);
  }
  out.update(parts_json(repeats));
  out.update({{"metric", "nmi"},
              {"clusters", clusters},
              {"reference", std::move(means)},
              {"reference_scores", std::move(scores)}});
  return out;
}

std::string ClusteringResult::to_text() const {
  std::string text =
      fmt::format("k-means of unit rows into {} clusters, {} {}, percent\n\n", clusters,
                  repeats.size(), repeats.size() == 1 ? "repeat" : "repeats");
  text += fmt::format("  {:<22} {:>6}           {:>6}           accuracy when matched\n", "", "NMI",
                      "ARI");
  const auto row = [&](const std::string& title, const ClusteringScores& scores) {
    text += fmt::format("  {:<22} ", title);
    for (const auto& [name, part] : kClusteringParts) {
      const Spread spread = spread_of(percent(scores, part));
      text +=
          fmt::format("{:<17}", fmt::format("{:6.2f} +- {:.2f}", spread.mean, spread.deviation));
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  };
  for (const auto& [key, title] : kReferences)
    if (const auto found = reference.find(key); found != reference.end()) row(title, found->second);
  row(own_title, repeats);
  return text;
}

class Clustering final : public EvalTask {
 public:
  std::unique_ptr<TaskResult> run(const EvalRequest& request, Progress& progress,
                                  const TrainEncoder&) const override {
    std::optional<RunInfo> info;
    const Embedded input = embedded(request, progress, info);
    const auto score = [&](const at::Tensor& z) {
      return score_clustering(z, input.data.labels, request.task.repeats,
                              {.seed = static_cast<uint64_t>(request.probe.split_seed)});
    };
    auto out = std::make_unique<ClusteringResult>();
    out->clusters = input.data.labels.classes;
    out->own_title = own_title(info ? &*info : nullptr);
    out->repeats = score(input.z);
    if (request.probe.reference)
      visit_references(
          {.data = input.data,
           .info = info.value_or(RunInfo{}),
           .device = make_device(request.device),
           .memory = request.memory_mib << 20},
          [&](const std::string& key, const Input& x) { out->reference[key] = score(rows_of(x)); },
          progress);
    return out;
  }

 private:
  // `info` gets the run's, if it is one.
  static Embedded embedded(const EvalRequest& request, Progress& progress,
                           std::optional<RunInfo>& info) {
    const auto needs_labels = [&](const Dataset& data) {
      if (data.labels.task == Task::none)
        fail_data(request.data, "has no labels to compare clusters with",
                  "give them with --labels-file, or use another dataset");
    };
    if (std::filesystem::is_directory(request.input))
      return embedded_by_run(request.input, request, progress,
                             [&](const RunInfo& found, const Dataset& data) {
                               check_gives_embeddings(found, "--task clustering");
                               info = found;
                               needs_labels(data);
                             });
    Embedded out;
    out.data = load_dataset(request.data, request.load, progress);
    needs_labels(out.data);
    out.z = load_embeddings(request.input, out.data.nodes());
    return out;
  }
};
template std::unique_ptr<EvalTask> make_task<Clustering>();

}  // namespace gs
