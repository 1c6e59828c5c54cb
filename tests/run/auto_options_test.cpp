#include "run/auto_options.h"

#include <gmock/gmock.h>

#include "dataset/generate/generate.h"
#include "options/methods.h"
#include "support/topical.h"

namespace gs {
namespace {

using test::topical_graph;
using testing::HasSubstr;

TEST(AutoOptions, OneHopForManyWordsTwoForFew) {
  const ChosenOptions many = choose_auto_options({}, topical_graph(20, 0.8));
  const ChosenOptions few = choose_auto_options({}, topical_graph(4, 0.8));
  EXPECT_EQ(many.options.model.layers, 1);
  EXPECT_EQ(few.options.model.layers, 2);
  EXPECT_EQ(many.options.model.skip, Skip::sum);
  EXPECT_THAT(many.note, HasSubstr("--layers 1 --skip sum"));
}

TEST(AutoOptions, LinearSkipWhereNeighborsHaveNothingInCommon) {
  const ChosenOptions unlike = choose_auto_options({}, topical_graph(9, 0.2, 12));
  EXPECT_EQ(unlike.options.model.skip, Skip::linear);
  EXPECT_EQ(unlike.options.model.layers, 1) << "further hops have nothing to add";
}

// Whatever it is made to embed later, the run has decided.
TEST(AutoOptions, CountsThatWereMadeBinaryStaySo) {
  Dataset data = topical_graph(20, 0.8);
  data.feature_treatment.rule = FeatureRule::binary;
  data.treatment_reason = "features are counts, made binary";
  const ChosenOptions chosen = choose_auto_options({}, data);
  EXPECT_EQ(chosen.options.load.features, FeatureRule::binary);
  EXPECT_THAT(chosen.by_data, testing::Contains("features"));
  EXPECT_THAT(chosen.note, HasSubstr("--features raw keeps them"));
}

TEST(AutoOptions, MagnitudesWeighMoreWhereNeighborsAreUnlike) {
  const auto magnitudes = [](const Dataset& data) {
    RunOptions options = default_options(method_info("spectral"));
    return choose_auto_options(options, data).options.spectral.magnitudes;
  };
  EXPECT_LT(magnitudes(topical_graph(9, 0.8)), magnitudes(topical_graph(9, 0.2, 12)));
}

TEST(AutoOptions, RowsBecomeSharesOrPowersUnlessAValueIsNegative) {
  const RunOptions options = default_options(method_info("spectral"));
  const auto transform = [&](const Dataset& data) {
    return choose_auto_options(options, data).options.spectral.transform;
  };
  EXPECT_EQ(transform(topical_graph(9, 0.8)), Transform::shares);
  EXPECT_EQ(transform(topical_graph(35, 0.8)), Transform::powers) << "many words per node";
  GenerateOptions normal;
  normal.nodes = 50, normal.features = 5;
  EXPECT_EQ(transform(generate(normal)), Transform::unit);
}

TEST(AutoOptions, TwoHopsAndNoSkipForNoise) {
  GenerateOptions options;
  options.nodes = 2000, options.features = 100, options.signal = 0.5;
  const ChosenOptions noise = choose_auto_options({}, generate(options));
  EXPECT_EQ(noise.options.model.layers, 2);
  EXPECT_EQ(noise.options.model.skip, Skip::none);
}

TEST(AutoOptions, LeavesAloneWhatIsGiven) {
  RunOptions options;
  options.model.layers = 3, options.model.skip = Skip::none;
  const ChosenOptions given = choose_auto_options(options, topical_graph(20, 0.2));
  EXPECT_EQ(given.options.model.layers, 3);
  EXPECT_EQ(given.options.model.skip, Skip::none);
  EXPECT_EQ(given.note, "");
  options.model.skip = Skip::automatic;
  EXPECT_EQ(choose_auto_options(options, topical_graph(20, 0.8)).options.model.layers, 3);
}

}  // namespace
}  // namespace gs
