#include "command/nearest.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/text.h"
#include "run/nearest.h"
#include "run/record.h"

namespace gs {

namespace {

// One id per line; none if there is no such file.
std::vector<std::string> read_ids(const std::filesystem::path& path, int64_t nodes) {
  std::vector<std::string> out;
  if (!std::filesystem::exists(path)) return out;
  const TextFile file(path);
  std::string_view rest = file.text();
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    out.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (std::ssize(out) != nodes)
    fail_data(path.string(), fmt::format("has {} ids for {} embeddings", out.size(), nodes),
              "write both again with 'graphsurgeon embed'");
  return out;
}

}  // namespace

NearestResult run(const NearestRequest& request) {
  if (!request.output.empty()) {
    if (request.output.extension() != ".csv")
      fail_usage("--output", "a list of nearest nodes is written as .csv", "name it NEAR.csv");
    check_output(request.output, request.overwrite);
  }
  const bool file = request.source.extension() == ".npy";
  const RunFolder folder(request.source);
  if (!file) check_finished(folder);
  std::filesystem::path ids = request.source;
  const NpyArray array = load_npy(file ? request.source : folder.embeddings());
  array.require_dims(2);
  const DenseMatrix z{array.rows(), array.shape[1], array.as<float>()};
  if (z.rows < 1 || z.columns < 1)
    fail_data(array.where, "holds no embeddings", "write them again");
  const std::vector<std::string> names =
      read_ids(file ? ids.replace_extension(".ids.txt") : folder.ids(), z.rows);
  const auto found = nearest_nodes(z, node_of(names, z.rows, request.node, "NODE"), request.k);
  if (!request.output.empty()) write_neighbors(request.output, names, found);
  NearestResult out{request.node, {}, request.output.string()};
  for (const Neighbor& n : found) out.neighbors.push_back({id_of(names, n.node), n.node, n.cosine});
  return out;
}

nlohmann::json to_json(const NearestResult& result) {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& n : result.neighbors)
    rows.push_back({{"id", n.id}, {"node", n.node}, {"cosine", n.cosine}});
  nlohmann::json out{{"nearest", result.node}, {"neighbors", rows}};
  if (!result.output.empty()) out["output"] = result.output;
  return out;
}

std::string to_text(const NearestResult& result) {
  std::string text =
      fmt::format("nearest to {} (1: same direction, 0: unrelated):\n", printable(result.node));
  for (const auto& n : result.neighbors)
    text += fmt::format("  {:<20} {:7.4f}\n", printable(n.id), n.cosine);
  if (!result.output.empty()) text += fmt::format("wrote {}\n", result.output);
  return text;
}

}  // namespace gs
