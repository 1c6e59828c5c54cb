#include "nn/pass.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/dropout.h"
#include "nn/device.h"
#include "support/gradients.h"

namespace gs {
namespace {

const at::Tensor kOnes = at::ones({40, 30}, at::kDouble);

at::Tensor dropout(const at::Tensor& x, double probability, const Pass& pass, std::string_view site,
                   int64_t layer) {
  Epilogue epilogue;
  epilogue.dropout = pass.dropout(probability, site, layer);
  return apply_epilogue(x, epilogue);
}

TEST(DropoutLayer, DoesNothingInInferenceOrAtZero) {
  EXPECT_TRUE(at::equal(dropout(kOnes, 0.5, Pass::inference(), "head", 0), kOnes));
  EXPECT_TRUE(at::equal(dropout(kOnes, 0, {true, 0, Random(1)}, "head", 0), kOnes));
}

TEST(DropoutLayer, AppliesTheMaskOfItsPlace) {
  const Random masks(5);
  at::Tensor expected = at::empty({40, 30}, at::kDouble);
  dropout_mask(dropout_rule(masks.fork("encoder", 3, 1).key(), 0.3), 0, 40, 30,
               expected.data_ptr<double>());
  EXPECT_TRUE(at::equal(dropout(kOnes, 0.3, {true, 1, masks}, "encoder", 3), expected));
  EXPECT_TRUE(at::equal(dropout(2 * kOnes, 0.3, {true, 1, masks}, "encoder", 3), 2 * expected));
}

TEST(DropoutLayer, MaskDependsOnPlaceLayerViewAndStepAlone) {
  const auto mask = [](std::string_view site, int64_t layer, int view, uint64_t masks) {
    return dropout(kOnes, 0.5, {true, view, Random(masks)}, site, layer);
  };
  const at::Tensor base = mask("head", 0, 0, 1);
  EXPECT_TRUE(at::equal(mask("head", 0, 0, 1), base));
  for (const at::Tensor& other : {mask("encoder", 0, 0, 1), mask("head", 1, 0, 1),
                                  mask("head", 0, 1, 1), mask("head", 0, 0, 2)})
    EXPECT_FALSE(at::equal(other, base));
}

TEST(DropoutLayer, FloatDropsWhatDoubleDrops) {
  const Pass pass{true, 0, Random(9)};
  const at::Tensor a = dropout(kOnes, 0.4, pass, "head", 0),
                   b = dropout(kOnes.to(at::kFloat), 0.4, pass, "head", 0);
  EXPECT_TRUE(at::equal(a.to(at::kFloat), b));
}

TEST(DropoutLayer, GradientIsTheMask) {
  const at::Tensor x = test::random_tensor({6, 5}, 1);
  const Pass pass{true, 0, Random(2)};
  test::expect_gradients([&] { return dropout(x, 0.5, pass, "head", 0).square().sum(); },
                         {{"x", x}});
}

TEST(PlaceFor, KnowsTheCpuAndRefusesTheRest) {
  EXPECT_EQ(make_device("cpu").torch, at::Device(at::kCPU));
  EXPECT_EQ(make_device("cpu", Kernels::native, at::kDouble).dtype, at::kDouble);
  EXPECT_FALSE(make_device("cpu", Kernels::native, at::kDouble).native) << "the kernels are float";
  EXPECT_TRUE(make_device("cpu").native);
  EXPECT_FALSE(make_device("cpu", Kernels::torch).native);
  for (const char* wrong : {"", "gpu", "cpu:x", "cudax", "cuda:", "cuda:-1"}) {
    try {
      make_device(wrong);
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << wrong;
      EXPECT_FALSE(error.hint().empty());
    }
  }
}

}  // namespace
}  // namespace gs
