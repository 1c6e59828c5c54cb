#include "dataset/read.h"

#include "base/error.h"

namespace gs {

RawDataset read_raw(RawDataset (*reader)(const ReadRequest&), const ReadRequest& request) {
  try {
    return reader(request);
  } catch (const fs::filesystem_error& error) {
    const fs::path& path = error.path1().empty() ? request.path : error.path1();
    fail_data(path.string(), error.code().message(), "check the path and its permissions");
  }
}

}  // namespace gs
