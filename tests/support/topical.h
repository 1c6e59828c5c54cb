// Graphs whose nodes have words of their class's own, and nothing but words.
#pragma once

#include "base/random.h"
#include "dataset/generate/generate.h"

namespace gs::test {

// 2,000 nodes of five classes with `count` words each, of the `vocabulary` of their class.
// `homophily` .2 is chance: neighbors are then no more alike than random pairs.
inline Dataset topical_graph(int64_t count, double homophily, int32_t vocabulary = 40) {
  GenerateOptions options;
  options.nodes = 2000, options.classes = 5, options.features = 0, options.seed = 3;
  options.homophily = homophily;
  Dataset data = generate(options);
  SparseMatrix words;
  words.rows = options.nodes, words.columns = 5 * vocabulary;
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> indices;
  Random random(7);
  for (int64_t v = 0; v < options.nodes; ++v) {
    std::vector<int32_t> own(vocabulary);
    for (int32_t i = 0; i < vocabulary; ++i) own[i] = vocabulary * data.labels.single[v] + i;
    random.shuffle(std::span(own));
    own.resize(count);
    std::sort(own.begin(), own.end());
    indices.insert(indices.end(), own.begin(), own.end());
    offsets.push_back(std::ssize(indices));
  }
  words.offsets = std::move(offsets), words.indices = std::move(indices);
  data.features = {std::move(words)};
  return data;
}

}  // namespace gs::test
