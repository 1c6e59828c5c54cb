#include "base/options.h"
#include "support/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gs {
namespace {

using test::usage_error;

enum class Color { red, green };
std::span<const Named<Color>> names_of(Color) {
  static constexpr Named<Color> kTable[] = {{"red", Color::red, ""}, {"green", Color::green, ""}};
  return kTable;
}

struct Sample {
  int64_t epochs = 50;
  double rate = 0.001;
  bool quiet = false;
  std::string name = "x";
  std::vector<int64_t> fanouts{10, 10};
  Color color = Color::red;

  void describe(OptionList& v) {
    v("epochs", epochs, "passes over the data").at_least(1);
    v("rate", rate, "step size").at_least(0).at_most(1).tune_log(1e-4, 1e-1);
    v("quiet", quiet, "say nothing");
    v.group("Batches");
    v("name", name, "a text");
    v("fanouts", fanouts, "neighbors per layer").at_least(-1);
    v("color", color, "which one");
  }
};

TEST(Options, SetFromText) {
  Sample sample;
  OptionList list = describe(sample);
  list.find_option("epochs")->set("7");
  list.find_option("rate")->set("0.5");
  list.find_option("fanouts")->set("5,-1,3");
  list.find_option("color")->set("green");
  list.find_option("quiet")->set("true");
  EXPECT_EQ(sample.epochs, 7);
  EXPECT_EQ(sample.rate, 0.5);
  EXPECT_THAT(sample.fanouts, testing::ElementsAre(5, -1, 3));
  EXPECT_EQ(sample.color, Color::green);
  EXPECT_TRUE(sample.quiet);
}

TEST(Options, JsonRoundTripsEveryKind) {
  Sample sample, copy;
  sample.epochs = 9, sample.color = Color::green, sample.fanouts = {1}, sample.name = "y",
  sample.rate = 0.25;
  OptionList to = describe(copy);
  to.set_json(describe(sample).json(), "test.json", true);
  EXPECT_EQ(describe(copy).json(), describe(sample).json());
  EXPECT_TRUE(to.find_option("epochs")->given);
}

TEST(Options, RefusesWhatDoesNotParseOrFit) {
  Sample sample;
  OptionList list = describe(sample);
  EXPECT_THAT(usage_error([&] { list.find_option("epochs")->set("0"); }),
              testing::HasSubstr("at least 1"));
  EXPECT_THAT(usage_error([&] { list.find_option("epochs")->set("ten"); }),
              testing::HasSubstr("whole number"));
  EXPECT_THAT(usage_error([&] { list.find_option("rate")->set("2"); }),
              testing::HasSubstr("between 0 and 1"));
  EXPECT_THAT(usage_error([&] { list.find_option("rate")->set("nan"); }),
              testing::HasSubstr("a number"));
  EXPECT_THAT(usage_error([&] { list.find_option("fanouts")->set("1,,2"); }),
              testing::HasSubstr("whole number"));
  EXPECT_THAT(usage_error([&] { list.find_option("color")->set("gren"); }),
              testing::HasSubstr("did you mean 'green'"));
}

TEST(Options, UnknownKeyNamesTheNearest) {
  Sample sample;
  OptionList list = describe(sample);
  const auto text = usage_error([&] { list.set_json({{"epoch", 3}}, "my.json", true); });
  EXPECT_THAT(text, testing::HasSubstr("my.json"));
  EXPECT_THAT(text, testing::HasSubstr("did you mean 'epochs'"));
}

TEST(Options, JsonOfTheWrongTypeIsAnError) {
  Sample sample;
  OptionList list = describe(sample);
  for (const auto& bad : {nlohmann::json{{"epochs", 1.5}},
                          {{"quiet", 1}},
                          {{"name", 3}},
                          {{"fanouts", "1"}},
                          {{"color", 1}}})
    EXPECT_FALSE(usage_error([&] { list.set_json(bad, "my.json", true); }).empty()) << bad;
}

TEST(Options, MarkdownHasARowForEach) {
  Sample sample;
  const OptionList list = describe(sample);
  const std::string page = list.markdown();
  for (const auto& option : list.options())
    EXPECT_THAT(page, testing::HasSubstr("`--" + option.name + "`"));
  EXPECT_THAT(page, testing::HasSubstr("red\\|green"));
  EXPECT_THAT(page, testing::HasSubstr("### Batches"));
}

TEST(Options, NumbersBeyondSinglePrecisionAreRefused) {
  double gamma = 1;
  OptionList list;
  list("gamma", gamma, "weight").at_least(0);
  EXPECT_NE(usage_error([&] { list.find_option("gamma")->set("1e300"); }).find("3.4e38"),
            std::string::npos);
  list.find_option("gamma")->set("1e30");
  EXPECT_EQ(gamma, 1e30);
}

}  // namespace
}  // namespace gs
