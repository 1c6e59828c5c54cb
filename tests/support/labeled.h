// Small labeled graphs and trainings of methods that learn from labels.
#pragma once

#include <string>

#include "dataset/generate/generate.h"
#include "support/files.h"
#include "train/trainer.h"

namespace gs::test {

inline Dataset labeled_graph(int64_t nodes = 200) {
  GenerateOptions options;
  options.nodes = nodes, options.classes = 3, options.features = 12, options.seed = 5;
  options.signal = 4;  // a small network must learn it in a few epochs
  return generate(options);
}

// Three classes: nodes that were of class 0, nodes that were not of class 1, and one that features
// do not depend on.
inline Labels multilabel_of(const Labels& single) {
  Labels out;
  out.task = Task::multilabel, out.classes = 3;
  std::vector<uint8_t> multi;
  for (int64_t v = 0; v < single.single.size(); ++v)
    for (const bool has : {single.single[v] == 0, single.single[v] != 1, v % 2 == 0})
      multi.push_back(has ? 1 : 0);
  out.multi = std::move(multi);
  return out;
}

// A small training of `method` with its own defaults.
inline TrainRequest labeled_call(const std::string& method, const fs::path& run, int64_t epochs) {
  TrainRequest call;
  call.data = "sbm";
  call.run = run;
  RunOptions& o = call.options;
  o.method.method = method;
  OptionList list;
  o.describe(list);
  o.resolve(list, "", "");
  o.train.epochs = epochs, o.train.select_every = 2, o.train.num_splits = 3;
  o.train.splits = "random:20/20/60";
  o.train.checkpoint_every = 3;
  o.method.hidden = 8, o.method.heads = 2;
  o.model.dropout = o.method.attention_dropout = 0.2;  // eight columns cannot spare more
  o.loader.batch_size = 32, o.loader.fanouts = {4, 3};
  o.loader.parts = 8, o.loader.parts_per_batch = 2;
  o.loader.roots = 20;
  return call;
}

}  // namespace gs::test
