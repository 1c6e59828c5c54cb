#include "nn/scratch_matrix.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/error.h"

namespace gs {

at::Tensor scratch_matrix(int64_t rows, int64_t columns, const Device& device, int64_t budget) {
  const int64_t bytes = rows * columns * static_cast<int64_t>(c10::elementSize(device.dtype));
  if (bytes <= budget || device.torch != at::kCPU)
    return at::empty({rows, columns}, device.options());
  std::string name =
      (std::filesystem::temp_directory_path() / "graphsurgeon-scratch-XXXXXX").string();
  const int file = mkstemp(name.data());
  const auto fail = [&](const char* what) {
    fail_data(name, fmt::format("{}: {}", what, std::strerror(errno)),
              "set TMPDIR to a folder with more room, or raise --memory");
  };
  if (file < 0) fail("cannot make a scratch file");
  unlink(name.c_str());
  if (const int code = posix_fallocate(file, 0, bytes); code != 0)
    close(file), errno = code, fail("no room for scratch data");
  void* data =
      mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (data == MAP_FAILED) fail("cannot map the scratch file");
  return at::from_blob(
      data, {rows, columns}, [bytes](void* p) { munmap(p, static_cast<size_t>(bytes)); },
      device.options());
}

}  // namespace gs
