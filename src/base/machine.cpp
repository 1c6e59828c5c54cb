#include "base/machine.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <ctime>
#include <fstream>

namespace gs {

namespace {

// What follows `key` and `separator` in the first line of the file that begins with `key`.
std::string value_in(const char* file, std::string_view key, char separator) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const size_t begin = line.find_first_not_of(" \t\"", line.find(separator) + 1);
    const size_t end = line.find_last_not_of(" \t\"");
    if (begin != std::string::npos && end >= begin) return line.substr(begin, end - begin + 1);
  }
  return {};
}

}  // namespace

std::string cpu_name() {
  const std::string name = value_in("/proc/cpuinfo", "model name", ':');
  return name.empty() ? "unknown" : name;
}

const char* cpu_path() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return "AVX-512";
  return avx2 ? "AVX2" : "baseline x86-64, neither AVX2 nor AVX-512";
#else
  return "the compiler's baseline";
#endif
}

std::string system_name() {
  utsname names{};
  uname(&names);
  const std::string kernel = fmt::format("{} {}", names.sysname, names.release),
                    system = value_in("/etc/os-release", "PRETTY_NAME", '=');
  return system.empty() ? kernel : fmt::format("{}, {}", system, kernel);
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace gs
