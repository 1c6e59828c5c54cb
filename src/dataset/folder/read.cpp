#include "dataset/folder/folder.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "base/error.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/parallel.h"
#include "base/text.h"
#include "dataset/check_sparse.h"
#include "dataset/folder/description.h"
#include "dataset/folder/layout.h"
#include "dataset/scramble.h"

namespace gs {

namespace {

constexpr const char* kDamaged = kDamagedFolder;
constexpr int64_t kGrain = 1 << 14;

NpyArray load_shaped(const fs::path& path, const std::vector<int64_t>& shape) {
  NpyArray array = load_npy(path);
  if (array.shape != shape)
    fail_data(array.where,
              fmt::format("has shape ({}), but {} says ({})", fmt::join(array.shape, ", "),
                          kDatasetFile, fmt::join(shape, ", ")),
              kDamaged);
  return array;
}

// Whether the entries below the diagonal are those above it, by one sum of hashes: a single pass in
// file order, where is_symmetric() jumps between all rows and would thrash on a graph that exceeds
// memory. A graph that is not symmetric passes with a chance of 2^-64.
bool mirrors_itself(const Csr& graph) {
  std::atomic<uint64_t> balance = 0;  // modulo 2^64, so that the order of adding does not matter
  parallel_for_weighted(graph.offsets.span(), kGrain, [&](int64_t begin, int64_t end) {
    uint64_t sum = 0;
    for (int64_t v = begin; v < end; ++v) {
      const auto row = graph.row(v);
      const auto weights = graph.row_weights(v);
      for (size_t i = 0; i < row.size(); ++i) {
        const uint64_t low = std::min<int64_t>(row[i], v), high = std::max<int64_t>(row[i], v);
        uint64_t hash = scrambled(low << 32 | high);
        if (!weights.empty())
          hash = scrambled(hash + std::bit_cast<uint32_t>(weights[i] + 0.0f));  // -0 is 0
        sum += row[i] < v ? hash : row[i] > v ? -hash : 0;
      }
    }
    balance += sum;
  });
  return balance == 0;
}

Csr read_graph(const fs::path& folder, const Description& about, int64_t nodes) {
  const int64_t edges = about.number("/edges");
  Csr graph;
  graph.offsets = load_shaped(folder / kOffsetsFile, {nodes + 1}).as<int64_t>();
  graph.neighbors = load_shaped(folder / kNeighborsFile, {edges}).as<int32_t>();
  if (about.flag("/weighted"))
    graph.weights = load_shaped(folder / kWeightsFile, {edges}).as<float>();
  validate(graph, (folder / kNeighborsFile).string());
  // Not taken on trust: a wrong flag would silently give wrong gradients.
  graph.symmetric = about.flag("/symmetric");
  if (graph.symmetric && !mirrors_itself(graph))
    fail_data(about.path(), "says that the graph is symmetric, but it is not",
              "set \"symmetric\" to false, or convert the data again");
  return graph;
}

Features read_features(const fs::path& folder, const Description& about, const std::string& kind,
                       int64_t nodes, int64_t width) {
  if (kind == "dense")
    return {
        DenseMatrix{nodes, width, load_shaped(folder / kFeaturesFile, {nodes, width}).as<float>()}};
  if (kind != "sparse")
    fail_data(about.path(), fmt::format("unknown kind of features '{}'", printable(kind)),
              "known kinds: dense, sparse, none");
  SparseMatrix m{nodes, width, {}, {}, {}};
  m.offsets = load_shaped(folder / kFeatureOffsetsFile, {nodes + 1}).as<int64_t>();
  const NpyArray indices = load_npy(folder / kFeatureIndicesFile);
  indices.require_dims(1);
  m.indices = indices.as<int32_t>();
  if (about.flag("/features/values"))
    m.values = load_shaped(folder / kFeatureValuesFile, {m.nonzeros()}).as<float>();
  check_sparse(m, indices.where, kDamaged);
  return {std::move(m)};
}

Labels read_labels(const fs::path& folder, const Description& about, int64_t nodes) {
  Labels labels;
  labels.task = task_of(about);
  labels.classes = about.number("/labels/classes");
  if (labels.classes > Labels::most_classes(nodes))
    fail_data(about.path(), fmt::format("{} classes for {} nodes", labels.classes, nodes),
              kDamaged);
  if (labels.task == Task::none) return labels;
  if (labels.task != Task::multilabel) {
    labels.single = load_shaped(folder / kLabelsFile, {nodes}).as<int32_t>();
    return labels;
  }
  labels.multi = load_shaped(folder / kLabelsFile, {nodes, labels.classes}).as<uint8_t>();
  return labels;
}

std::vector<Split> read_splits(const fs::path& folder, int64_t count, int64_t nodes) {
  std::vector<Split> splits;
  if (count == 0) return splits;
  const Array<uint8_t> codes = load_shaped(folder / kSplitsFile, {count, nodes}).as<uint8_t>();
  for (int64_t s = 0; s < count; ++s) {
    Split split;
    for (int64_t v = 0; v < nodes; ++v) {
      const uint8_t code = codes[s * nodes + v];
      if (code == kTrainCode) split.train.push_back(static_cast<int32_t>(v));
      else if (code == kValCode) split.val.push_back(static_cast<int32_t>(v));
      else if (code == kTestCode) split.test.push_back(static_cast<int32_t>(v));
      else if (code != 0)
        fail_data(fmt::format("{}, split {}, node {}", (folder / kSplitsFile).string(), s, v),
                  fmt::format("code {} is not known", code),
                  "0 is none, 1 training, 2 validation, 3 test");
    }
    splits.push_back(std::move(split));
  }
  return splits;
}

BuildCounts read_dropped(const Description& about) {
  if (!about.has("/dropped")) return {};  // folders of the first versions lack it
  const BuildCounts counts{about.number("/dropped/self_loops"),
                           about.number("/dropped/duplicates")};
  constexpr int64_t kMost = int64_t{1} << 60;  // more may be added to them
  if (counts.self_loops > kMost || counts.duplicates > kMost)
    fail_data(about.path(), "\"dropped\" has a count that is not possible", kDamaged);
  return counts;
}

std::string unescape_name(std::string_view line, const std::string& place) {
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\') {
      out += line[i];
      continue;
    }
    const char next = ++i < line.size() ? line[i] : ' ';
    if (next != '\\' && next != 'n' && next != 'r')
      fail_data(place, "has an unknown escape sequence",
                "write a backslash as \\\\ and a line feed as \\n");
    out += next == 'n' ? '\n' : next == 'r' ? '\r' : '\\';
  }
  return out;
}

