#include "dataset/feature_treatment.h"

#include <gmock/gmock.h>

#include "support/errors.h"

namespace gs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Features dense(int64_t columns, std::vector<float> values) {
  const auto rows = std::ssize(values) / columns;
  return {DenseMatrix{rows, columns, std::move(values)}};
}

// Two rows with one value each, in columns 0 and 1.
Features words(std::vector<float> values) {
  return {SparseMatrix{2, 2, std::vector<int64_t>{0, 1, 2}, std::vector<int32_t>{0, 1},
                       std::move(values)}};
}

template <class T>
std::vector<T> list_of(const Array<T>& values) {
  return {values.begin(), values.end()};
}

std::vector<float> values_of(const Features& features) {
  return list_of(features.dense_matrix().values);
}

TEST(SuitableRule, CountsBecomeBinaryAndWeightsOnlyIfAskedFor) {
  EXPECT_EQ(suitable_rule(words({1, 3}), false).rule, FeatureRule::binary);
  EXPECT_EQ(suitable_rule(words({1, 2.5f}), false).rule, FeatureRule::raw);
  EXPECT_EQ(suitable_rule(words({1, 2.5f}), true).rule, FeatureRule::binary);
  EXPECT_EQ(suitable_rule(words({1, -2.5f}), true).rule, FeatureRule::raw) << "no word's weight";
  EXPECT_EQ(suitable_rule(words({1, 1}), true).reason, "") << "nothing to change";
}

TEST(SuitableRule, ColumnsOfDifferentScalesAreScaled) {
  const Features alike = dense(3, {0, 1, 2, 3, 0, 0});
  EXPECT_EQ(suitable_rule(alike, true).rule, FeatureRule::raw);
  const SuitableRule table = suitable_rule(dense(3, {18, 20000, 1, 70, 90000, 0}), false);
  EXPECT_EQ(table.rule, FeatureRule::min_max);
  EXPECT_THAT(table.reason, HasSubstr("different scales"));
  EXPECT_EQ(suitable_rule(dense(3, {-1, 20000, 1, 1, 90000, 0}), false).rule,
            FeatureRule::standardize)
      << "values with a sign";
  EXPECT_EQ(suitable_rule(dense(2, {5, 1, 5, 2}), false).rule, FeatureRule::raw)
      << "a constant column has no scale";
}

TEST(FeatureTreatment, OtherRowsAreTreatedByTheStatisticsOfTheFirst) {
  const Features training = dense(2, {0, 10, 4, 30}), other = dense(2, {2, 20, -2, 50});
  const auto scaled = fitted_treatment(FeatureRule::min_max, training);
  EXPECT_THAT(values_of(treated(scaled, training)), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(values_of(treated(scaled, other)), ElementsAre(0.5f, 0.5f, 0, 2))
      << "below the range is 0";
  const auto standard = fitted_treatment(FeatureRule::standardize, training);
  EXPECT_THAT(values_of(treated(standard, training)), ElementsAre(-1, -1, 1, 1));
  EXPECT_THAT(values_of(treated(standard, other)), ElementsAre(0, 0, -2, 3));
  EXPECT_FALSE(same_treatment(standard, fitted_treatment(FeatureRule::standardize, other)));
}

TEST(FeatureTreatment, ConstantColumnsBecomeZero) {
  const Features constant = dense(1, {7, 7});
  for (const FeatureRule rule : {FeatureRule::min_max, FeatureRule::standardize})
    EXPECT_THAT(values_of(treated(fitted_treatment(rule, constant), constant)), ElementsAre(0, 0));
}

TEST(FeatureTreatment, AnotherNumberOfColumnsIsRefused) {
  const auto fitted = fitted_treatment(FeatureRule::min_max, dense(2, {0, 1, 1, 0}));
  EXPECT_THAT(test::error_of(ErrorKind::data, [&] { check_treatment(fitted, 3, "x.csv"); }),
              HasSubstr("has 3 features, but the model was trained on 2"));
}

TEST(FeatureTreatment, FeaturesOfAnotherRecipeAreRefused) {
  const Features features = dense(2, {0, 1, 1, 0});
  FeatureTreatment plain = fitted_treatment(FeatureRule::raw, features), table = plain;
  table.recipe = "{1}";
  check_recipe(plain, "", "x.npy");
  check_recipe(table, "{1}", "x.npy");
  EXPECT_FALSE(same_treatment(plain, table));
  const auto message = [&](const FeatureTreatment& treatment, const char* recipe) {
    return test::error_of(ErrorKind::data, [&] { check_recipe(treatment, recipe, "x.npy"); });
  };
  EXPECT_THAT(message(table, "{2}"), HasSubstr("by a recipe of their own"));
  EXPECT_THAT(message(table, ""), HasSubstr("were not made by the recipe"));
  EXPECT_THAT(message(plain, "{1}"), HasSubstr("were made from a table"));
}

TEST(ArrangedColumns, FollowTheNames) {
  const Features turned = arranged(dense(2, {1, 2, 3, 4}), {"b", "a"}, {"a", "b"}, "x.csv");
  EXPECT_THAT(values_of(turned), ElementsAre(2, 1, 4, 3));
  const Features sparse = arranged(words({5, 6}), {"b", "a"}, {"a", "c", "b"}, "x.csv");
  EXPECT_THAT(list_of(sparse.sparse_matrix().indices), ElementsAre(2, 0));
  EXPECT_THAT(list_of(sparse.sparse_matrix().values), ElementsAre(5, 6));
  EXPECT_EQ(sparse.width(), 3) << "a word that does not occur";
}

TEST(ArrangedColumns, MissingUnknownAndRepeatedOnesAreNamed) {
  const Features x = dense(2, {1, 2, 3, 4});
  const auto message = [&](std::vector<std::string> names, std::vector<std::string> wanted) {
    return test::error_of(ErrorKind::data, [&] { arranged(x, names, wanted, "x.csv"); });
  };
  EXPECT_THAT(message({"a", "b"}, {"a", "b", "c"}), HasSubstr("has no feature 'c'"));
  EXPECT_THAT(message({"a", "d"}, {"a", "b"}), HasSubstr("does not know the feature 'd'"));
  EXPECT_THAT(message({"a", "a"}, {"a", "b"}), HasSubstr("two feature columns are named 'a'"));
}

}  // namespace
}  // namespace gs
