#include "eval/task.h"

#include "support/files.h"
#include "support/task_laws.h"
#include "train/trainer.h"

namespace gs::test {
namespace {

constexpr const char* kData = "sbm:nodes=150,classes=3,features=12,seed=5";

TEST(Tasks, EveryRowKeepsTheLaws) {
  const TempFolder folder;
  TrainRequest training;
  training.data = kData;
  training.run = folder / "run";
  training.options.train.epochs = 3;
  training.options.model.aug_dim = 10, training.options.model.dim = 6;
  train(load_dataset(kData, {}), training);
  EvalRequest request;
  request.input = training.run.string(), request.data = kData;
  request.probe.num_splits = 3, request.probe.probe_epochs = 20;
  request.task.repeats = 2;
  request.threads = 1;
  for (const TaskInfo& task : tasks()) check_task_laws(task, request);
}

TEST(Tasks, AnUnknownNameListsTheKnownOnes) {
  try {
    find_task("clusterin");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), testing::HasSubstr("clustering"));
    EXPECT_THAT(error.hint(), testing::HasSubstr("classification"));
  }
}

TEST(Tasks, ClassificationKeepsItsScoresAndTheOthersOfTodayDoNot) {
  for (const TaskInfo& task : tasks()) {
    if (task.name == "classification") {
      EXPECT_TRUE(task.kept);
    }
    if (task.name == "clustering" || task.name == "links") {
      EXPECT_FALSE(task.kept);
    }
  }
}

}  // namespace
}  // namespace gs::test
