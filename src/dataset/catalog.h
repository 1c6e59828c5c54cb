// The datasets that are known by name: the paper's fourteen and more. Each has its true size, the
// usual places and sources of its files, and the treatment that PyTorch Geometric gives it, so that
// results compare.
//
// Thread safety: everything here may be called from several threads.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "dataset/dataset.h"
#include "dataset/reader.h"

namespace gs {

struct RemoteFile {
  std::string url;   // plain HTTPS, or "" where a browser is needed
  std::string path;  // where it goes, below the data root; a .zip is unpacked into its folder
};

struct CatalogEntry {
  std::string_view name, title, format;  // format: a reader's name
  int64_t nodes, edges;         // after treatment; the paper's M where that is the true figure
  std::vector<int64_t> widths;  // legitimate feature widths, the first being the usual one
  int64_t classes;
  Task task;
  bool symmetrize, drop_loops, binarize;  // what PyG does
  // Usual names below the data root, files or folders, best first.
  std::vector<std::string_view> paths;
  std::vector<RemoteFile> files;  // for `data fetch`
  std::string_view page;          // shown to people when a browser is needed
  bool in_paper = true;
  bool by_roc_auc = false;     // usually scored by it: two classes of unequal size
  std::string_view note = {};  // e.g. why M differs from the paper's
};

std::span<const CatalogEntry> catalog();
// By its name or an alias such as "coauthor-cs"; nullptr when unknown.
const CatalogEntry* find_catalog(std::string_view name);
std::vector<std::string_view> catalog_aliases(std::string_view name);
// The entry that has this format, node count, class count and one of its widths; nullptr when none.
const CatalogEntry* recognize(std::string_view format, int64_t nodes, int64_t width,
                              int64_t classes);
// The first of the entry's paths that exists below `root`.
std::optional<std::filesystem::path> locate(const CatalogEntry& entry,
                                            const std::filesystem::path& root);
// $XDG_CACHE_HOME/graphsurgeon, as a rule ~/.cache/graphsurgeon.
std::filesystem::path cache_folder();

// The option --data-root.
struct DataRoot {
  std::string data_root;

  // --data-root, else $GRAPHSURGEON_DATA, else cache_folder().
  std::filesystem::path folder() const;
  void describe(OptionList& v);
};

}  // namespace gs
