#include "loader/order.h"

#include <numeric>

namespace gs {

std::span<const int32_t> epoch_order(const Random& random, int64_t epoch, int64_t count,
                                     LoaderWorkspace& workspace) {
  Random stream = random.fork("epoch", epoch);
  std::vector<int32_t>& order = workspace.order;
  if (static_cast<int64_t>(order.size()) != count || workspace.order_key != stream.key()) {
    workspace.order_key = stream.key();
    order.resize(static_cast<size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    stream.shuffle(std::span(order));
  }
  return order;
}

}  // namespace gs
