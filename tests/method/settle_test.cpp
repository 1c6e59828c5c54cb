#include "method/settle.h"

#include <gmock/gmock.h>

#include "dataset/generate.h"
#include "support/topical.h"

namespace gs {
namespace {

using test::topical_graph;
using testing::HasSubstr;

TEST(Settle, OneHopForManyWordsTwoForFew) {
  const Settled many = settle({}, topical_graph(20, 0.8)), few = settle({}, topical_graph(4, 0.8));
  EXPECT_EQ(many.options.model.layers, 1);
  EXPECT_EQ(few.options.model.layers, 2);
  EXPECT_EQ(many.options.model.skip, Skip::sum);
  EXPECT_THAT(many.note, HasSubstr("--layers 1 --skip sum"));
}

TEST(Settle, AWayAroundTheAggregationWhereNeighboursAreStrangers) {
  const Settled strangers = settle({}, topical_graph(9, 0.2, 12));
  EXPECT_EQ(strangers.options.model.skip, Skip::linear);
  EXPECT_EQ(strangers.options.model.layers, 1) << "there is nothing to gather further away";
}

TEST(Settle, TwoHopsAndNoSkipForNoise) {
  GenerateOptions options;
  options.nodes = 2000, options.features = 100, options.signal = 0.5;
  const Settled noise = settle({}, generate(options));
  EXPECT_EQ(noise.options.model.layers, 2);
  EXPECT_EQ(noise.options.model.skip, Skip::none);
}

TEST(Settle, LeavesAloneWhatIsGiven) {
  RunOptions options;
  options.model.layers = 3, options.model.skip = Skip::none;
  const Settled given = settle(options, topical_graph(20, 0.2));
  EXPECT_EQ(given.options.model.layers, 3);
  EXPECT_EQ(given.options.model.skip, Skip::none);
  EXPECT_EQ(given.note, "");
  options.model.skip = Skip::automatic;
  EXPECT_EQ(settle(options, topical_graph(20, 0.8)).options.model.layers, 3);
}

}  // namespace
}  // namespace gs
