// What needs no training, to hold the scores of an embedding against: the raw features, two-hop
// smoothed and diffused ones, and an untrained encoder.
#pragma once

#include <functional>
#include <string>

#include "nn/features.h"
#include "run/model.h"

namespace gs {

struct ReferenceSetting {
  const Dataset& data;
  RunInfo info = {};  // of the run that is scored; as it is for embeddings in a file
  Device device;      // of the untrained encoder
  int64_t memory = 0;
  bool untrained = true;  // include the untrained encoder
};

// The references by key and as a row of text names them, in order.
struct ReferenceTitle {
  const char *key, *title;
};
inline constexpr ReferenceTitle kReferences[] = {{"raw", "raw features"},
                                                 {"smoothed", "two-hop smoothed"},
                                                 {"diffused", "diffused"},
                                                 {"untrained", "untrained encoder"}};

// One reference after another, on the CPU; none for data without features.
using VisitReference = std::function<void(const std::string& key, const Input& x)>;
void visit_references(const ReferenceSetting& setting, const VisitReference& visit,
                      Progress& progress);

// The row of what is scored: "trained", "solved", or "embeddings" without a run.
std::string own_title(const RunInfo* info);

}  // namespace gs
