// A reader turns one original file format into a RawDataset; prepare() then does to every format
// alike what remains: checks, building the graph, the catalog's treatment, the user's overrides. So
// a reader is one file: recognise content, parse bytes, and say where each part came from. Readers
// never trust a byte.
//
// To add one: write readers/NAME.cpp with `bool detect_NAME(const fs::path&)` and `RawDataset
// read_NAME(const ReadRequest&)`, declare them and add a row to the table in readers/table.cpp.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/registry.h"
#include "dataset/dataset.h"

namespace gs {

namespace fs = std::filesystem;

// What a file holds, before treatment.
struct RawDataset {
  std::string name;  // from the file's name
  int64_t nodes = 0;
  EdgeList edges;  // unless `graph` is already built (our own format)
  Csr graph;
  int64_t raw_edges = 0;  // rows in the file; 0: edges.size()
  BuildCounts dropped;    // before it was written, of a graph that is already built
  Features features;
  bool has_features = false;
  // Set where features are still being inflated on another thread: prepare() builds the graph
  // meanwhile. `features_width` is known already.
  std::function<Features()> features_later;
  int64_t features_width = 0;
  Labels labels;
  std::vector<Split> splits;
  std::vector<std::string> node_ids, feature_names, class_names;
  std::string treatment;  // our own format remembers what was done before it was written

  // What this format's users do to it by convention (PyG's datasets); the catalog and the user may
  // override.
  bool symmetrize = false;
  SelfLoops self_loops = SelfLoops::keep;

  // For messages: the file (or file[member]) of each part, and the place of edge i
  // ("edges.csv:17"), feature row i...
  std::string edges_where, features_where, labels_where, splits_where;
  std::function<std::string(int64_t)> edge_place;  // may be empty: then "WHERE, edge I"

  int64_t width() const {  // of the features, read or not
    if (!has_features) return 0;
    return features_later ? features_width : features.width();
  }
  void wait_for_features() {
    if (features_later) features = std::exchange(features_later, nullptr)();
  }
};

// Files that an edge list may come with; empty ones are looked for beside it, if it is a folder or
// named edges.*.
struct ReadRequest {
  fs::path path;
  fs::path features, labels,
      splits;  // --features-file, --labels-file, --splits-file (edge lists only)
  Progress* progress = &no_progress();
};

struct Reader {
  bool (*detect)(const fs::path& path);  // looks at names and first bytes only; never throws
  RawDataset (*read)(const ReadRequest& request);
};

std::span<const Named<Reader>> readers();  // in order of detection
const Named<Reader>& detect_reader(
    const fs::path& path);  // data Error that lists the formats when none fits

}  // namespace gs
