// Ten epochs on real data against the method in PyTorch Geometric: from the same weights, the
// losses and the final weights are the same.
#include <gtest/gtest.h>

#include <cstdlib>

#include "dataset/load.h"
#include "method/graphsurgeon.h"
#include "options/preset.h"
#include "options/run.h"
#include "support/files.h"
#include "support/golden.h"
#include "support/torch_threads.h"
#include "train/adam.h"

namespace gs {
namespace {

constexpr int kEpochs = 10;
constexpr double kLearningRate = 0.001;

// $GRAPHSURGEON_PEER, or shared/peer/pyg_peer.py beside the checkout; empty when there is none.
std::filesystem::path peer_script() {
  if (const char* script = std::getenv("GRAPHSURGEON_PEER"); script && *script) return script;
  const auto beside =
      std::filesystem::path(GS_TEST_SOURCE_DIR).parent_path() / "shared" / "peer" / "pyg_peer.py";
  return std::filesystem::exists(beside) ? beside : std::filesystem::path();
}

class Peer : public testing::TestWithParam<const char*> {};

TEST_P(Peer, IsFollowedOnDblp) {
  GS_NEEDS_SHARED_DATA();
  if (peer_script().empty()) GTEST_SKIP() << "the peer was not found; set GRAPHSURGEON_PEER";
  const auto file = test::shared_data() / "dblp.npz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "dblp.npz is not among the datasets";

  RunOptions options;
  OptionList list = describe(options);
  apply_preset(list, "dblp");
  list.find_option("mode")->set(GetParam());
  // Small, to save time.
  options.model.dropout = 0, options.model.aug_dim = 64, options.model.dim = 32;

  const test::TempFolder folder;
  test::run_python(
      folder.path(),
      fmt::format("import subprocess, sys\n"
                  "subprocess.run([sys.executable, '{}', '{}', '--dump', 'dump.npz', '--splits', "
                  "'0', '--dropout', '0', '--threads', '1',"
                  " '--mode', '{}', '--epochs', '{}', '--aug-dim', '{}', '--dim', '{}', '--gamma', "
                  "'{}', '--lr', '{}'],"
                  " check=True)\n",
                  peer_script().string(), file.string(), GetParam(), kEpochs, options.model.aug_dim,
                  options.model.dim, options.loss.gamma, kLearningRate));
  const test::Tensors peer = test::read_tensors(Npz(folder / "dump.npz"));

  const test::TorchThreads one(1);
  const Device device;
  const Dataset data = load_dataset(file.string(), options.load);
  GraphSurgeon model(data.features.width(), options.model, device, Random(1));
  test::set_values(model.parameters(), peer, "initial.");
  const Batch batch = whole_graph(data, options.model.encoder, device);
  Adam adam(model.parameters(), {.lr = kLearningRate});
  const at::Tensor losses = peer.at("losses");
  ASSERT_EQ(losses.numel(), kEpochs);
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    const Loss loss = model.loss(model.views(batch, true, Random(epoch)), options.loss);
    model.parameters().zero_gradients();
    loss.total.backward();
    adam.step();
    const double theirs = losses[epoch].item<double>();
    EXPECT_NEAR(loss.total.item<double>(), theirs, 1e-4 * theirs) << "epoch " << epoch;
  }
  EXPECT_LT(losses[kEpochs - 1].item<double>(), losses[0].item<double>()) << "the peer learns";
  EXPECT_LT(test::relative_distance(model.embed(batch), peer.at("embeddings")), 1e-3);
  for (const auto& [name, weight] : model.parameters().weights())
    EXPECT_LT(test::relative_distance(weight, peer.at("final." + name)), 1e-3) << name;
}

INSTANTIATE_TEST_SUITE_P(Of, Peer, testing::Values("pre", "post"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace gs
