#include "run/info.h"

#include <gtest/gtest.h>

namespace gs {
namespace {

TEST(LoadLike, KeepsTheRunsTreatmentButForWhatIsGiven) {
  RunInfo info;
  info.options.load.symmetrize = Switch::no;
  info.options.load.make_features = MakeFeatures::random;
  info.options.load.seed = 3;
  LoadOptions now;
  now.labels_file = "labels.csv";
  now.data_root = "here";
  const LoadOptions load = load_like(info, now, {"labels-file"});
  EXPECT_EQ(load.symmetrize, Switch::no);
  EXPECT_EQ(load.make_features, MakeFeatures::random);
  EXPECT_EQ(load.seed, 3);
  EXPECT_EQ(load.labels_file, "labels.csv");
  EXPECT_EQ(load.data_root, "here");
}

TEST(RunInfo, MadeFeaturesAreTheTrainingsWhenItIsReadAgain) {
  RunInfo info;
  info.options.train.seed = info.options.load.seed = 7;
  EXPECT_EQ(run_info_from_json(to_json_text(info), "test").options.load.seed, 7);
}

}  // namespace
}  // namespace gs
