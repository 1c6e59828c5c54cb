#include "command/embed.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/text.h"
#include "command/session.h"
#include "dataset/node_list.h"
#include "run/embed.h"
#include "run/embedded.h"
#include "run/nearest.h"
#include "run/neighborhood.h"
#include "run/open_share.h"
#include "train/spread.h"

namespace gs {

namespace {

// The embeddings to write: row i is of nodes[i], or of node i if all were asked for.
struct Rows {
  Dataset data;
  at::Tensor z;
  std::vector<int32_t> nodes;

  std::string id(int64_t row) const {
    return id_of(data, nodes.empty() ? row : nodes[static_cast<size_t>(row)]);
  }
};

// One line per row: its id and its values, separated by `separator`, after a first line `head`.
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

void write_csv(const std::filesystem::path& path, const Rows& rows) {
  std::string head = "id";
  for (int64_t c = 0; c < rows.z.size(1); ++c) head += fmt::format(",z{}", c);
  write_lines(path, rows.z, head, ',', [&](int64_t v) { return csv_field(rows.id(v)); });
}

// The text format of word2vec, which has no quotes: spaces in an id become underscores.
void write_word2vec(const std::filesystem::path& path, const Rows& rows) {
  const at::Tensor& z = rows.z;
  write_lines(path, z, fmt::format("{} {}", z.size(0), z.size(1)), ' ', [&](int64_t v) {
    std::string id = rows.id(v);
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
  if (request.run.extension() == ".npy")
    fail_usage("embed",
               fmt::format("'{}' already holds embeddings", printable(request.run.string())),
               "name a run folder; 'graphsurgeon nearest Z.npy NODE' searches embeddings");
  if (request.output.empty())
    fail_usage("embed", "nothing to do: no output was given",
               "pass -o Z.csv; 'graphsurgeon nearest RUN NODE' lists the nearest nodes");
  const std::string suffix = request.output.extension().string();
  if (suffix != ".npy" && suffix != ".csv" && suffix != ".txt")
    fail_usage("--output",
               suffix.empty()
                   ? fmt::format("'{}' has no suffix", printable(request.output.string()))
                   : fmt::format("cannot write '{}' files", printable(suffix)),
               suffix == ".parquet"
                   ? "write .csv, then in Python: pandas.read_csv('z.csv').to_parquet('z.parquet')"
                   : "use .npy, .csv (with a header) or .txt (word2vec)");
  check_output(request.output, request.overwrite);
}

Rows embedded(const EmbedRequest& request, Progress& progress) {
  Rows out;
  // Checks what would otherwise fail only after the long work.
  const auto look = [&](const RunInfo&, const Dataset& data) {
    if (is_npy(request.output) && !data.node_ids.empty())
      check_output(ids_file(request.output), request.overwrite);
    if (!request.nodes.empty()) out.nodes = read_nodes_in_order(request.nodes, data);
  };
  auto [data, z] = embedded_by_run(request.run, request, progress, look, &out.nodes);
  out.data = std::move(data), out.z = z;
  return out;
}

}  // namespace

namespace {

// Every rank embeds the nodes that it owns, and the first one writes them all.
EmbedResult embed_shards(const EmbedRequest& request, const Ranks& ranks, Progress& progress) {
  std::optional<LoadedModel> loaded;
  ranks.together([&] {
    if (!is_npy(request.output) || !request.nodes.empty())
      fail_usage("--output", "all embeddings of a sharded folder are written, as .npy",
                 "name it Z.npy, and leave out --nodes");
    loaded = load_model(request.run, make_device(request.device));
    if (ranks.several() && loaded->info.options.method.method != "graphsurgeon")
      fail_usage(
          request.run.string(),
          fmt::format("{} does not embed on several ranks", loaded->info.options.method.method),
          "embed the unsharded graph in one process");
  });
  const OpenShare open(request.data, request.load, ranks);
  const Share& share = open.share();
  check_width(loaded->info, share.data, request.data);
  const Method& model = *loaded->model;
  const Batch whole =
      whole_graph(share, loaded->info.options.model.encoder, model.parameters().device());
  const at::Tensor z = model.embed(whole, {request.memory_mib << 20}, progress)
                           .to(at::kCPU, at::kFloat)
                           .contiguous();
  progress.finish();
  EmbedResult result{share.nodes(), z.size(1), request.output.string(), ""};
  const std::vector<std::string> names = all_names(share);
  if (!names.empty()) {
    result.ids = ids_file(request.output).string();
    check_output(result.ids, request.overwrite);
    write_file(result.ids, fmt::format("{}\n", fmt::join(names, "\n")));
  }
  save_rows(request.output, z, share);
  return result;
}

}  // namespace

EmbedResult run(const EmbedRequest& request, Progress& progress) {
  const std::shared_ptr<const Ranks> ranks = ranks_of_group(request.group);
  ranks->together([&] {
    if (ranks->first()) check_request(request);
  });
  const Session session(request.threads);
  if (is_sharded(request.data)) return embed_shards(request, *ranks, progress);
  if (ranks->several())
    ranks->fail(Error(ErrorKind::usage, "several ranks embed a sharded folder", request.data,
                      "make one with 'graphsurgeon data shard', or start one process"));
  const Rows rows = embedded(request, progress);
  EmbedResult result{rows.z.size(0), rows.z.size(1), request.output.string(), ""};
  if (request.output.extension() == ".csv") {
    write_csv(request.output, rows);
  } else if (!is_npy(request.output)) {
    write_word2vec(request.output, rows);
  } else {
    const int64_t shape[] = {result.nodes, result.width};
    save_npy<float>(request.output, floats(rows.z), shape);
    if (!rows.data.node_ids.empty()) {
      result.ids = ids_file(request.output).string();
      std::string ids;
      for (int64_t v = 0; v < result.nodes; ++v) ids += rows.id(v) + "\n";
      write_file(result.ids, ids);
    }
  }
  return result;
}

nlohmann::json to_json(const EmbedResult& result) {
  nlohmann::json out{{"nodes", result.nodes}, {"width", result.width}};
  if (!result.output.empty()) out["output"] = result.output;
  if (!result.ids.empty()) out["ids"] = result.ids;
  return out;
}

std::string to_text(const EmbedResult& result) {
  return fmt::format("wrote {}: {} nodes x {}{}\n", result.output, result.nodes, result.width,
                     result.ids.empty() ? "" : fmt::format("; node ids: {}", result.ids));
}

DenseMatrix embed_with(const std::filesystem::path& run, const std::string& name,
                       const MakeDataset& make,
                       const std::optional<std::vector<std::string>>& nodes, int threads,
                       Progress& progress) {
  const Session session(threads);
  const LoadedModel loaded = load_model(run, make_device("cpu"));
  LoadOptions load = load_like(loaded.info, name);
  if (name.empty()) load.format.clear();
  const Dataset data = make(load);
  at::Tensor z;
  if (nodes) {
    std::vector<int32_t> numbers;
    for (const std::string& id : *nodes)
      numbers.push_back(static_cast<int32_t>(node_of(data.node_ids, data.nodes(), id, "nodes")));
    z = embed_nodes(loaded, data, numbers, data.name, {}, progress);
  } else {
    z = embed(loaded, data, data.name, {}, progress);
  }
  return {z.size(0), z.size(1), Array<float>(std::make_shared<at::Tensor>(z), floats(z))};
}

}  // namespace gs
