// Scores of predictions against known answers, on plain memory. Tables are class-major: one row of
// `nodes` numbers per class. All results are fractions in [0, 1]. Unknown truths (-1, or
// Labels::kUnknown in multi-label tables) are left out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gs {

// Scores of `nodes` nodes for each class; `stride` floats lie between the starts of two classes.
struct ScoreTable {
  const float* values = nullptr;
  int64_t classes = 0, nodes = 0, stride = 0;
  std::span<const float> of(int64_t c) const {
    return {values + c * stride, static_cast<size_t>(nodes)};
  }
};

// The class of the highest score of each node, the first of equals; -1 where no score is a number.
void predict(const ScoreTable& scores, std::span<int32_t> predicted);

// For classes that do not exclude each other: one row of zeros and ones per node, a one where the
// score is above 0.
std::vector<uint8_t> positive(const ScoreTable& scores);

double accuracy(std::span<const int32_t> predicted, std::span<const int32_t> truth);

// Macro: the mean over the classes that occur among truths or predictions, as scikit-learn takes
// it. Micro: over all nodes.
struct F1 {
  double macro = 0, micro = 0;
};
F1 f1(std::span<const int32_t> predicted, std::span<const int32_t> truth, int64_t classes);

// Area under the ROC curve: the chance that a positive outranks a negative, ties counting half. A
// score that is not a number ranks lowest. `truth` is class-major, without padding between classes.
// Macro is the mean over the classes that have both kinds; micro ranks all (node, class) pairs
// together. Without both kinds anywhere: one half.
double roc_auc(std::span<const float> scores, std::span<const uint8_t> truth);
double macro_auc(const ScoreTable& scores, std::span<const uint8_t> truth);
double micro_auc(const ScoreTable& scores, std::span<const uint8_t> truth);

}  // namespace gs
