#include "command/train.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>

#include "base/npy.h"
#include "support/training.h"

namespace gs {
namespace {

using test::small_graph;
using test::TempFolder;

TrainRequest call_for(const fs::path& run, const std::string& way) {
  TrainRequest call;
  call.data = "sbm", call.run = run, call.overwrite = true;
  call.options.train.epochs = 3, call.options.train.lr = 0.01;
  call.options.model.aug_dim = 40, call.options.model.dim = 24;
  LoaderOptions& l = call.options.loader;
  l.batch_size = 64, l.fanouts = {4, 3}, l.parts = 10, l.parts_per_batch = 2, l.roots = 20;
  if (way == "spectral") call.options.method.method = way, call.options.train.epochs = 0;
  else if (way == "pre") call.options.model.mode = AugmentMode::pre;
  else l.loader = way;
  return call;
}

std::vector<float> embeddings(const TrainRequest& call, const Dataset& data) {
  run(call, data, no_progress());
  const Array<float> z = load_npy(call.run / "embeddings.npy").as<float>();
  return {z.begin(), z.end()};
}

// The same bits with any number of threads, by either width of vectors. From one width to the other
// they differ in the last digits: a sum over a row adds as many numbers at once as a vector has.
class Determinism : public testing::TestWithParam<std::string> {};

TEST_P(Determinism, ThreadsChangeNoBitAndTheWidthOfVectorsOnlyTheLastDigits) {
  const TempFolder folder;
  const Dataset data = small_graph(400, {.features = 30});
  const int64_t all = hwy::SupportedTargets();
  std::vector<float> first;
  for (const int64_t target : {HWY_AVX3, HWY_AVX2}) {
    if ((all & target) == 0) continue;  // not on this machine
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    std::vector<float> expected;
    for (const int threads : {1, 2, 4}) {
      TrainRequest call = call_for(folder / "run", GetParam());
      call.threads = threads;
      const auto z = embeddings(call, data);
      if (expected.empty()) expected = z;
      EXPECT_EQ(z, expected) << threads << " threads, " << hwy::TargetName(target);
    }
    if (first.empty()) first = expected;
    double square = 0, difference = 0;
    for (size_t i = 0; i < first.size(); ++i)
      square += std::pow(first[i], 2), difference += std::pow(first[i] - expected[i], 2);
    EXPECT_LT(difference, 1e-6 * square) << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(all);
}

INSTANTIATE_TEST_SUITE_P(, Determinism,
                         testing::Values("full", "pre", "neighbor", "cluster", "saint", "spectral"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace gs
