// What a training will take, estimated before it begins, so that it is refused with a hint instead
// of dying, and so that `--loader auto` can choose.
#pragma once

#include <string>

#include "config/run_options.h"
#include "dataset/dataset.h"

namespace gs {

struct Plan {
  LoaderKind loader = LoaderKind::full;  // never automatic
  int64_t nodes = 0, edges = 0;          // of the graph
  int64_t batch_nodes = 0;               // that one batch computes on, at most or about
  double batch_mib = 0;                  // that one step takes
  double total_mib = 0;                  // with what is kept beside it; mapped files not counted
  double limit_mib = 0;                  // --memory, or what is free

  std::string text() const;  // one line for people
};

// `loader`: what to plan for in place of the options' own (a run that is resumed knows). Data Error
// at `where`, with the hint what would fit, when nothing does.
Plan make_plan(const Dataset& data, const RunOptions& options, LoaderKind loader,
               const std::string& where);

}  // namespace gs
