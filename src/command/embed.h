// The command `embed`: embeds a graph with a run's model, or lists the nodes nearest to one node.
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
  std::filesystem::path run;     // a run folder, or an .npy of embeddings with `nearest`
  std::filesystem::path output;  // .npy or .csv; may be empty with `nearest`
  std::string data;
  LoadOptions load;
  std::set<std::string> given = {};  // names of the options of `load` that the user set
  bool overwrite = false;
  int64_t memory_mib = 8192;
  // A node's original id, or its number as "#57". If given, its `k` nearest nodes are returned, and
  // `output` is a .csv of them.
  std::string nearest;
  int64_t k = 10;
  std::string device = "cpu";
  int threads = 0;
};

struct EmbedResult {
  struct Neighbor {
    std::string id;
    int64_t node = 0;
    double cosine = 0;
  };
  int64_t nodes = 0, width = 0;
  std::string output, ids;  // files that were written, or empty
  std::string nearest;      // as asked for
  std::vector<Neighbor> neighbors;
};

EmbedResult run(const EmbedRequest& request, Progress& progress);
nlohmann::json to_json(const EmbedResult& result);
std::string to_text(const EmbedResult& result);

// Makes a dataset, given how it is to be treated.
using MakeDataset = std::function<Dataset(const LoadOptions& options)>;

// Embeds the dataset of `make` with a run's model, treated as the run's own data was. Data Error if
// the number of features differs.
DenseMatrix embed_with(const std::filesystem::path& run, const MakeDataset& make, int threads,
                       Progress& progress = no_progress());

}  // namespace gs
