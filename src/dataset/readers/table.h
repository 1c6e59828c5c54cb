// Every reader, one line each: `detect_NAME` says whether a path holds the format (it never
// throws), `read_NAME` reads it. table.cpp lists them in order of detection. Below is what several
// of them need about paths.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "dataset/reader.h"

namespace gs {

bool detect_gnn_benchmark(const fs::path& path);
RawDataset read_gnn_benchmark(const ReadRequest& request);
bool detect_musae_npz(const fs::path& path);
RawDataset read_musae_npz(const ReadRequest& request);
bool detect_reddit(const fs::path& path);
RawDataset read_reddit(const ReadRequest& request);
bool detect_heterophilous(const fs::path& path);
RawDataset read_heterophilous(const ReadRequest& request);
bool detect_graphsaint(const fs::path& path);
RawDataset read_graphsaint(const ReadRequest& request);
bool detect_ogb(const fs::path& path);
RawDataset read_ogb(const ReadRequest& request);
bool detect_geom_gcn(const fs::path& path);
RawDataset read_geom_gcn(const ReadRequest& request);
bool detect_musae(const fs::path& path);
RawDataset read_musae(const ReadRequest& request);
bool detect_wikics(const fs::path& path);
RawDataset read_wikics(const ReadRequest& request);
bool detect_edge_list(const fs::path& path);
RawDataset read_edge_list(const ReadRequest& request);

// The folder that has all of `files`: `path` itself, `path`/raw, or the folder of `path` when that
// is one of them.
std::optional<fs::path> folder_with(const fs::path& path,
                                    std::initializer_list<std::string_view> files);
// The same, for reading: data Error that names the missing file and lists what belongs there.
fs::path require_folder(const fs::path& path, std::initializer_list<std::string_view> files);

// "photo" for .../photo.npz, .../photo and .../photo/raw.
std::string dataset_name(const fs::path& path);

}  // namespace gs
