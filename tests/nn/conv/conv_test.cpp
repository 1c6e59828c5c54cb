#include "nn/conv/conv.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/conv_laws.h"

namespace gs {
namespace {

TEST(Conv, EveryConvolutionKeepsTheLaws) {
  for_each_convolution([](const ConvolutionInfo& info) { test::check_conv_laws(info); });
}

TEST(Conv, AnUnknownNameListsTheKnownOnes) {
  Parameters parameters(Device{}, Random(1));
  try {
    make_conv("gcm", {parameters, "conv", 0, 2, 3});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("did you mean 'gcn'?"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace gs
