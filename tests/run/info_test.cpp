#include "run/info.h"

#include <gtest/gtest.h>

#include "support/files.h"

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
  const LoadOptions load = load_like(info, "", now, {"labels-file"});
  EXPECT_EQ(load.symmetrize, Switch::no);
  EXPECT_EQ(load.make_features, MakeFeatures::random);
  EXPECT_EQ(load.seed, 3);
  EXPECT_EQ(load.labels_file, "labels.csv");
  EXPECT_EQ(load.data_root, "here");
}

// Files of the training data are not those of other data, and its labels may be gone.
TEST(LoadLike, LeavesOutTheFilesOfTheTrainingDataForOtherData) {
  const test::TempFolder folder;
  test::write_text(folder / "labels.csv", "0,1\n");
  RunInfo info;
  info.data = "mine.csv";
  info.options.load.labels_file = (folder / "labels.csv").string();
  info.options.load.splits_file = (folder / "gone.csv").string();
  info.options.load.features_file = (folder / "x.npy").string();
  const LoadOptions same = load_like(info, "mine.csv"), other = load_like(info, "other.csv");
  EXPECT_EQ(same.labels_file, info.options.load.labels_file);
  EXPECT_EQ(same.features_file, info.options.load.features_file);
  EXPECT_EQ(same.splits_file, "") << "the file is gone, and embedding does not need it";
  EXPECT_EQ(other.labels_file, "");
  EXPECT_EQ(other.features_file, "") << "its rows are of other nodes";
}

// Before format 3 an edge list was taken as directed.
TEST(LoadLike, ARunOfAnEarlierFormatKeepsItsEdgesDirected) {
  const test::TempFolder folder;
  test::write_text(folder / "web.csv", "0,1\n1,2\n");
  RunInfo info;
  EXPECT_EQ(load_like(info, (folder / "web.csv").string()).symmetrize, Switch::automatic);
  info.format = 2;
  EXPECT_EQ(load_like(info, (folder / "web.csv").string()).symmetrize, Switch::no);
  EXPECT_EQ(load_like(info, "photo").symmetrize, Switch::automatic);
}

TEST(RunInfo, MadeFeaturesAreTheTrainingsWhenItIsReadAgain) {
  RunInfo info;
  info.options.train.seed = info.options.load.seed = 7;
  EXPECT_EQ(run_info_from_json(to_json_text(info), "test").options.load.seed, 7);
}

}  // namespace
}  // namespace gs
