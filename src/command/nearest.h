// The command `nearest`: the nodes whose embeddings are nearest to one node's. Needs the run's
// embeddings only: neither the data, nor the model, nor libtorch.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace gs {

struct NearestRequest {
  std::filesystem::path source;  // a run folder, or an .npy of embeddings with its NAME.ids.txt
  std::string node;              // its original id, or its number as "#57"
  int64_t k = 10;
  std::filesystem::path output = {};  // a .csv to write, or empty
  bool overwrite = false;
};

struct NearestResult {
  struct Neighbor {
    std::string id;
    int64_t node = 0;
    double cosine = 0;  // about the mean of all embeddings
  };
  std::string node;
  std::vector<Neighbor> neighbors;  // the nearest first
  std::string output;
};

NearestResult run(const NearestRequest& request);
nlohmann::json to_json(const NearestResult& result);
std::string to_text(const NearestResult& result);

}  // namespace gs
