// File names and codes of our own dataset folder, shared by its reader and its writer;
// docs/formats.md explains them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace gs {

inline constexpr std::string_view kFolderFormat = "graphsurgeon-dataset";
inline constexpr int64_t kFolderVersion = 1;

inline constexpr std::string_view kDatasetFile = "dataset.json", kOffsetsFile = "offsets.npy",
                                  kNeighborsFile = "neighbors.npy", kWeightsFile = "weights.npy",
                                  kFeaturesFile = "features.npy",
                                  kFeatureOffsetsFile = "feature_offsets.npy",
                                  kFeatureIndicesFile = "feature_indices.npy",
                                  kFeatureValuesFile = "feature_values.npy",
                                  kLabelsFile = "labels.npy", kSplitsFile = "splits.npy",
                                  kNodeIdsFile = "node_ids.txt",
                                  kFeatureNamesFile = "feature_names.txt",
                                  kClassNamesFile = "class_names.txt", kRecipeFile = "recipe.json";

inline constexpr uint8_t kTrainCode = 1, kValCode = 2, kTestCode = 3;  // 0: in none of the three

// One name per line: a backslash, line feed or carriage return is written as \\, \n or \r.
std::string escape_name(std::string_view name);

// Whether a dataset folder may have a file of that name.
bool is_dataset_file(const std::string& name);
// Whether `path` is `folder` or lies in it.
bool lies_in(const std::filesystem::path& folder, const std::filesystem::path& path);

}  // namespace gs
