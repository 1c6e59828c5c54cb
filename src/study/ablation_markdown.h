// An ablation as markdown: what it says, and its figures in tables, a column a dataset.
#pragma once

#include <string>

#include "study/ablations.h"

namespace gs {

std::string markdown(const AblationResult& result);

}  // namespace gs
