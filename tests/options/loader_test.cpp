#include "options/loader.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace gs {
namespace {

using Fanouts = std::vector<int64_t>;

TEST(LoaderOptions, AreSetByTheirNames) {
  LoaderOptions options;
  OptionList list = describe(options);
  list.set_json({{"loader", "saint"}, {"fanouts", {15, -1}}, {"saint-sampler", "edge"}}, "test",
                true);
  EXPECT_EQ(options.loader, "saint");
  EXPECT_EQ(options.fanouts, (Fanouts{15, -1}));
  EXPECT_EQ(options.saint_sampler, SaintSampler::edge);
  list.find_option("fanouts")->set("5,4,3");
  EXPECT_EQ(options.fanouts, (Fanouts{5, 4, 3}));
  EXPECT_THROW(list.find_option("fanouts")->set("5,-2"), Error);
  EXPECT_THROW(list.find_option("batch-size")->set("0"), Error);
  EXPECT_THROW(list.find_option("loader")->set("neigbor"), Error);
}

TEST(LoaderOptions, TheLastFanoutRepeatsAndSpareOnesAreLeft) {
  LoaderOptions options;
  options.fanouts = {10, 5};
  EXPECT_EQ(options.fanouts_of(1), (Fanouts{10}));
  EXPECT_EQ(options.fanouts_of(2), (Fanouts{10, 5}));
  EXPECT_EQ(options.fanouts_of(4), (Fanouts{10, 5, 5, 5}));
}

TEST(LoaderOptions, AFanoutKeepsSomething) {
  LoaderOptions options;
  for (const Fanouts& fanouts : {Fanouts{}, Fanouts{0}, Fanouts{10, -2}}) {
    options.fanouts = fanouts;
    try {
      options.fanouts_of(2);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
    }
  }
}

TEST(LoaderOptions, SizesThatNoGraphHasAreRefused) {
  LoaderOptions options;
  OptionList list = describe(options);
  for (const char* name : {"batch-size", "walk-length", "roots", "subgraphs", "parts", "fanouts"})
    EXPECT_THROW(list.find_option(name)->set("9223372036854775807"), Error) << name;
}

}  // namespace
}  // namespace gs
