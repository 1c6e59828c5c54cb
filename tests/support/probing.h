// Labels, embeddings and splits to probe, and how two scores are held against each other.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/random.h"
#include "eval/probe.h"

namespace gs::test {

inline Labels single_labels(std::vector<int32_t> ids, int64_t classes) {
  return {.task = Task::multiclass, .classes = classes, .single = std::move(ids), .multi = {}};
}

inline std::vector<int32_t> cyclic(int64_t nodes, int64_t classes) {
  std::vector<int32_t> ids(static_cast<size_t>(nodes));
  for (int64_t i = 0; i < nodes; ++i)
    ids[static_cast<size_t>(i)] = static_cast<int32_t>(i % classes);
  return ids;
}

inline at::Tensor noise(int64_t rows, int64_t columns, uint64_t seed) {
  at::Tensor out = at::empty({rows, columns}, at::kFloat);
  Random random(seed);
  for (int64_t i = 0; i < out.numel(); ++i)
    out.data_ptr<float>()[i] = static_cast<float>(random.normal());
  return out;
}

// Class c is a bump in column c; `signal` 0 leaves noise only.
inline at::Tensor embedding(const std::vector<int32_t>& ids, int64_t columns, double signal,
                            uint64_t seed) {
  at::Tensor z = noise(static_cast<int64_t>(ids.size()), columns, seed);
  for (size_t i = 0; i < ids.size(); ++i)
    if (ids[i] >= 0)
      z.data_ptr<float>()[static_cast<int64_t>(i) * columns + ids[i]] += static_cast<float>(signal);
  return z;
}

// A shuffled cut of the nodes into train, validation and the rest.
inline Split cut(int64_t nodes, int64_t train, int64_t val, uint64_t seed) {
  std::vector<int32_t> order(static_cast<size_t>(nodes));
  std::iota(order.begin(), order.end(), 0);
  Random(seed).shuffle(std::span<int32_t>(order));
  Split split{{order.begin(), order.begin() + train},
              {order.begin() + train, order.begin() + train + val},
              {order.begin() + train + val, order.end()}};
  for (auto* set : {&split.train, &split.val, &split.test}) std::sort(set->begin(), set->end());
  return split;
}

inline void expect_same(const ProbeScore& a, const ProbeScore& b) {
  EXPECT_EQ(a.validation, b.validation);
  EXPECT_EQ(a.test, b.test);
  EXPECT_EQ(a.macro_f1, b.macro_f1);
  EXPECT_EQ(a.micro_f1, b.micro_f1);
  EXPECT_EQ(a.micro_auc, b.micro_auc);
  EXPECT_EQ(a.best_step, b.best_step);
}

inline ProbeOptions with(Probe probe, int64_t epochs = 200) {
  ProbeOptions options;
  options.probe = probe;
  options.probe_epochs = epochs;
  return options;
}

}  // namespace gs::test
