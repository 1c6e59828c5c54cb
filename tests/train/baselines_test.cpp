// Every self-supervised baseline trains with every loader of its row, stops and resumes.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/npy.h"
#include "dataset/generate/generate.h"
#include "options/methods.h"
#include "run/model.h"
#include "support/files.h"
#include "support/training.h"
#include "train/trainer.h"

namespace gs {
namespace {

using test::losses;
using test::read_text;
using test::StopAfter;
using test::TempFolder;

Dataset small_graph() {
  return test::small_graph(300, {.features = 30, .feature_kind = FeatureKind::words});
}

TrainRequest call_for(const fs::path& run, std::string_view method, std::string_view loader,
                      int64_t epochs) {
  TrainRequest call;
  call.data = "sbm";
  call.run = run;
  OptionList list = describe(call.options);
  list.find_option("method")->set(std::string(method), "");
  call.options.resolve(list, "", "");
  call.options.train.epochs = epochs;
  call.options.train.lr = method == "cca-ssg" ? 0.002 : 0.01;
  call.options.model.dim = 12, call.options.method.hidden = 16;
  call.options.method.projection_dim = 8, call.options.method.predictor_dim = 10;
  LoaderOptions& l = call.options.loader;
  l.loader = loader;
  l.batch_size = 64, l.fanouts = {4, 3};
  l.parts = 6, l.parts_per_batch = 2;
  l.roots = 40;
  return call;
}

struct Pairing {
  std::string_view method, loader;
};

std::vector<Pairing> pairings() {
  std::vector<Pairing> out;
  for (const MethodInfo& info : methods())
    if (info.group == MethodGroup::self_supervised)
      for (const LoaderInfo& loader : loaders())
        if (info.loaders.allows(loader.name)) out.push_back({info.name, loader.name});
  return out;
}

TEST(OneLayer, TwoViewsOfSampledNeighborhoodsTrain) {
  for (const char* method : {"cca-ssg", "bgrl", "grace"}) {
    const TempFolder folder;
    TrainRequest call = call_for(folder / "run", method, "neighbor", 2);
    call.options.model.layers = 1;
    EXPECT_EQ(train(small_graph(), call).epochs, 2) << method;
  }
}

class Baselines : public testing::TestWithParam<Pairing> {};

TEST_P(Baselines, TheLossFallsAndEveryNodeHasAnEmbedding) {
  const TempFolder folder;
  train(small_graph(), call_for(folder / "run", GetParam().method, GetParam().loader, 20));
  const auto all = losses(folder / "run");
  ASSERT_EQ(all.size(), 20u);
  EXPECT_LT(all[18] + all[19], all[0] + all[1]);
  EXPECT_THAT(load_npy(folder / "run/embeddings.npy").shape, testing::ElementsAre(300, 12));
}

INSTANTIATE_TEST_SUITE_P(, Baselines, testing::ValuesIn(pairings()), [](const auto& info) {
  std::string name = fmt::format("{}_{}", info.param.method, info.param.loader);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Target weights and their statistics are part of the state.
TEST(Bgrl, StoppedAndResumedGivesTheSameBytes) {
  const Dataset data = small_graph();
  for (const char* loader : {"full", "cluster"}) {
    const TempFolder folder;
    train(data, call_for(folder / "whole", "bgrl", loader, 8));
    StopAfter progress(5);
    TrainRequest call = call_for(folder / "parts", "bgrl", loader, 8);
    call.stop = &progress.stop;
    EXPECT_THROW(train(data, call, progress), Error);
    TrainRequest rest = call_for(folder / "parts", "bgrl", loader, 8);
    rest.resume = true;
    train(data, rest);
    EXPECT_EQ(read_text(folder / "whole/embeddings.npy"),
              read_text(folder / "parts/embeddings.npy"));
    EXPECT_EQ(losses(folder / "whole"), losses(folder / "parts"));
  }
}

// The momentum follows the schedule of the whole training, not of the piece.
TEST(Bgrl, TrainedInPiecesGivesTheSameBytes) {
  const Dataset data = small_graph();
  const TempFolder folder;
  train(data, call_for(folder / "whole", "bgrl", "full", 8));
  for (const int64_t until : {3, 4, 8}) {
    TrainRequest piece = call_for(folder / "pieces", "bgrl", "full", 8);
    piece.until = until, piece.resume = true;
    EXPECT_EQ(train(data, piece).epochs, until);
    EXPECT_TRUE(fs::exists(folder / "pieces/embeddings.npy"));
  }
  EXPECT_EQ(read_text(folder / "whole/embeddings.npy"),
            read_text(folder / "pieces/embeddings.npy"));
  EXPECT_EQ(losses(folder / "whole"), losses(folder / "pieces"));
}

TEST(References, WithoutWeightsOrEpochsLeaveARunThatLoadsAgain) {
  const Dataset data = small_graph();
  for (const char* name : {"raw", "smoothed", "untrained"}) {
    const TempFolder folder;
    TrainRequest call = call_for(folder / "run", name, "full", 0);
    EXPECT_EQ(train(data, call).epochs, 0);
    const LoadedModel loaded = load_model(folder / "run", {at::kCPU, at::kFloat, true});
    const at::Tensor z =
        loaded.model->embed(whole_graph(data, "gcn", loaded.model->parameters().device()));
    const NpyArray written = load_npy(folder / "run/embeddings.npy");
    EXPECT_TRUE(at::equal(z, view_of(written.as<float>(), written.shape))) << name;
    call.options.train.epochs = 3, call.overwrite = true;
    try {
      train(data, call);
      ADD_FAILURE() << name << " was trained";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_THAT(error.what(), testing::HasSubstr("learns nothing"));
    }
  }
}

TEST(Mvgrl, RefusesNeighborhoodsAndNamesTheLoadersThatWork) {
  const TempFolder folder;
  try {
    train(small_graph(), call_for(folder / "run", "mvgrl", "neighbor", 2));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.hint(), testing::HasSubstr("full, cluster, saint"));
  }
}

}  // namespace
}  // namespace gs
