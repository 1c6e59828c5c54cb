// Compares the output of --version with libtorch itself.
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/version.h>

#include "support/program.h"
#include "version.h"

namespace gs::test {
namespace {

TEST(Program, VersionReportsTorchBlasAndTheCpuPathThatTorchTakes) {
  const Outcome run = run_program("--version");
  ASSERT_EQ(run.exit_code, 0);
  const std::string config = at::show_config();
  const std::string blas = config.find("BLAS_INFO=mkl") != std::string::npos    ? "MKL"
                           : config.find("BLAS_INFO=open") != std::string::npos ? "OpenBLAS"
                                                                                : "";
  const std::string taken = at::get_cpu_capability();
  const std::string path = taken == "AVX512" ? "AVX-512" : taken == "AVX2" ? "AVX2" : "";
  EXPECT_THAT(
      run.out,
      testing::StartsWith("graphsurgeon " GS_VERSION "\nlibtorch " TORCH_VERSION ", BLAS " + blas));
  EXPECT_THAT(run.out, testing::HasSubstr("\nCPU path " + path));
}

}  // namespace
}  // namespace gs::test
