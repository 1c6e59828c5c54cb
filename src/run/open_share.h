// The shards of a sharded folder that one rank works on, opened.
#pragma once

#include <optional>

#include "dataset/load.h"
#include "nn/share.h"

namespace gs {

class OpenShare {
 public:
  // Collective. Usage Error for options of the data that differ from the defaults, since the data
  // was treated when it was sharded, and for more ranks than shards; data Error as
  // read_shard_index().
  OpenShare(const std::string& folder, const LoadOptions& load, const Ranks& ranks);

  const Share& share() const { return *share_; }

 private:
  ShardIndex index_;
  Shard shard_;
  std::optional<Share> share_;
};

}  // namespace gs
