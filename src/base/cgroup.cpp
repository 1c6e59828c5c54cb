#include "base/cgroup.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>

namespace gs {

namespace {

namespace stdfs = std::filesystem;

// Calls look(folder, unified) for the mount's own folder in both versions, then for each group that
// has the controller and for those around it.
void visit_groups(const stdfs::path& mount, std::string_view self, const std::string& controller,
                  const std::function<void(const stdfs::path&, bool)>& look) {
  look(mount, true), look(mount / controller, false);
  while (!self.empty()) {  // "0::/path" for version 2, "4:cpu,memory:/path" for version 1
    const std::string_view line = self.substr(0, self.find('\n'));
    self.remove_prefix(std::min(self.size(), line.size() + 1));
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string controllers =
        "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    const bool unified = controllers == ",,";
    if (!unified && controllers.find("," + controller + ",") == std::string::npos) continue;
    const stdfs::path top = unified ? mount : mount / controller;
    stdfs::path group = stdfs::path(line.substr(second + 1)).relative_path().lexically_normal();
    for (; !group.empty() && *group.begin() != ".."; group = group.parent_path())
      look(top / group, unified);
  }
}

// The first number in a file, or -1 where there is none ("max").
int64_t limit_in(const stdfs::path& path) {
  int64_t value = 0;
  return std::ifstream(path) >> value ? value : -1;
}

// Calls look(limit, used) for each limit of memory.
void visit_memory(const stdfs::path& mount, std::string_view self,
                  const std::function<void(int64_t, int64_t)>& look) {
  visit_groups(mount, self, "memory", [&](const stdfs::path& group, bool unified) {
    const int64_t limit = limit_in(group / (unified ? "memory.max" : "memory.limit_in_bytes"));
    const int64_t used = limit_in(group / (unified ? "memory.current" : "memory.usage_in_bytes"));
    if (limit > 0) look(limit, std::clamp<int64_t>(used, 0, limit));
  });
}

}  // namespace

std::string own_cgroups() {
  std::ifstream file("/proc/self/cgroup");
  return {std::istreambuf_iterator<char>(file), {}};
}

int64_t cgroup_memory_limit(const stdfs::path& mount, std::string_view self) {
  int64_t least = INT64_MAX;
  visit_memory(mount, self, [&](int64_t limit, int64_t) { least = std::min(least, limit); });
  return least;
}

int64_t cgroup_memory_left(const stdfs::path& mount, std::string_view self) {
  int64_t least = INT64_MAX;
  visit_memory(mount, self,
               [&](int64_t limit, int64_t used) { least = std::min(least, limit - used); });
  return least;
}

int64_t cgroup_cores(const stdfs::path& mount, std::string_view self) {
  int64_t cores = INT64_MAX;
  visit_groups(mount, self, "cpu", [&](const stdfs::path& group, bool unified) {
    int64_t quota = -1, period = -1;
    if (unified) {
      std::ifstream file(group / "cpu.max");  // "150000 100000", or "max 100000"
      if (!(file >> quota >> period)) return;
    } else {
      quota = limit_in(group / "cpu.cfs_quota_us"), period = limit_in(group / "cpu.cfs_period_us");
    }
    if (quota <= 0 || period <= 0) return;
    const double share = static_cast<double>(quota) / static_cast<double>(period);
    cores = std::min(cores, std::max<int64_t>(1, std::llround(share)));
  });
  return cores;
}

}  // namespace gs
