// The machine that this process runs on, for people: run records, --version and bug reports.
#pragma once

#include <string>

namespace gs {

// The processor's name as the system gives it, or "unknown".
std::string cpu_name();
// The instruction set that libtorch and our kernels choose here: "AVX-512", "AVX2" or a sentence.
const char* cpu_path();
// The system's name and release: "Debian GNU/Linux 12 (bookworm), Linux 6.1.0".
std::string system_name();
// The present time in UTC: "2026-11-18T20:06:30Z".
std::string utc_now();

}  // namespace gs
