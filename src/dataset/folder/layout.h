// File names and codes of our own dataset folder, shared by its reader and its writer;
// docs/formats.md explains them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

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

// A folder that we write, and may replace when nothing else is in it.
struct OwnFolder {
  std::string_view manifest, format;  // the file that describes it, and the "format" in there
  std::string_view kind, writers;     // for messages: "dataset folder", "'data convert'"
  // The name of what is not ours in an entry of the folder; empty if all is.
  std::string (*foreign)(const std::filesystem::directory_entry& entry);
};

// Data Error unless `target` is free, or `overwrite` and it is such a folder, without other files
// and without any of `inputs`.
void check_own_output(const OwnFolder& own, const std::filesystem::path& target, bool overwrite,
                      const std::vector<std::filesystem::path>& inputs);

// Runs `write`, which fills the folder `temporary`. Its Errors name the target instead: that is
// what the user knows.
void naming_target(const std::filesystem::path& temporary, const std::filesystem::path& target,
                   const std::function<void()>& write);

// Whether a dataset folder may have a file of that name.
bool is_dataset_file(const std::string& name);

}  // namespace gs
