// Every baseline without labels trains on every loader it names, stops and goes on.
#include <gmock/gmock.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/npy.h"
#include "config/methods.h"
#include "dataset/generate.h"
#include "method/run_folder.h"
#include "support/files.h"
#include "train/trainer.h"

namespace gs {
namespace {

using test::read_text;
using test::TempFolder;

Dataset small_graph() {
  GenerateOptions options;
  options.nodes = 300, options.classes = 3, options.features = 30, options.seed = 5;
  options.feature_kind = FeatureKind::words;
  return generate(options);
}

TrainCall call_for(const fs::path& run, std::string_view method, LoaderKind kind, int64_t epochs) {
  TrainCall call;
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
  l.loader = kind;
  l.batch_size = 64, l.fanouts = {4, 3};
  l.parts = 6, l.parts_per_batch = 2;
  l.roots = 40;
  return call;
}

std::vector<double> losses(const fs::path& run) {
  std::vector<double> out;
  std::istringstream text(read_text(run / "metrics.jsonl"));
  for (std::string line; std::getline(text, line);)
    out.push_back(nlohmann::json::parse(line)["loss"]["total"]);
  return out;
}

struct Pairing {
  std::string_view method;
  LoaderKind loader;
};

std::vector<Pairing> pairings() {
  std::vector<Pairing> out;
  for (const MethodInfo& info : methods())
    if (info.group == MethodGroup::self_supervised)
      for (const LoaderKind loader : info.loaders) out.push_back({info.name, loader});
  return out;
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
  std::string name =
      fmt::format("{}_{}", info.param.method, name_of(names_of(LoaderKind{}), info.param.loader));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

class StopAfter final : public Progress {
 public:
  explicit StopAfter(int64_t steps) : left_(steps) {}
  void start(std::string_view task, int64_t, std::string_view) override {
    training_ = task == "training";
  }
  void advance(int64_t units) override {
    if (training_ && (left_ -= units) <= 0) stop = true;
  }
  void note(std::string_view) override {}
  void finish() override {}

  std::atomic<bool> stop = false;

 private:
  int64_t left_;
  bool training_ = false;
};

// Target weights and their statistics are part of the state.
TEST(Bgrl, StoppedAndResumedGivesTheSameBytes) {
  const Dataset data = small_graph();
  for (const LoaderKind loader : {LoaderKind::full, LoaderKind::cluster}) {
    const TempFolder folder;
    train(data, call_for(folder / "whole", "bgrl", loader, 8));
    StopAfter progress(5);
    TrainCall call = call_for(folder / "parts", "bgrl", loader, 8);
    call.stop = &progress.stop;
    EXPECT_THROW(train(data, call, progress), Error);
    TrainCall rest = call_for(folder / "parts", "bgrl", loader, 8);
    rest.resume = true;
    train(data, rest);
    EXPECT_EQ(read_text(folder / "whole/embeddings.npy"),
              read_text(folder / "parts/embeddings.npy"));
    EXPECT_EQ(losses(folder / "whole"), losses(folder / "parts"));
  }
}

// Its momentum follows the whole schedule, not the piece.
TEST(Bgrl, TrainedInPiecesGivesTheSameBytes) {
  const Dataset data = small_graph();
  const TempFolder folder;
  train(data, call_for(folder / "whole", "bgrl", LoaderKind::full, 8));
  for (const int64_t until : {3, 4, 8}) {
    TrainCall piece = call_for(folder / "pieces", "bgrl", LoaderKind::full, 8);
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
    TrainCall call = call_for(folder / "run", name, LoaderKind::full, 0);
    EXPECT_EQ(train(data, call).epochs, 0);
    const LoadedModel loaded = load_model(folder / "run", {at::kCPU, at::kFloat, true});
    const at::Tensor z = loaded.model->embed(
        whole_graph(data, Convolution::gcn, loaded.model->parameters().place()));
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

TEST(Mvgrl, RefusesNeighbourhoodsAndNamesTheLoadersThatWork) {
  const TempFolder folder;
  try {
    train(small_graph(), call_for(folder / "run", "mvgrl", LoaderKind::neighbor, 2));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.hint(), testing::HasSubstr("full, cluster, saint"));
  }
}

}  // namespace
}  // namespace gs
