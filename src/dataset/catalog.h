// The datasets that are known by name: the paper's fourteen and more. For each the true size, where
// its files usually lie and come from, and what PyTorch Geometric does to it, so that results
// compare.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/dataset.h"
#include "dataset/reader.h"

namespace gs {

struct RemoteFile {
  std::string_view url;   // plain HTTPS, or "" where a browser is needed
  std::string_view path;  // where it goes, below the data root; a .zip is unpacked into its folder
};

struct CatalogEntry {
  std::string_view name, title, format;  // format: a reader's name
  int64_t nodes, edges;         // after treatment; the paper's M where that is the true figure
  std::vector<int64_t> widths;  // legitimate feature widths, the first being the usual one
  int64_t classes;
  Task task;
  bool symmetrize, drop_loops, binarize;  // what PyG does
  std::vector<std::string_view>
      paths;                      // usual names below the data root, files or folders, best first
  std::vector<RemoteFile> files;  // for `data fetch`
  std::string_view page;          // shown to people when a browser is needed
  bool in_paper = true;
  std::string_view note = {};  // e.g. why M differs from the paper's
};

std::span<const CatalogEntry> catalog();
const CatalogEntry* find_catalog(
    std::string_view name);  // nullptr when unknown; "coauthor-cs"-like aliases too
// The entry that has this format, node count, class count and one of its widths; nullptr when none.
const CatalogEntry* recognise(std::string_view format, int64_t nodes, int64_t width,
                              int64_t classes);
// The first of the entry's paths that exists below `root`.
std::optional<std::filesystem::path> locate(const CatalogEntry& entry,
                                            const std::filesystem::path& root);
// $XDG_CACHE_HOME/graphsurgeon, as a rule ~/.cache/graphsurgeon.
std::filesystem::path cache_folder();
// --data-root, else $GRAPHSURGEON_DATA, else the user's cache folder.
std::filesystem::path data_root(const std::string& option);

}  // namespace gs
