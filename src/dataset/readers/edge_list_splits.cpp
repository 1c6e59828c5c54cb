#include <array>
#include <optional>

#include "base/error.h"
#include "base/npz.h"
#include "dataset/readers/edge_list_parts.h"
#include "dataset/readers/json.h"
#include "dataset/readers/npz_parts.h"

namespace gs {
namespace {

// 0 train, 1 validation, 2 test, 3 none; empty when it is another word.
std::optional<int> role_of(std::string_view text) {
  const std::string word = lower(text);
  if (word == "train" || word == "training") return 0;
  if (word == "val" || word == "valid" || word == "validation" || word == "dev") return 1;
  if (word == "test" || word == "testing") return 2;
  if (word.empty() || word == "none" || word == "-" || word == "-1") return 3;
  return std::nullopt;
}

void assign(Split& split, int32_t node, std::string_view word, const std::string& place) {
  const auto role = role_of(word);
  if (!role) {
    fail_data(place, fmt::format("'{}' is not a part of a split", printable(word)),
              "use train, val and test; empty for none");
  }
  if (*role == 3) return;
  std::array{&split.train, &split.val, &split.test}[*role]->push_back(node);
}

void require_rows_are_nodes(const NodeIds& ids, const std::string& where) {
  if (ids.rows_are_nodes()) return;
  fail_data(
      where, "its row i is node i, but the ids of the edges are not 0..N-1",
      "give a table with an id column, or an ids.csv that lists the ids in the order of the rows");
}

[[noreturn]] void fail_rows(const std::string& where, int64_t rows, const NodeIds& ids) {
  fail_data(where, fmt::format("{} rows for {} nodes", rows, ids.count()),
            "a file without ids has one row per node");
}

std::vector<Split> read_table(const fs::path& path, const NodeIds& ids) {
  const TextFile file(path);
  const TableForm form = detect_form(file, 1);
  const bool by_row = form.columns == 1;
  if (by_row) require_rows_are_nodes(ids, file.path());
  std::vector<Split> splits(by_row ? 1 : form.columns - 1);
  std::vector<bool> seen(ids.count());
  int64_t row = 0, line = 0;
  for (TableReader table = data_rows(file, form); table.next(); ++row) {
    table.require_fields(form.columns);
    if (by_row) require_next_line(table, line);
    if (by_row && row >= ids.count()) fail_rows(table.place(), row + 1, ids);
    const int32_t node = by_row ? static_cast<int32_t>(row) : ids.find(table.fields()[0]);
    if (node < 0) {
      fail_data(table.place(),
                fmt::format("node '{}' is not in the graph", printable(table.fields()[0])),
                "is the file of another dataset?");
    }
    if (seen[node]) {
      fail_data(table.place(),
                fmt::format("node '{}' is there twice", printable(table.fields()[0])),
                "a node has one row; several splits are several columns");
    }
    seen[node] = true;
    for (size_t k = 0; k < splits.size(); ++k) {
      assign(splits[k], node, table.fields()[by_row ? 0 : k + 1], table.place());
    }
  }
  if (by_row && row != ids.count()) fail_rows(file.path(), row, ids);
  return splits;
}

std::vector<Split> read_npz(const fs::path& path, const NodeIds& ids) {
  const Npz file(path);
  require_rows_are_nodes(ids, file.path());
  for (const std::string end : {"_mask", "_masks"}) {
    if (file.has("train" + end)) {
      return mask_splits(file, {"train" + end, "val" + end, "test" + end}, ids.count());
    }
  }
  fail_data(file.path(), "no train_mask in it",
            "the members are train_mask, val_mask and test_mask");
}

std::vector<Split> read_npy(const fs::path& path, const NodeIds& ids) {
  const NpyArray array = load_npy(path);
  require_rows_are_nodes(ids, array.where);
  if ((array.type != DType::bytes && array.type != DType::unicode) || array.shape.empty() ||
      array.shape.size() > 2) {
    fail_data(array.where, "not an array of the words train, val and test",
              "save words of shape [N] or [N, splits], or masks in an .npz");
  }
  if (array.rows() != ids.count()) fail_rows(array.where, array.rows(), ids);
  const int64_t columns = array.shape.size() == 2 ? array.shape[1] : 1;
  const auto words = array.strings();
  std::vector<Split> splits(columns);
  for (int64_t i = 0; i < static_cast<int64_t>(words.size()); ++i) {
    const std::string place =
        role_of(words[i]) ? "" : fmt::format("{}, row {}", array.where, i / columns);
    assign(splits[i % columns], static_cast<int32_t>(i / columns), words[i], place);
  }
  return splits;
}

using Value = simdjson::ondemand::value;

int32_t json_node(JsonFile& json, Value value, const std::string& path, int64_t index,
                  const NodeIds& ids) {
  std::string id;
  if (json.get(value.type(), "{}[{}]", path, index) == simdjson::ondemand::json_type::string) {
    id = json.get(value.get_string(), "{}[{}]", path, index);
  } else {
    id = std::to_string(json.get(value.get_int64(), "{}[{}]", path, index));
  }
  const int32_t node = ids.find(id);
  if (node < 0) {
    fail_data(json.place(fmt::format("{}[{}]", path, index)),
              fmt::format("node '{}' is not in the graph", printable(id)),
              "is the file of another dataset?");
  }
  return node;
}

Split json_split(JsonFile& json, simdjson::ondemand::object object, const std::string& prefix,
                 const NodeIds& ids) {
  Split split;
  std::array<bool, 3> seen{};
  for (auto entry : object) {
    auto field = json.get(std::move(entry), "{}", prefix);
    const std::string key(json.key(field)), path = prefix + key;
    const auto role = role_of(key);
    if (!role || *role == 3) {
      fail_data(json.place(path), "not a part of a split", "the keys are train, val and test");
    }
    if (std::exchange(seen[*role], true))
      fail_data(json.place(path), "the part is there twice", "name each part once");
    auto* const set = std::array{&split.train, &split.val, &split.test}[*role];
    json.each(json.get(field.value().get_array(), "{}", path), path, [&](Value value, int64_t i) {
      set->push_back(json_node(json, value, path, i, ids));
    });
  }
  if (!seen[0] || !seen[1] || !seen[2]) {
    fail_data(json.place(prefix), "train, val or test is missing",
              R"(write {"train": [ids], "val": [...], "test": [...]})");
  }
  return split;
}

std::vector<Split> read_json(const fs::path& path, const NodeIds& ids) {
  const bool list = trimmed(MappedFile(path).text()).starts_with('[');
  JsonFile json(path);
  std::vector<Split> splits;
  if (list) {
    json.each(json.array(), "", [&](Value value, int64_t k) {
      splits.push_back(
          json_split(json, json.get(value.get_object(), "[{}]", k), fmt::format("[{}].", k), ids));
    });
  } else {
    splits.push_back(json_split(json, json.object(), "", ids));
  }
  json.finish();
  return splits;
}

}  // namespace

std::vector<Split> read_split_part(const fs::path& path, const NodeIds& ids) {
  const std::string extension = lower(path.extension().string());
  if (extension == ".npz") return read_npz(path, ids);
  if (extension == ".npy") return read_npy(path, ids);
  if (extension == ".json") return read_json(path, ids);
  return read_table(path, ids);
}

}  // namespace gs
