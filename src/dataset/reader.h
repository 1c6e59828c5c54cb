// A reader turns one original file format into a RawDataset. prepare() does the rest for every
// format: checks, building the graph, the catalog's treatment, the user's overrides. So a reader is
// one file that recognizes content, parses bytes, and records where each part came from. Readers
// trust no input.
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
  BuildCounts dropped;    // entries dropped before a built graph was written
  Features features;
  bool has_features = false;
  // Set where features are still being inflated on another thread: prepare() builds the graph
  // meanwhile. `features_width` is known already.
  std::function<Features()> features_later;
  int64_t features_width = 0;
  Labels labels;
  std::vector<Split> splits;
  std::vector<std::string> node_ids, feature_names, class_names;
  std::string treatment;  // kept by our own format: what was done before it was written
  std::string recipe;     // FeatureTreatment::recipe

  // The convention of this format (that of PyG's datasets); the catalog and the user may override.
  bool symmetrize = false;
  SelfLoops self_loops = SelfLoops::keep;

  // For messages: the file (or file[member]) of each part, and the place of edge i
  // ("edges.csv:17"), feature row i...
  std::string edges_where, features_where, labels_where, splits_where;
  std::function<std::string(int64_t)> edge_place;  // may be empty: then "WHERE, edge I"

  // Number of feature columns, read or not.
  int64_t width() const {
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
  // --features-file, --labels-file, --splits-file (edge lists only).
  fs::path features, labels, splits;
  Progress* progress = &no_progress();
};

struct Reader {
  bool (*detect)(const fs::path& path);  // looks at names and first bytes only; never throws
  RawDataset (*read)(const ReadRequest& request);
};

// In order of detection.
std::span<const Named<Reader>> readers();
// Data Error that lists the formats when none fits.
const Named<Reader>& detect_reader(const fs::path& path);

// Runs a reader. A system error on the way (no permission to list a folder, a link that leads to
// itself) becomes a data Error at that path, whichever reader met it.
RawDataset read_raw(RawDataset (*reader)(const ReadRequest&), const ReadRequest& request);

}  // namespace gs
