#include "dataset/renumber.h"

#include <algorithm>
#include <numeric>

#include "dataset/gather.h"
#include "graph/partition.h"
#include "graph/reorder.h"

namespace gs {

namespace {

Labels renumber(const Labels& labels, std::span<const int32_t> order) {
  Labels out = labels;
  if (!labels.single.empty()) {
    std::vector<int32_t> single;
    for (const int32_t node : order) single.push_back(labels.single[node]);
    out.single = std::move(single);
  }
  if (!labels.multi.empty()) {
    std::vector<uint8_t> multi;
    multi.reserve(static_cast<size_t>(labels.multi.size()));
    for (const int32_t node : order) {
      const auto row = labels.multi.slice(node * labels.classes, (node + 1) * labels.classes);
      multi.insert(multi.end(), row.begin(), row.end());
    }
    out.multi = std::move(multi);
  }
  return out;
}

}  // namespace

std::vector<int32_t> node_order(const Csr& graph, Reorder rule) {
  switch (rule) {
    case Reorder::metis:
      return order_by_part(partition(graph, usual_parts(graph.nodes()), /*seed=*/0));
    case Reorder::degree:
      return order_by_degree(graph);
    case Reorder::bfs:
      return order_by_bfs(graph);
    case Reorder::none:
      break;
  }
  std::vector<int32_t> same(static_cast<size_t>(graph.nodes()));
  std::iota(same.begin(), same.end(), 0);
  return same;
}

Dataset renumber(const Dataset& data, std::span<const int32_t> order) {
  const std::vector<int32_t> place = inverse_order(order);
  Dataset out = data;
  out.graph = reorder(data.graph, order);
  out.features = gather(data.features, order);
  out.labels = renumber(data.labels, order);
  for (Split& split : out.splits)
    for (auto* nodes : {&split.train, &split.val, &split.test}) {
      for (int32_t& node : *nodes) node = place[static_cast<size_t>(node)];
      std::sort(nodes->begin(), nodes->end());
    }
  out.node_ids.clear();
  for (const int32_t node : order)
    out.node_ids.push_back(data.node_ids.empty() ? std::to_string(node)
                                                 : data.node_ids[static_cast<size_t>(node)]);
  return out;
}

}  // namespace gs
