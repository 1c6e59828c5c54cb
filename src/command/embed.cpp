#include "command/embed.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/text.h"
#include "command/session.h"
#include "run/embed.h"
#include "run/embedded.h"
#include "run/nearest.h"

namespace gs {

namespace {

// One line per node: its id and its values, separated by `separator`, after a first line `head`.
void write_lines(const std::filesystem::path& path, const at::Tensor& z, const std::string& head,
                 char separator, const std::function<std::string(int64_t)>& id) {
  AtomicFile file(path);
  file.write(head + "\n");
  const float* values = z.const_data_ptr<float>();
  for (int64_t v = 0; v < z.size(0); ++v) {
    std::string line = id(v);
    for (int64_t c = 0; c < z.size(1); ++c)
      fmt::format_to(std::back_inserter(line), "{}{}", separator, values[v * z.size(1) + c]);
    file.write(line + "\n");
  }
  file.commit();
}

void write_csv(const std::filesystem::path& path, const at::Tensor& z, const Dataset& data) {
  std::string head = "id";
  for (int64_t c = 0; c < z.size(1); ++c) head += fmt::format(",z{}", c);
  write_lines(path, z, head, ',', [&](int64_t v) { return csv_field(id_of(data, v)); });
}

// The text format of word2vec, which has no quotes: spaces in an id become underscores.
void write_word2vec(const std::filesystem::path& path, const at::Tensor& z, const Dataset& data) {
  write_lines(path, z, fmt::format("{} {}", z.size(0), z.size(1)), ' ', [&](int64_t v) {
    std::string id = id_of(data, v);
    std::ranges::replace_if(
        id, [](unsigned char c) { return c <= ' '; }, '_');
    return id;
  });
}

bool is_npy(const std::filesystem::path& path) { return path.extension() == ".npy"; }

// The file of the node ids beside an .npy of embeddings: Z.ids.txt.
std::filesystem::path ids_file(std::filesystem::path embeddings) {
  return embeddings.replace_extension(".ids.txt");
}

void check_request(const EmbedRequest& request) {
  const bool writes = !request.output.empty(), lists = !request.nearest.empty();
  if (!writes && !lists)
    fail_usage("embed", "nothing to do: no output was given", "pass -o Z.npy, or --nearest NODE");
  const std::string suffix = request.output.extension().string();
  if (writes && lists && suffix != ".csv")
    fail_usage("--output", "a list of nearest nodes is written as .csv",
               "name it NEAR.csv; leave out --nearest to write embeddings");
  if (writes && suffix != ".npy" && suffix != ".csv" && suffix != ".txt")
    fail_usage("--output",
               suffix.empty()
                   ? fmt::format("'{}' has no suffix", printable(request.output.string()))
                   : fmt::format("cannot write '{}' files", printable(suffix)),
               "use .npy, .csv (with a header) or .txt (word2vec)");
  if (writes) check_output(request.output, request.overwrite);
}

// Checks what would otherwise fail only after the long work.
void check_before(const EmbedRequest& request, const Dataset& data) {
  if (!request.nearest.empty()) node_of(data, request.nearest);
  else if (is_npy(request.output) && !data.node_ids.empty())
    check_output(ids_file(request.output), request.overwrite);
}

Embedded embedded(const EmbedRequest& request, Progress& progress) {
  if (request.run.extension() != ".npy")
    return embedded_by_run(
        request.run, request, progress,
        [&](const RunInfo&, const Dataset& data) { check_before(request, data); });
  if (request.nearest.empty())
    fail_usage("embed",
               fmt::format("'{}' already holds embeddings", printable(request.run.string())),
               "name a run folder, or ask for neighbors with --nearest NODE");
  Embedded out;
  out.data = load_dataset(request.data, request.load, progress);
  out.z = load_embeddings(request.run, out.data.nodes());
  return out;
}

}  // namespace

EmbedResult run(const EmbedRequest& request, Progress& progress) {
  check_request(request);
  const Session session(request.threads);
  const auto [data, z] = embedded(request, progress);
  EmbedResult result{z.size(0), z.size(1), request.output.string(), "", request.nearest, {}};
  if (!request.nearest.empty()) {
    const auto found = nearest_nodes(z, node_of(data, request.nearest), request.k);
    if (!request.output.empty()) write_neighbors(request.output, data, found);
    for (const Neighbor& n : found)
      result.neighbors.push_back({id_of(data, n.node), n.node, n.cosine});
  } else if (request.output.extension() == ".csv") {
    write_csv(request.output, z, data);
  } else if (!is_npy(request.output)) {
    write_word2vec(request.output, z, data);
  } else {
    const int64_t shape[] = {z.size(0), z.size(1)};
    save_npy<float>(request.output, floats(z), shape);
    if (!data.node_ids.empty()) {
      result.ids = ids_file(request.output).string();
      write_file(result.ids, fmt::format("{}\n", fmt::join(data.node_ids, "\n")));
    }
  }
  return result;
}

nlohmann::json to_json(const EmbedResult& result) {
  nlohmann::json out{{"nodes", result.nodes}, {"width", result.width}};
  if (!result.output.empty()) out["output"] = result.output;
  if (!result.ids.empty()) out["ids"] = result.ids;
  if (result.nearest.empty()) return out;
  out["nearest"] = result.nearest;
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& n : result.neighbors)
    rows.push_back({{"id", n.id}, {"node", n.node}, {"cosine", n.cosine}});
  out["neighbors"] = rows;
  return out;
}

std::string to_text(const EmbedResult& result) {
  if (result.nearest.empty())
    return fmt::format("wrote {}: {} nodes x {}{}\n", result.output, result.nodes, result.width,
                       result.ids.empty() ? "" : fmt::format("; node ids: {}", result.ids));
  std::string text = fmt::format("nearest to {}:\n", result.nearest);
  for (const auto& n : result.neighbors)
    text += fmt::format("  {:<20} cosine {:.4f}\n", printable(n.id), n.cosine);
  return text;
}

DenseMatrix embed_with(const std::filesystem::path& run, const MakeDataset& make, int threads,
                       Progress& progress) {
  const Session session(threads);
  const LoadedModel loaded = load_model(run, make_device("cpu"));
  const Dataset data = make(loaded.info.options.load);
  const at::Tensor z = embed(loaded, data, data.name, {}, progress);
  return {z.size(0), z.size(1), Array<float>(std::make_shared<at::Tensor>(z), floats(z))};
}

}  // namespace gs
