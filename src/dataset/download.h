// Fetches a catalog dataset's public files with libcurl: plain HTTPS, resumed where a partial file
// lies, checked against the catalog's table after reading.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/progress.h"
#include "dataset/catalog.h"

namespace gs {

struct FetchOptions {
  std::filesystem::path root;  // data root
  // Replaces "https://host" of every address: for mirrors, and for tests on a local server.
  std::string base_url;
  bool overwrite = false;
  std::chrono::milliseconds pause{250};    // before the second try; doubles each time
  int64_t most_bytes = int64_t{64} << 30;  // of a file; a server that sends more is refused
  // Called when all files are there. If it throws, what was fetched is removed, and the files that
  // it replaced come back.
  std::function<void()> check = {};
};

// Downloads what is missing and returns the path to load. Where a source needs a browser: data
// Error whose hint has the address and the folder to put the file in.
std::filesystem::path fetch(const CatalogEntry& entry, const FetchOptions& options,
                            Progress& progress = no_progress());

}  // namespace gs
