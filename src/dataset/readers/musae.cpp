// MUSAE's csv + json (Rozemberczki et al. 2019), for Facebook, GitHub and Twitch: NAME_edges.csv
// (id_1,id_2), NAME_features.json or NAME.json ({"node": [word ids]}), NAME_target.csv, whose last
// column is the class (Twitch: column `mature`, and the node is `new_id`). Edges are listed once
// and mean both directions; loops are dropped.
#include <algorithm>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "dataset/readers/json.h"
#include "dataset/readers/npz_parts.h"
#include "dataset/readers/number_rows.h"
#include "dataset/readers/table.h"
#include "dataset/readers/word_lists.h"

namespace gs {
namespace {

constexpr const char* kHint = "compare with the published MUSAE files, or download them again";
constexpr std::string_view kEdgesEnd = "_edges.csv";

struct MusaeFiles {
  fs::path edges, words, target;
  std::string name;
};

std::optional<MusaeFiles> files_for(const fs::path& edges) {
  const std::string file = edges.filename().string();
  const std::string name = file.substr(0, file.size() - kEdgesEnd.size());
  MusaeFiles files{edges, edges.parent_path() / (name + "_features.json"),
                   edges.parent_path() / (name + "_target.csv"), name};
  if (!fs::exists(files.words)) files.words = edges.parent_path() / (name + ".json");
  if (!fs::exists(files.words) || !fs::exists(files.target)) return std::nullopt;
  return files;
}

// Every set of three files at `path`: a folder, its raw/, or a folder's one file.
std::vector<MusaeFiles> find_files(const fs::path& path) {
  std::vector<MusaeFiles> found;
  const bool is_folder = fs::is_directory(path);
  for (const fs::path& folder : {is_folder ? path : path.parent_path(), path / "raw"}) {
    if (!found.empty() || !(folder.empty() || fs::is_directory(folder))) continue;
    for (const auto& entry : fs::directory_iterator(folder.empty() ? fs::path(".") : folder)) {
      if (!entry.path().filename().string().ends_with(kEdgesEnd)) continue;
      const auto files = files_for(entry.path());
      if (!files) continue;
      const std::string named = path.filename().string();
      const bool asked = named == files->edges.filename() || named == files->words.filename() ||
                         named == files->target.filename();
      if (is_folder || asked) found.push_back(*files);
    }
  }
  return found;
}

size_t column_named(const std::vector<std::string>& header, std::string_view name,
                    size_t otherwise) {
  const auto found = std::find(header.begin(), header.end(), name);
  return found == header.end() ? otherwise : static_cast<size_t>(found - header.begin());
}

std::vector<std::string> read_classes(const TextFile& file) {
  TableReader table(file.text(), file.path(), ',', false);
  if (!table.next()) fail_data(file.path(), "the file is empty", kHint);
  const std::vector<std::string> header(table.fields().begin(), table.fields().end());
  if (header.size() < 2) fail_data(table.place(), "expected an id and a class column", kHint);
  const size_t id_column = column_named(header, "new_id", column_named(header, "id", 0));
  const size_t class_column = column_named(header, "mature", header.size() - 1);
  struct Row {
    int64_t id, line;
    std::string label;
  };
  std::vector<Row> rows;
  while (table.next()) {
    table.require_fields(header.size());
    const std::string_view label = trimmed(table.fields()[class_column]);
    if (!is_utf8(label)) fail_data(table.place(), "the class is not UTF-8 text", kHint);
    rows.push_back({table.integer(id_column), table.line(), std::string(label)});
  }
  const auto nodes = static_cast<int64_t>(rows.size());
  if (nodes == 0) fail_data(file.path(), "there is a header but no node", kHint);
  std::vector<std::string> classes(nodes);
  std::vector<int64_t> lines(nodes);
  for (Row& row : rows) {
    const std::string place = fmt::format("{}:{}", file.path(), row.line);
    if (row.id < 0 || row.id >= nodes) {
      fail_data(place, fmt::format("node {} in a file of {} nodes", row.id, nodes),
                "nodes are numbered from 0 without gaps");
    }
    if (lines[row.id] != 0) {
      fail_data(place, fmt::format("node {} was already in line {}", row.id, lines[row.id]),
                "a node has one row");
    }
    lines[row.id] = row.line;
    classes[row.id] = std::move(row.label);
  }
  return classes;
}

// Numbers are class ids; names are sorted, so that ids do not depend on the order of rows. Empty:
// unknown.
void set_labels(const std::vector<std::string>& classes, RawDataset& raw) {
  const auto number = [](const std::string& text) {
    const auto value = parse_integer(text);
    const bool fits = value && *value >= -1 && *value < std::numeric_limits<int32_t>::max();
    return fits ? std::optional(static_cast<int32_t>(*value)) : std::nullopt;
  };
  std::vector<int32_t> ids;
  if (std::all_of(classes.begin(), classes.end(),
                  [&](const auto& c) { return c.empty() || number(c); })) {
    for (const auto& c : classes) ids.push_back(c.empty() ? -1 : *number(c));
  } else {
    std::set<std::string> names(classes.begin(), classes.end());
    names.erase("");
    raw.class_names.assign(names.begin(), names.end());
    for (const auto& c : classes) {
      const auto at = std::lower_bound(raw.class_names.begin(), raw.class_names.end(), c);
      ids.push_back(c.empty() ? -1 : static_cast<int32_t>(at - raw.class_names.begin()));
    }
  }
  raw.labels = class_labels(std::move(ids), raw.labels_where);
}

SparseMatrix read_words(const fs::path& path, int64_t nodes) {
  JsonFile json(path);
  std::vector<std::vector<int32_t>> lists(nodes);
  std::vector<bool> seen(nodes);
  int64_t width = 0;
  for (auto entry : json.object()) {
    auto field = json.get(std::move(entry), "a key");
    const std::string key(json.key(field));
    const int64_t node = json.node(key, nodes, key);
    if (seen[node])
      fail_data(json.place(key), "the node is there twice", "a node has one list of words");
    seen[node] = true;
    json.each(json.get(field.value().get_array(), "{}", key), key, [&](auto value, int64_t i) {
      const int64_t word = json.get(value.get_int64(), "{}[{}]", key, i);
      if (word < 0 || word >= std::numeric_limits<int32_t>::max()) {
        fail_data(json.place(key), fmt::format("{} is not a word id", word),
                  "word ids count from 0");
      }
      lists[node].push_back(static_cast<int32_t>(word));
      width = std::max(width, word + 1);
    });
  }
  json.finish();
  return from_word_lists(std::move(lists), width);
}

}  // namespace

bool detect_musae(const fs::path& path) {
  try {
    return !find_files(path).empty();
  } catch (const std::exception&) {
    return false;
  }
}

RawDataset read_musae(const ReadRequest& request) {
  const auto found = find_files(request.path);
  if (found.empty()) {
    fail_data(request.path.string(),
              "NAME_edges.csv, NAME_target.csv and NAME_features.json are not all there",
              "give the folder that holds the three files");
  }
  if (found.size() > 1) {
    fail_data(request.path.string(),
              fmt::format("{} and {} are both here", found[0].edges.filename().string(),
                          found[1].edges.filename().string()),
              "give the path of one edges file");
  }
  const MusaeFiles& files = found[0];
  const TextFile edge_file(files.edges), target_file(files.target);
  RawDataset raw;
  raw.name = files.name;
  raw.edges_where = edge_file.path();
  raw.labels_where = target_file.path();
  raw.features_where = files.words.string();
  const auto classes = read_classes(target_file);
  raw.nodes = static_cast<int64_t>(classes.size());
  set_labels(classes, raw);
  raw.edges = read_headed_pairs(edge_file, ',', kHint);
  raw.edges.nodes = raw.nodes;
  raw.edge_place = [path = files.edges](int64_t edge) { return row_place(path, ',', edge + 1); };
  raw.features = {read_words(files.words, raw.nodes)};
  raw.has_features = true;
  raw.symmetrize = true;
  raw.self_loops = SelfLoops::drop;
  return raw;
}

}  // namespace gs
