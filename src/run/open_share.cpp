#include "run/open_share.h"

#include "base/error.h"

namespace gs {

OpenShare::OpenShare(const std::string& folder, const LoadOptions& load, const Ranks& ranks) {
  ranks.together([&] {
    LoadOptions now = load, plain;
    plain.data_root = now.data_root;
    if (describe(now).json() != describe(plain).json())
      fail_usage(folder, "was treated when it was sharded",
                 "leave out the options of the data, or shard it again with them");
    index_ = read_shard_index(folder);
    if (index_.size() < ranks.size())
      fail_usage(folder, fmt::format("has {} shards for {} ranks", index_.size(), ranks.size()),
                 "start fewer ranks, or shard it again with more --shards");
    const Share shares(index_, shard_, ranks);
    shard_ = open_shards(index_, shares.begin(ranks.rank()), shares.begin(ranks.rank() + 1));
    share_.emplace(index_, shard_, ranks);
  });
}

}  // namespace gs
