#include "study/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/methods.h"
#include "study/paper.h"
#include "study/tables.h"
#include "support/files.h"

namespace gs {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

TEST(Grid, GroupsNameDatasetsAndMethods) {
  EXPECT_EQ(parse_grid({"photo,cs=graphsurgeon"}),
            (std::vector<CellName>{{"graphsurgeon", "photo"}, {"graphsurgeon", "cs"}}));
  EXPECT_EQ(parse_grid({"photo=graphsurgeon", "photo=graphsurgeon"}).size(), 1);
  EXPECT_EQ(parse_grid({"photo"}).size(), methods().size() - 1);  // selfgnn is bgrl
  EXPECT_EQ(parse_grid({"photo=all"}), parse_grid({"photo"}));
  EXPECT_THAT(parse_grid({"photo"}), Not(testing::Contains(CellName{"selfgnn", "photo"})));
}

TEST(Grid, WhatNobodyKnowsIsAnErrorThatNamesTheNearest) {
  for (const auto& [group, near] : {std::pair{"phot=all", "photo"},
                                    {"photo=graphsurgeom", "graphsurgeon"},
                                    {"photo=", "photo,pubmed=all"},
                                    {"=all", "photo,pubmed=all"}}) {
    try {
      parse_grid({group});
      ADD_FAILURE() << group;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_THAT(error.message() + error.hint(), HasSubstr(near));
    }
  }
}

TEST(Grid, ACellTrainsWithThePresetOfItsDataset) {
  std::string preset;
  const RunOptions tuned = cell_options({"graphsurgeon", "photo"}, {}, preset);
  EXPECT_EQ(preset, "photo-tuned");
  EXPECT_EQ(tuned.train.runs, 10);
  GridOptions paper;
  paper.protocol = Protocol::paper;
  EXPECT_EQ(cell_options({"graphsurgeon", "photo"}, paper, preset).train.epochs, 500);
  EXPECT_EQ(preset, "photo");
  GridOptions quick;
  quick.quick = true;
  const RunOptions short_one = cell_options({"graphsurgeon", "photo"}, quick, preset);
  EXPECT_LT(short_one.train.epochs, tuned.train.epochs);
  EXPECT_EQ(short_one.train.runs, 3);
}

TEST(Paper, HasItsCellsAndNoOthers) {
  EXPECT_DOUBLE_EQ(paper_figure("gcn", "photo")->value, 93.02);
  EXPECT_DOUBLE_EQ(paper_figure("graphsurgeon", "reddit")->value, 91.22);
  EXPECT_DOUBLE_EQ(paper_figure("pprgo", "yelp")->value, 77.7);
  EXPECT_EQ(paper_figure("selfgnn", "cs")->value, paper_figure("bgrl", "cs")->value);
  EXPECT_TRUE(paper_figure("gca", "physics")->out_of_memory);
  EXPECT_TRUE(paper_figure("dgi", "yelp")->out_of_memory);
  EXPECT_FALSE(paper_figure("gcn", "yelp"));
  EXPECT_FALSE(paper_figure("pprgo", "photo"));
  EXPECT_FALSE(paper_figure("grace", "photo"));
}

Cell cell(const std::string& method, const std::string& dataset, double mean) {
  return {{method, dataset},
          {{"method", method},
           {"dataset", dataset},
           {"mean", mean},
           {"std", 3.0},
           {"std_over_seeds", 4.0},
           {"seconds", 12.4},
           {"peak_mib", 345.6},
           {"paper", mean - 1}}};
}

TEST(Tables, ShowScoresPapersFiguresAndCosts) {
  const std::string text =
      markdown({cell("graphsurgeon", "photo", 92), cell("graphsurgeon", "reddit", 91)});
  EXPECT_THAT(text, HasSubstr("| photo | **92.00 ±5.00** (91.0) |"));  // 3 and 4 make 5
  EXPECT_THAT(text, HasSubstr("12 s, 346 MiB"));
  EXPECT_THAT(text, HasSubstr("photo: 1 of 1"));
  EXPECT_THAT(text, HasSubstr("Table 3"));
  EXPECT_LT(text.find("| photo"), text.find("Table 3"));
  EXPECT_GT(text.find("| reddit"), text.find("Table 3"));
  EXPECT_THAT(text, Not(HasSubstr("claim")));  // nothing to compare with
}

TEST(Tables, AFailedCellIsToldAndTakesNoPart) {
  Cell failed{{"graphsurgeon", "cs"}, {{"problem", "needs about 9000 MiB"}, {"paper", nullptr}}};
  const std::string text = markdown({cell("graphsurgeon", "photo", 92), failed});
  EXPECT_THAT(text, HasSubstr("| cs | failed |"));
  EXPECT_THAT(text, HasSubstr("needs about 9000 MiB"));
  EXPECT_EQ(check_claim({failed}).datasets, 0);
}

}  // namespace
}  // namespace gs
