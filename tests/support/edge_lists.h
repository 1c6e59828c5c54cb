// Reads edge lists and the files beside them from texts.
#pragma once

#include <gmock/gmock.h>

#include <map>
#include <string>

#include "dataset/load.h"
#include "dataset/readers/table.h"
#include "support/reader_laws.h"

namespace gs::test {

using Texts = std::map<std::string, std::string>;

inline RawDataset read_list(const fs::path& path) { return read_with(read_edge_list, path); }

inline RawDataset read_folder_of(const Texts& files) {
  TempFolder folder;
  for (const auto& [name, text] : files) write_text(folder / name, text);
  return read_list(folder.path());
}

inline RawDataset read_edges_text(const std::string& text, const std::string& name = "graph.csv") {
  TempFolder folder;
  write_text(folder / name, text);
  EXPECT_TRUE(detect_edge_list(folder / name));
  return read_list(folder / name);
}

inline void expect_list_error(const Texts& files, const std::string& part) {
  SCOPED_TRACE(part);
  TempFolder folder;
  for (const auto& [name, text] : files) write_text(folder / name, text);
  expect_data_error([&] { prepare(read_list(folder.path()), "edge-list", {}); }, part);
}

}  // namespace gs::test
