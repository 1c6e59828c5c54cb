#include "run/nearest.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "base/registry.h"
#include "base/text.h"

namespace gs {

namespace {

constexpr size_t kMostCandidates = 100'000;  // suggestions search at most so many ids

bool nearer(const Neighbor& a, const Neighbor& b) {
  return a.cosine != b.cosine ? a.cosine > b.cosine : a.node < b.node;
}

}  // namespace

std::string id_of(const Dataset& data, int64_t node) {
  return data.node_ids.empty() ? std::to_string(node) : data.node_ids[static_cast<size_t>(node)];
}

int64_t node_of(const Dataset& data, const std::string& id) {
  const auto found = std::find(data.node_ids.begin(), data.node_ids.end(), id);
  if (found != data.node_ids.end()) return found - data.node_ids.begin();
  const bool numbered = id.starts_with("#");
  if (numbered || data.node_ids.empty()) {
    const auto node = parse_integer(std::string_view(id).substr(numbered ? 1 : 0));
    if (node && *node >= 0 && *node < data.nodes()) return *node;
    fail_usage("--nearest", fmt::format("'{}' is not a node", printable(id)),
               fmt::format("nodes are 0 to {}", data.nodes() - 1));
  }
  std::string message = fmt::format("no node has the id '{}'", printable(id));
  const std::string near =
      nearest(id, std::span(data.node_ids).first(std::min(data.node_ids.size(), kMostCandidates)));
  if (!near.empty()) message += fmt::format("; did you mean '{}'?", printable(near));
  fail_usage(
      "--nearest", message,
      fmt::format("ids are those of the input file; node numbers are #0 to #{}", data.nodes() - 1));
}

std::vector<Neighbor> nearest_nodes(const at::Tensor& z, int64_t node, int64_t k, int64_t block) {
  const auto norms = [](const at::Tensor& rows) { return rows.norm(2, {1}).clamp_min(1e-12); };
  const int64_t nodes = z.size(0);
  const at::Tensor target = z[node] / norms(z.narrow(0, node, 1));
  const int64_t step = std::max<int64_t>(1, block / std::max<int64_t>(1, z.size(1)));
  std::vector<Neighbor> best;
  for (int64_t begin = 0; begin < nodes; begin += step) {
    const int64_t rows = std::min(step, nodes - begin);
    const at::Tensor part = z.narrow(0, begin, rows);
    const at::Tensor cosine = (at::mv(part, target) / norms(part)).contiguous();
    const float* values = cosine.const_data_ptr<float>();
    for (int64_t i = 0; i < rows; ++i)
      if (begin + i != node && std::isfinite(values[i])) best.push_back({begin + i, values[i]});
    const auto kept = best.begin() + std::min<int64_t>(k, std::ssize(best));
    std::partial_sort(best.begin(), kept, best.end(), nearer);
    best.erase(kept, best.end());
  }
  return best;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

void write_neighbors(const std::filesystem::path& path, const Dataset& data,
                     const std::vector<Neighbor>& neighbors) {
  std::string text = "id,node,cosine\n";
  for (const Neighbor& n : neighbors)
    text += fmt::format("{},{},{}\n", csv_field(id_of(data, n.node)), n.node,
                        static_cast<float>(n.cosine));
  write_file(path, text);
}

}  // namespace gs
