// A dataset ready for training: one graph, features of its nodes (sparse or dense), labels and
// splits if there are any, and the names in the user's files. Every array may be a view of a mapped
// file.
//
// Thread safety: read-only once loaded; any number of threads may read it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/array.h"
#include "dataset/feature_treatment.h"
#include "graph/csr.h"

namespace gs {

enum class Task { none, binary, multiclass, multilabel };
std::string_view task_name(Task task);  // "none", "bc", "mcc", "mlc"

struct Labels {
  Task task = Task::none;
  int64_t classes = 0;
  Array<int32_t> single;  // N class ids, -1 where unknown (binary and multiclass)
  Array<uint8_t> multi;   // N x C of 0 and 1; a row of kUnknown where unknown (multilabel)
  static constexpr uint8_t kUnknown = 255;

  // More classes than this are a mistake, since tables are made per class.
  static int64_t most_classes(int64_t nodes) { return nodes > 65536 ? nodes : 65536; }

  bool known(int64_t node) const;
  int64_t known_count() const;
};

// Ascending node ids, disjoint; unlabeled nodes are in none.
struct Split {
  std::vector<int32_t> train, val, test;
};

struct Dataset {
  std::string name;    // the catalog's name when recognized, else from the file
  std::string format;  // name of the reader
  Csr graph;
  Features features;
  Labels labels;
  std::vector<Split> splits;          // the data's own; empty when it has none
  std::vector<std::string> node_ids;  // the original ids; empty when they are 0..N-1
  std::vector<std::string> feature_names, class_names;  // may be empty
  int64_t raw_edges = 0;                                // rows in the file, before treatment
  BuildCounts dropped;
  std::string treatment;  // "symmetrized, loops dropped, features binarized"
  FeatureTreatment feature_treatment;
  // Why the features are treated so, if their values decided it: "features are counts, made binary"
  std::string treatment_reason;
  // What a user should know, e.g. that a count is not the catalog's.
  std::vector<std::string> notes;

  int64_t nodes() const { return graph.nodes(); }
};

}  // namespace gs
