// What a container leaves to this process: limits of Linux control groups, version 1 or 2. `self`
// is the text of /proc/self/cgroup; the limits of the groups that it names and of those around them
// all hold, and in a container often only the one at `mount` is visible.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace gs {

inline constexpr const char* kCgroupMount = "/sys/fs/cgroup";

// The text of /proc/self/cgroup; empty without one.
std::string own_cgroups();

// Bytes; INT64_MAX without a limit.
int64_t cgroup_memory_limit(const std::filesystem::path& mount, std::string_view self);

// Likewise, what the memory in use leaves of the tightest limit.
int64_t cgroup_memory_left(const std::filesystem::path& mount, std::string_view self);

// Cores, rounded to a whole number, at least 1; INT64_MAX without a quota.
int64_t cgroup_cores(const std::filesystem::path& mount, std::string_view self);

}  // namespace gs
