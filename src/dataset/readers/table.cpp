#include "dataset/readers/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "base/error.h"
#include "base/npz.h"
#include "dataset/folder/folder.h"

namespace gs {

namespace {

constexpr Named<Reader> kReaders[] = {
    {"folder", {detect_folder, read_folder}, "graphsurgeon: .npy arrays and dataset.json"},
    {"gnn-benchmark",
     {detect_gnn_benchmark, read_gnn_benchmark},
     "CitationFull, Coauthor, Amazon: .npz with adj_*, attr_*, labels"},
    {"musae-npz",
     {detect_musae_npz, read_musae_npz},
     "PyG's Facebook and GitHub: .npz with edges, features, target"},
    {"reddit", {detect_reddit, read_reddit}, "reddit_data.npz and reddit_graph.npz"},
    {"heterophilous",
     {detect_heterophilous, read_heterophilous},
     ".npz with node_features, node_labels, edges, masks"},
    {"graphsaint",
     {detect_graphsaint, read_graphsaint},
     "Flickr, Yelp: adj_full.npz, feats.npy, class_map.json, role.json"},
    {"ogb", {detect_ogb, read_ogb}, "ogbn-*: raw folder of csv.gz tables, and split/"},
    {"geom-gcn", {detect_geom_gcn, read_geom_gcn}, "Actor: out1_*.txt and *_split_*.npz"},
    {"musae",
     {detect_musae, read_musae},
     "Facebook, GitHub: csv of edges and targets, json of features"},
    {"wikics", {detect_wikics, read_wikics}, "WikiCS: data.json"},
    {"edge-list",
     {detect_edge_list, read_edge_list},
     "csv or tsv of edges, with features, labels and splits beside it"},
};

bool starts_like_zip(const fs::path& path) {
  char bytes[2] = {};
  std::ifstream(path, std::ios::binary).read(bytes, 2);
  return bytes[0] == 'P' && bytes[1] == 'K';
}

bool has_file(const fs::path& folder, std::string_view name) {
  std::error_code ignored;
  return fs::exists(folder / name, ignored);
}

// Folders that a user may mean by `path`, the likeliest first.
std::vector<fs::path> candidate_folders(const fs::path& path,
                                        std::initializer_list<std::string_view> files) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return {path, path / "raw"};
  if (std::find(files.begin(), files.end(), path.filename().string()) == files.end()) return {};
  return {path.has_parent_path() ? path.parent_path() : fs::path(".")};
}

}  // namespace

std::span<const Named<Reader>> readers() { return kReaders; }

const Named<Reader>& detect_reader(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    fail_data(path.string(), "no such file or folder",
              "check the path, or see `graphsurgeon data list` for known names");
  }
  if (error) fail_data(path.string(), error.message(), "check the path and its permissions");
  for (const auto& reader : readers()) {
    if (reader.value.detect(path)) return reader;
  }
  std::string found;
  if (fs::is_regular_file(status)) {
    if (MappedFile(path).bytes().empty()) {
      fail_data(path.string(), "the file is empty", "download or write it again");
    }
    if (starts_like_zip(path))
      found = fmt::format(" in its members {}", fmt::join(Npz(path).names(), ", "));
  }
  fail_data(path.string(), fmt::format("no known format is recognized{}", printable(found, 200)),
            fmt::format("name the format with --format: {}", fmt::join(names(readers()), ", ")));
}

RawDataset read_raw(RawDataset (*reader)(const ReadRequest&), const ReadRequest& request) {
  try {
    return reader(request);
  } catch (const fs::filesystem_error& error) {
    const fs::path& path = error.path1().empty() ? request.path : error.path1();
    fail_data(path.string(), error.code().message(), "check the path and its permissions");
  }
}

std::optional<fs::path> folder_with(const fs::path& path,
                                    std::initializer_list<std::string_view> files) {
  for (const fs::path& folder : candidate_folders(path, files)) {
    if (std::all_of(files.begin(), files.end(), [&](auto name) { return has_file(folder, name); }))
      return folder;
  }
  return {};
}

fs::path require_folder(const fs::path& path, std::initializer_list<std::string_view> files) {
  if (auto folder = folder_with(path, files)) return *folder;
  const std::string hint = fmt::format("give the folder that has {}", fmt::join(files, ", "));
  for (const fs::path& folder : candidate_folders(path, files)) {
    for (const std::string_view name : files) {
      // A folder that has some of them: name the one it lacks.
      const bool has_some = std::any_of(files.begin(), files.end(),
                                        [&](auto other) { return has_file(folder, other); });
      if (has_some && !has_file(folder, name))
        fail_data((folder / name).string(), "no such file", hint);
    }
  }
  std::error_code ignored;
  fail_data(path.string(),
            fs::exists(path, ignored) ? "not the files of this format" : "no such file or folder",
            hint);
}

std::string dataset_name(const fs::path& path) {
  std::error_code ignored;
  fs::path full = fs::absolute(path, ignored).lexically_normal();
  if (!full.has_filename()) full = full.parent_path();  // a trailing slash
  if (full.filename() == "raw") full = full.parent_path();
  return (fs::is_directory(full, ignored) ? full.filename() : full.stem()).string();
}

}  // namespace gs
