#include "study/ablations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "study/ablation_markdown.h"
#include "study/figure.h"

namespace gs {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const Ablation& named(std::string_view name) {
  for (const Ablation& ablation : ablations())
    if (ablation.name == name) return ablation;
  throw std::runtime_error("no such ablation");
}

json row(const std::string& variant, double mean, double ms = 10, double mib = 100,
         const char* dataset = "photo") {
  return {{"dataset", dataset}, {"variant", variant}, {"mean", mean},
          {"ms_per_epoch", ms}, {"peak_mib", mib},    {"parameters", 1},
          {"aug_dim", 1},       {"gamma", 1},         {"lr", 1}};
}

TEST(Ablations, ExperimentsHaveNamesOfTheirOwn) {
  for (const bool quick : {false, true}) {
    AblationOptions options;
    options.quick = quick;
    std::set<std::string> names;
    for (const Ablation& ablation : ablations())
      for (const Experiment& one : ablation.experiments({"photo", "pubmed"}, options)) {
        EXPECT_TRUE(names.insert(one.name).second) << one.name;
        EXPECT_THAT(one.name, HasSubstr(one.dataset));
      }
    EXPECT_GT(names.size(), 20);
  }
}

TEST(Ablations, AQuickLookIsTwentyEpochsAndThreeSplitsAtMost) {
  for (const int64_t runs : {1, 10}) {
    AblationOptions options;
    options.quick = true, options.runs = runs;
    for (const Ablation& ablation : ablations())
      for (const Experiment& one : ablation.experiments({"photo", "pubmed"}, options)) {
        EXPECT_LE(one.options.train.epochs, 20) << one.name;
        if (ablation.name != "pre-vs-post") {  // tuned values may have fewer
          EXPECT_EQ(one.options.train.epochs, 20) << one.name;
        }
        EXPECT_EQ(one.options.train.runs, std::min<int64_t>(3, runs)) << one.name;
      }
  }
}

TEST(Ablations, TheLossChangesTheConstraintAlone) {
  const auto all = named("loss").experiments({"photo"}, {});
  ASSERT_EQ(all.size(), 4);
  for (const Experiment& one : all) {
    EXPECT_EQ(one.options.train.epochs, 100);
    EXPECT_EQ(one.options.model.aug_dim, all[0].options.model.aug_dim);
  }
  EXPECT_EQ(all[0].options.loss.constraint, Constraint::naive);
  // gamma N / (2 K^1.5)
  EXPECT_NEAR(all[3].options.loss.gamma,
              all[0].options.loss.gamma * 7650 / (2 * std::pow(128, 1.5)), 1e-9);
}

TEST(Ablations, ClaimsAreJudgedByTheNumbers) {
  const auto loss = [](double improved) {
    return named("loss").judge({row("naive", 90, 100, 900), row("original", 90, 12, 120),
                                row("improved", improved), row("scaled", 91)});
  };
  const auto no_square = named("loss").judge({row("original", 90, 12, 120), row("improved", 90)});
  EXPECT_FALSE(no_square.holds.has_value());  // accuracy alone is not the claim
  EXPECT_THAT(no_square.text, AllOf(HasSubstr("was not seen"), HasSubstr("+0.00 points")));
  EXPECT_EQ(loss(89.9).holds, true);
  EXPECT_EQ(loss(80).holds, false);
  EXPECT_THAT(loss(89.9).text, HasSubstr("9.0 times the memory and 10.0 times the time"));

  EXPECT_EQ(named("symmetry").judge({row("symmetric", 91), row("asymmetric", 90)}).holds, true);
  EXPECT_EQ(named("symmetry").judge({row("symmetric", 90), row("asymmetric", 91)}).holds, false);

  const auto batches = [](double large) {
    return named("batch-size").judge({row("64", 80), row("1024", 85), row("4096", large)});
  };
  EXPECT_EQ(batches(85.3).holds, true);
  EXPECT_EQ(batches(88).holds, false);

  const auto modes = [](double pre_ms) {
    return named("pre-vs-post").judge({row("pre-equal", 90, pre_ms, 200), row("post-equal", 90.5)});
  };
  EXPECT_EQ(modes(20).holds, true);
  EXPECT_EQ(modes(11).holds, false);

  const auto curve = [](double late) {
    return named("convergence")
        .judge({{{"dataset", "photo"},
                 {"variant", "curve"},
                 {"curve", {{10, 80}, {50, 90}, {200, late}}}}});
  };
  EXPECT_EQ(curve(90.5).holds, true);
  EXPECT_EQ(curve(92).holds, false);
}

TEST(Ablations, OneDatasetsLossDoesNotPayForAnothersGain) {
  json rows = json::array();
  for (const auto& [dataset, gap] : {std::pair{"photo", 7.0}, {"cs", -7.0}, {"dblp", 0.1}})
    for (const auto& [size, score] : {std::pair{"64", 70.0}, {"1024", 80.0}, {"4096", 80 + gap}})
      rows.push_back(row(size, score, 10, 100, dataset));
  const Verdict result = named("batch-size").judge(rows);  // +0.03 on average
  EXPECT_EQ(result.holds, false);
  EXPECT_THAT(result.text, HasSubstr("within half a point on 1 of 3"));

  const auto symmetry = [](double third) {
    return named("symmetry")
        .judge({row("symmetric", 91, 10, 100, "photo"), row("asymmetric", 90, 10, 100, "photo"),
                row("symmetric", 91, 10, 100, "cs"), row("asymmetric", 90, 10, 100, "cs"),
                row("symmetric", 80, 10, 100, "dblp"),
                row("asymmetric", 80 - third, 10, 100, "dblp")});
  };
  EXPECT_EQ(symmetry(-9).holds, true);  // ahead on two of three, though not on average
  EXPECT_THAT(symmetry(-9).text, HasSubstr("ahead on 2 of 3 datasets, and -2.33 points"));

  const Verdict modes =
      named("pre-vs-post")
          .judge({row("pre-equal", 90, 40, 200, "photo"), row("post-equal", 93, 10, 100, "photo"),
                  row("pre-equal", 90, 40, 200, "cs"), row("post-equal", 87, 10, 100, "cs")});
  EXPECT_EQ(modes.holds, false);  // the same on average, and on no dataset
}

TEST(Ablations, TimesOfOtherNumbersOfThreadsAreNotCompared) {
  json pre = row("pre-equal", 90, 40, 200), post = row("post-equal", 90, 10);
  pre["threads"] = 1, post["threads"] = 2;
  EXPECT_FALSE(named("pre-vs-post").judge({pre, post}).holds.has_value());
  pre["threads"] = 2;
  EXPECT_EQ(named("pre-vs-post").judge({pre, post}).holds, true);
}

TEST(Ablations, WidthsAreJudgedWhenEveryMethodIsKnown) {
  json rows = json::array();
  for (const auto& [method, gain] : {std::pair{"graphsurgeon", 1.0},
                                     {"dgi", 2.0},
                                     {"mvgrl", 1.0},
                                     {"gca", 0.0},
                                     {"bgrl", -1.0}}) {
    rows.push_back(row(std::string(method) + "-256", 90));
    rows.push_back(row(std::string(method) + "-1280", 90 + gain));
  }
  EXPECT_EQ(named("embedding-size").judge(rows).holds, true);
  rows.erase(rows.size() - 1);
  EXPECT_FALSE(named("embedding-size").judge(rows).holds.has_value());
}

TEST(Ablations, AFailedTrainingTakesNoPart) {
  json failed = row("asymmetric", 99);
  failed["problem"] = "killed by signal 9";
  const Verdict result = named("symmetry").judge({row("symmetric", 90), failed});
  EXPECT_FALSE(result.holds.has_value());
  EXPECT_THAT(result.text, HasSubstr("cannot tell"));
}

TEST(Ablations, TwentyEpochsCannotTellWhetherFiftySuffice) {
  const Verdict result =
      named("convergence")
          .judge({{{"dataset", "photo"}, {"variant", "curve"}, {"curve", {{10, 80}, {20, 90}}}}});
  EXPECT_FALSE(result.holds.has_value());
}

TEST(Ablations, AreTablesWithAColumnADataset) {
  AblationResult result;
  result.name = "loss", result.verdict.text = "What it says.", result.figures = Figures::costs;
  json other = row("naive", 80, 20, 300), failed = row("scaled", 0);
  other["dataset"] = "cs", failed["problem"] = "killed";
  result.rows = {row("naive", 90.123, 12.34, 100), other, failed};
  const std::string text = markdown(result);
  EXPECT_THAT(text, HasSubstr("# loss\n\nWhat it says.\n"));
  EXPECT_THAT(text, HasSubstr("| variant | photo | cs |\n|---|--:|--:|\n"
                              "| naive | 90.12 ±0.00 | 80.00 ±0.00 |\n| scaled | failed |  |\n"));
  EXPECT_THAT(text, HasSubstr("| naive | 12.3 | 20.0 |"));
  EXPECT_THAT(text, Not(HasSubstr("Learning rate")));
  json both = row("pre-equal", 90);
  both["gamma_scaled"] = 2.5, both["lr"] = 0.0125;
  result.rows = {both}, result.figures = Figures::values;
  EXPECT_THAT(markdown(result),
              AllOf(HasSubstr("| pre-equal | 1 (2.5) |"), HasSubstr("| pre-equal | 0.0125 |"),
                    HasSubstr("Parameters")));
  result.rows = {row("naive", 90.123, 12.34, 100)};
  result.figures = Figures::scores;
  EXPECT_THAT(markdown(result), Not(HasSubstr("12.3")));
  result.rows = {{{"dataset", "cs"}, {"variant", "curve"}, {"curve", {{10, 80.5}, {20, 90}}}}};
  EXPECT_THAT(markdown(result),
              HasSubstr("| epoch | cs |\n|---|--:|\n| 10 | 80.50 |\n| 20 | 90.00 |"));
}

TEST(Figures, HoldTheirNumbersAsText) {
  const std::string lines =
      line_chart({"A <b>", "x", "y", {{"one & two", {{1, 2}, {2, std::nan("")}, {4, 8}}}}, true});
  EXPECT_THAT(lines, HasSubstr("<title>A &lt;b&gt;: one &amp; two 1: 2,"));
  EXPECT_THAT(lines, Not(HasSubstr("\"nan")));
  const std::string bars =
      bar_chart({"B", "MiB", {"photo", "cs"}, {{"ours", {1, 2}}, {"other", {3, 4}}}});
  EXPECT_THAT(bars, HasSubstr("cs other: 4"));
  size_t rects = 0;
  for (size_t at = bars.find("<rect"); at != std::string::npos; at = bars.find("<rect", at + 1))
    ++rects;
  EXPECT_EQ(rects, 6);  // four bars, two of the legend
  EXPECT_THAT(line_chart({"empty", "", "", {}}), HasSubstr("nothing to draw"));
}

}  // namespace
}  // namespace gs
