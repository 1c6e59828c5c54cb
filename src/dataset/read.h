// Runs a reader. What the system says of a path on the way (no permission to list a folder, a link
// that leads to itself) becomes a data Error at that path, whichever reader met it.
#pragma once

#include "dataset/reader.h"

namespace gs {

RawDataset read_raw(RawDataset (*reader)(const ReadRequest&), const ReadRequest& request);

}  // namespace gs
