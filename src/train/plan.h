// Estimates the memory of a training before it begins, so that it is refused with a hint instead of
// running out of memory, and so that `--loader auto` can choose.
#pragma once

#include <string>

#include "dataset/dataset.h"
#include "options/run.h"

namespace gs {

struct Plan {
  std::string loader = "full";   // never auto
  int64_t nodes = 0, edges = 0;  // size of the graph
  int64_t batch_nodes = 0;       // nodes that one batch computes on, at most or about
  double batch_mib = 0;          // memory of one step
  double total_mib = 0;          // memory of the whole training, without mapped files
  double limit_mib = 0;          // --memory, or the free memory

  std::string text() const;  // one line for the user
};

// `loader`: the loader to plan for instead of the options' own, for a resumed run. Data Error at
// `where`, with a hint at options that would fit, if the training does not.
Plan make_plan(const Dataset& data, const RunOptions& options, const std::string& loader,
               const std::string& where);

}  // namespace gs
