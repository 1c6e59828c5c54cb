#include "base/cgroup.h"

#include <gtest/gtest.h>

#include "support/files.h"

namespace gs::test {
namespace {

TEST(Cgroup, MemoryIsThatOfTheInnermostAndTheOuterGroups) {
  const TempFolder mount;
  const std::string two = "0::/user.slice/job/step\n";
  EXPECT_EQ(cgroup_memory_limit(mount.path(), two), INT64_MAX);
  write_text(mount / "user.slice/job/step/memory.max", "max\n");
  write_text(mount / "user.slice/job/memory.max", "5000\n");
  write_text(mount / "user.slice/memory.max", "9000\n");
  EXPECT_EQ(cgroup_memory_limit(mount.path(), two), 5000);
  write_text(mount / "memory.max", "3000\n");
  EXPECT_EQ(cgroup_memory_limit(mount.path(), ""), 3000);
}

TEST(Cgroup, MemoryIsReadInVersionOne) {
  const TempFolder mount;
  write_text(mount / "memory/docker/a/memory.limit_in_bytes", "7000\n");
  write_text(mount / "memory/other/memory.limit_in_bytes", "1\n");
  EXPECT_EQ(cgroup_memory_limit(mount.path(), "5:cpu,memory:/docker/a\n4:pids:/other\n"), 7000);
  EXPECT_EQ(cgroup_memory_limit(mount.path(), "5:memory:/../other\nnonsense\n"), INT64_MAX);
}

TEST(Cgroup, MemoryLeftIsTheLeastThatTheUsersOfAnyGroupLeave) {
  const TempFolder mount;
  const std::string two = "0::/job/step\n";
  EXPECT_EQ(cgroup_memory_left(mount.path(), two), INT64_MAX);
  write_text(mount / "job/step/memory.max", "5000\n");
  write_text(mount / "job/step/memory.current", "1000\n");
  EXPECT_EQ(cgroup_memory_left(mount.path(), two), 4000);
  write_text(mount / "job/memory.max", "9000\n");
  write_text(mount / "job/memory.current", "8000\n");
  EXPECT_EQ(cgroup_memory_left(mount.path(), two), 1000);
  write_text(mount / "memory/a/memory.limit_in_bytes", "7000\n");
  write_text(mount / "memory/a/memory.usage_in_bytes", "9000\n");
  EXPECT_EQ(cgroup_memory_left(mount.path(), "4:memory:/a\n"), 0);
}

TEST(Cgroup, CoresAreThoseOfTheTightestQuotaAroundTheProcess) {
  const TempFolder mount;
  const std::string two = "0::/user.slice/job\n";
  EXPECT_EQ(cgroup_cores(mount.path(), two), INT64_MAX);
  write_text(mount / "user.slice/job/cpu.max", "max 100000\n");
  EXPECT_EQ(cgroup_cores(mount.path(), two), INT64_MAX);
  write_text(mount / "user.slice/cpu.max", "400000 100000\n");
  EXPECT_EQ(cgroup_cores(mount.path(), two), 4);
  write_text(mount / "cpu.max", "160000 100000\n");
  EXPECT_EQ(cgroup_cores(mount.path(), ""), 2);
  write_text(mount / "cpu.max", "20000 100000\n");
  EXPECT_EQ(cgroup_cores(mount.path(), ""), 1);
}

TEST(Cgroup, CoresAreReadInVersionOne) {
  const TempFolder mount;
  const std::string one = "5:cpu,cpuacct:/docker/a\n4:pids:/other\n";
  write_text(mount / "cpu/docker/a/cpu.cfs_quota_us", "-1\n");
  write_text(mount / "cpu/docker/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cores(mount.path(), one), INT64_MAX);
  write_text(mount / "cpu/docker/a/cpu.cfs_quota_us", "300000\n");
  EXPECT_EQ(cgroup_cores(mount.path(), one), 3);
  EXPECT_EQ(cgroup_cores(mount.path(), "5:cpu:/../other\nnonsense\n"), INT64_MAX);
}

}  // namespace
}  // namespace gs::test
