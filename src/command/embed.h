// The command `embed`: embeds a graph, or some of its nodes, with a run's model.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/progress.h"
#include "dataset/load.h"

namespace gs {

struct EmbedRequest {
  std::filesystem::path run;
  std::filesystem::path output;  // .npy, .csv or .txt
  std::string data;
  LoadOptions load;
  std::set<std::string> given = {};  // names of the options of `load` that the user set
  bool overwrite = false;
  int64_t memory_mib = 8192;
  // A file that lists the nodes to embed (dataset/node_list.h), in the order of the rows; empty:
  // all nodes.
  std::filesystem::path nodes = {};
  std::string device = "cpu";
  int threads = 0;
  std::string group = {};  // as a TrainRequest's
};

struct EmbedResult {
  int64_t nodes = 0, width = 0;
  std::string output, ids;  // files that were written, or empty
};

EmbedResult run(const EmbedRequest& request, Progress& progress);
nlohmann::json to_json(const EmbedResult& result);
std::string to_text(const EmbedResult& result);

// Makes a dataset, given how it is to be treated.
using MakeDataset = std::function<Dataset(const LoadOptions& options)>;

// Embeds the dataset of `make` with a run's model, treated as the run's own data was. `name`: the
// data as typed, or empty if it comes from memory. `nodes`: as text the ids of the nodes to embed,
// in the order of the rows; nullopt: all. Data Error if the number of features differs.
DenseMatrix embed_with(const std::filesystem::path& run, const std::string& name,
                       const MakeDataset& make,
                       const std::optional<std::vector<std::string>>& nodes, int threads,
                       Progress& progress = no_progress());

}  // namespace gs
