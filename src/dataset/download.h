// Fetches a catalog dataset's public files with libcurl: plain HTTPS, resumed where a partial file
// lies, checked against the catalog's table after reading.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "base/progress.h"
#include "dataset/catalog.h"

namespace gs {

struct FetchOptions {
  std::filesystem::path root;  // data root
  // Replaces "https://host" of every address: for mirrors, and for tests on a local server.
  std::string base_url;
  bool overwrite = false;
  std::chrono::milliseconds pause{250};  // before the second try; doubles each time
};

// Downloads what is missing and returns the path to load. Where a source needs a browser: data
// Error whose hint has the address and the folder to put the file in.
std::filesystem::path fetch(const CatalogEntry& entry, const FetchOptions& options,
                            Progress& progress = no_progress());

}  // namespace gs