std::vector<std::string> read_names(const fs::path& path, int64_t wanted) {
  const MappedFile file(path);
  std::vector<std::string> names;
  for (std::string_view rest = file.text(); !rest.empty();) {
    const size_t end = rest.find('\n');
    const std::string place = fmt::format("{}:{}", file.path(), names.size() + 1);
    names.push_back(unescape_name(rest.substr(0, end), place));
    if (!is_utf8(names.back()))
      fail_data(place, "the name is not UTF-8 text", "convert the file to UTF-8");
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  if (std::ssize(names) != wanted)
    fail_data(file.path(), fmt::format("has {} lines where {} are expected", names.size(), wanted),
              kDamaged);
  return names;
}

fs::path folder_of(const fs::path& path) {
  if (path.filename() != kDatasetFile) return path;
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

bool detect_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(folder_of(path) / kDatasetFile, ignored);
}

RawDataset read_folder(const ReadRequest& request) {
  const fs::path folder = folder_of(request.path);
  const Description about(folder / kDatasetFile, kFolderFormat, kFolderVersion, "dataset");
  RawDataset raw;
  raw.edges_where = (folder / kNeighborsFile).string();
  raw.features_where = (folder / kFeaturesFile).string();
  raw.labels_where = (folder / kLabelsFile).string();
  raw.splits_where = (folder / kSplitsFile).string();

  raw.name = about.text("/name");
  raw.nodes = about.number("/nodes");
  if (raw.nodes == 0) fail_data(about.path(), "describes a graph without nodes", kDamaged);
  check_node_count(raw.nodes, about.path());
  raw.graph = read_graph(folder, about, raw.nodes);
  raw.raw_edges = about.number("/raw_edges");
  raw.dropped = read_dropped(about);
  raw.treatment = about.text("/treatment");

  const std::string kind = about.text("/features/kind");
  const int64_t width = about.number("/features/width");
  if (width > INT32_MAX)
    fail_data(about.path(), fmt::format("{} feature columns are too many", width), kDamaged);
  raw.has_features = kind != "none" && width > 0;
  if (raw.has_features) {
    raw.features = read_features(folder, about, kind, raw.nodes, width);
    if (raw.features.sparse()) raw.features_where = (folder / kFeatureValuesFile).string();
  }
  raw.labels = read_labels(folder, about, raw.nodes);
  raw.splits = read_splits(folder, about.number("/splits"), raw.nodes);
  if (about.lists("/names", "nodes")) raw.node_ids = read_names(folder / kNodeIdsFile, raw.nodes);
  if (about.lists("/names", "features"))
    raw.feature_names = read_names(folder / kFeatureNamesFile, width);
  if (about.lists("/names", "classes"))
    raw.class_names = read_names(folder / kClassNamesFile, raw.labels.classes);
  if (const fs::path recipe = folder / kRecipeFile; raw.has_features && fs::exists(recipe))
    raw.recipe = trimmed(MappedFile(recipe).text());
  return raw;
}

}  // namespace gs
