#include "objective/cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace gs {
namespace {

at::Tensor longs(std::vector<int64_t> values) { return at::tensor(values, at::kLong); }
at::Tensor doubles(std::vector<double> values) { return at::tensor(values, at::kDouble); }

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(CrossEntropy, OfOneClassByHand) {
  const at::Tensor logits = doubles({1, 0, 0, 2, -1, 0.5}).view({2, 3});
  const double first = -std::log(std::exp(1) / (std::exp(1) + 2));
  const double second = -std::log(std::exp(-1) / (std::exp(2) + std::exp(-1) + std::exp(0.5)));
  const Loss loss = cross_entropy(logits, longs({0, 1}), Task::multiclass);
  EXPECT_NEAR(loss.total.item<double>(), (first + second) / 2, 1e-12);
  ASSERT_EQ(loss.terms.size(), 1u);
  EXPECT_EQ(loss.terms[0].second, loss.total.item<double>());
  const Loss weighted = cross_entropy(logits, longs({0, 1}), Task::multiclass, doubles({0.5, 3}));
  EXPECT_NEAR(weighted.total.item<double>(), (0.5 * first + 3 * second) / 2, 1e-12);
}

TEST(CrossEntropy, OfManyClassesByHand) {
  const at::Tensor logits = doubles({1, -2, 0, 3}).view({2, 2});
  const at::Tensor labels = doubles({1, 0, 1, 1}).view({2, 2});
  const double first = -(std::log(sigmoid(1)) + std::log(sigmoid(2))) / 2;
  const double second = -(std::log(sigmoid(0)) + std::log(sigmoid(3))) / 2;
  EXPECT_NEAR(cross_entropy(logits, labels, Task::multilabel).total.item<double>(),
              (first + second) / 2, 1e-12);
  EXPECT_NEAR(cross_entropy(logits, labels, Task::multilabel, doubles({2, 0})).total.item<double>(),
              first, 1e-12);
}

TEST(TrainingLabels, AreThoseOfTrainingNodesOnly) {
  Labels labels;
  labels.task = Task::multiclass, labels.classes = 4;
  labels.single = std::vector<int32_t>{3, 1, -1, 2, 0};
  Split split;
  split.train = {1, 4}, split.val = {0}, split.test = {3};
  const TrainingLabels training(labels, split, 5, at::kFloat);
  EXPECT_TRUE(training.nodes().equal(longs({1, 4})));
  EXPECT_TRUE(training.all().equal(longs({1, 0})));
  EXPECT_TRUE(training.of(longs({4, 1, 4})).equal(longs({0, 1, 0})));
  EXPECT_THROW(training.of(longs({0})), std::exception) << "a validation node has no label here";
}

TEST(TrainingLabels, OfManyClassesAreRowsOfZerosAndOnes) {
  Labels labels;
  labels.task = Task::multilabel, labels.classes = 2;
  labels.multi = std::vector<uint8_t>{1, 0, 255, 255, 1, 1};
  Split split;
  split.train = {0, 2};
  const TrainingLabels training(labels, split, 3, at::kDouble);
  EXPECT_TRUE(training.all().equal(doubles({1, 0, 1, 1}).view({2, 2})));
  EXPECT_TRUE(training.of(longs({2})).equal(doubles({1, 1}).view({1, 2})));
}

TEST(TrainingLabels, ASplitWithoutTrainingNodesIsAnError) {
  Labels labels;
  labels.task = Task::multiclass, labels.classes = 2, labels.single = std::vector<int32_t>{0, 1};
  EXPECT_THROW(TrainingLabels(labels, Split{{}, {0}, {1}}, 2, at::kFloat), Error);
}

}  // namespace
}  // namespace gs
