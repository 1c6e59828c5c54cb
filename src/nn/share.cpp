#include "nn/share.h"

namespace gs {

Array<int64_t> Share::numbers() const {
  if (!shard) return {};
  return {std::make_shared<Array<int64_t>>(shard->old_ids), shard->old_ids.slice(0, own())};
}

}  // namespace gs
