#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/parallel.h"
#include "dataset/generate/models.h"
#include "dataset/generate/pairs.h"

namespace gs {

namespace {

constexpr int64_t kNodeBlock = 256;

// Calls body(block, first node, last node) for blocks of a fixed number of nodes.
template <class Body>
void each_node_block(int64_t nodes, Progress& progress, const Body& body) {
  const int64_t blocks = (nodes + kNodeBlock - 1) / kNodeBlock;
  parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const int64_t first = b * kNodeBlock, last = std::min(nodes, first + kNodeBlock);
      body(b, first, last);
      progress.advance(last - first);
    }
  });
}

template <class Visit>
void for_each_label(const Labels& labels, int64_t node, const Visit& visit) {
  if (labels.task == Task::none) return;
  if (labels.task != Task::multilabel) return visit(static_cast<int64_t>(labels.single[node]));
  for (int64_t c = 0; c < labels.classes; ++c)
    if (labels.multi[node * labels.classes + c] == 1) visit(c);
}

// Class means lie in random directions at distance signal / sqrt 2 from the origin: in many
// dimensions directions are near orthogonal, so two means are about `signal` apart. The noise has
// deviation 1 in every column.
Features dense_features(const GenerateOptions& options, const Labels& labels, const Random& random,
                        Progress& progress) {
  const int64_t width = options.features;
  std::vector<float> means(static_cast<size_t>(labels.classes * width));
  for (int64_t c = 0; c < labels.classes; ++c) {
    Random stream = random.fork("mean", c);
    std::vector<double> direction(static_cast<size_t>(width));
    double square = 0;
    for (double& x : direction) x = stream.normal(), square += x * x;
    const double scale = options.signal / std::numbers::sqrt2 / std::max(1e-12, std::sqrt(square));
    for (int64_t j = 0; j < width; ++j)
      means[c * width + j] = static_cast<float>(direction[j] * scale);
  }
  std::vector<float> values(static_cast<size_t>(options.nodes * width));
  each_node_block(options.nodes, progress, [&](int64_t block, int64_t first, int64_t last) {
    Random stream = random.fork("features", block);
    for (int64_t v = first; v < last; ++v) {
      float* row = values.data() + v * width;
      for (int64_t j = 0; j < width; ++j) row[j] = static_cast<float>(stream.normal());
      for_each_label(labels, v, [&](int64_t c) {
        for (int64_t j = 0; j < width; ++j) row[j] += means[c * width + j];
      });
    }
  });
  return Features{DenseMatrix{options.nodes, width, std::move(values)}};
}

int64_t poisson(double mean, Random& random) {
  constexpr double kPart = 500;  // exp(-mean) must not underflow
  int64_t count = 0;
  for (; mean > kPart; mean -= kPart) count += poisson(kPart, random);
  const double limit = std::exp(-mean);
  for (double product = random.uniform(); product > limit; product *= random.uniform()) ++count;
  return count;
}

// Words have Zipf frequencies. A topic likes each word to its own degree in [1/3, 1), a hash of the
// two: a topical word is drawn from the frequencies and kept with that probability, so that no
// topic needs a table.
class WordSource {
 public:
  WordSource(int64_t width, double topic_share, const Random& random)
      : topic_share_(topic_share),
        liking_(random.fork("topics").key()),
        frequencies_(zipf(width)) {}

  int32_t draw(int64_t topic, Random& random) const {
    const bool topical = topic >= 0 && random.uniform() < topic_share_;
    for (;;) {
      const int64_t word = frequencies_.draw(random);
      const double liking = (1 + 2 * 0x1.0p-32 * philox(liking_, topic, word)[0]) / 3;
      if (!topical || random.uniform() < liking) return static_cast<int32_t>(word);
    }
  }

 private:
  static AliasTable zipf(int64_t width) {
    std::vector<double> weights(static_cast<size_t>(width));
    for (int64_t i = 0; i < width; ++i) weights[i] = 1 / (static_cast<double>(i) + 10);
    return AliasTable(weights);
  }

  double topic_share_;
  uint64_t liking_;
  AliasTable frequencies_;
};

Features word_features(const GenerateOptions& options, const Labels& labels, const Random& random,
                       Progress& progress) {
  const int64_t nodes = options.nodes, width = options.features;
  const WordSource source(width, options.signal, random);
  const int64_t blocks = (nodes + kNodeBlock - 1) / kNodeBlock;
  std::vector<std::vector<int32_t>> drawn(static_cast<size_t>(blocks));
  std::vector<int64_t> offsets(static_cast<size_t>(nodes) + 1);
  each_node_block(nodes, progress, [&](int64_t block, int64_t first, int64_t last) {
    Random stream = random.fork("features", block);
    std::vector<int32_t>& words = drawn[block];
    std::vector<int64_t> topics;
    for (int64_t v = first; v < last; ++v) {
      topics.clear();
      for_each_label(labels, v, [&](int64_t c) { topics.push_back(c); });
      const int64_t wanted = std::min(width, poisson(options.words, stream));
      const auto begin = std::ssize(words);
      // A word once drawn is not drawn again; the rare ones that a full row still lacks are not
      // waited for.
      for (int64_t tries = 8 * wanted + 32; tries > 0 && std::ssize(words) - begin < wanted;
           --tries) {
        const int64_t topic = topics.empty() ? -1 : topics[stream.below(topics.size())];
        const int32_t word = source.draw(topic, stream);
        const auto at = std::lower_bound(words.begin() + begin, words.end(), word);
        if (at == words.end() || *at != word) words.insert(at, word);
      }
      offsets[v + 1] = std::ssize(words) - begin;
    }
  });
  for (int64_t v = 0; v < nodes; ++v) offsets[v + 1] += offsets[v];
  std::vector<int32_t> indices(static_cast<size_t>(offsets.back()));
  parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b)
      std::ranges::copy(drawn[b], indices.begin() + offsets[b * kNodeBlock]);
  });
  return Features{SparseMatrix{nodes, width, std::move(offsets), std::move(indices), {}}};
}

}  // namespace

Features make_generated_features(const GenerateOptions& options, const Labels& true_labels,
                                 const Random& random, Progress& progress) {
  if (options.features == 0) return Features{DenseMatrix{options.nodes, 0, {}}};
  progress.start("drawing features", options.nodes, "nodes");
  Features out = options.feature_kind == FeatureKind::dense
                     ? dense_features(options, true_labels, random, progress)
                     : word_features(options, true_labels, random, progress);
  progress.finish();
  return out;
}

}  // namespace gs
