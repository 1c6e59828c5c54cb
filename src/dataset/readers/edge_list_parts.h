// The parts of a user's own data: an edge list with features, labels and splits beside it. Each
// part is read from its file with ids as keys; when all are read, nodes are numbered and the parts
// are put in the order of the nodes.
//
// Features: .npy [N, F] or .npz (a scipy CSR matrix), row i being node i; or a text table.
//   A table is sparse (rows "node, feature[, value]") when its header calls the second column
//   "feature", when its file name holds "sparse", or when it has two or three columns and repeats a
//   node. Where only the repeat says so and there are as many rows as nodes, it may as well be a
//   dense one without ids, and is refused. Feature ids are integers from 0, or names. Otherwise it
//   is dense. Its first column is the node's id when ids are names, when the header calls it an id,
//   or when it lists every node of the edges without a repeat; else row i is node i.
//
// Labels: .npy ([N] of class ids or strings, [N, C] of 0 and 1), or a text table of "label" (row i
//   is node i), "id, label", "id, a;b;c" (multi-label), or an id and several columns of 0 and 1
//   (multi-label). Empty and -1 are unknown, as are nodes that the table lacks. Class ids that are
//   0..C-1 stay; others are numbered in ascending order, names alphabetically, and are kept as
//   class names.
//
// Splits: a text table "id, split[, split...]" of train, val, test (empty: none), or without the
//   id; .npz of train_mask, val_mask, test_mask, [N] or [S, N]; .npy of the words, [N] or [N, S];
//   .json {"train": [ids], "val": [...], "test": [...]}, or a list of those.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataset/reader.h"
#include "dataset/readers/node_ids.h"
#include "dataset/readers/number_rows.h"
#include "dataset/readers/table_form.h"

namespace gs {

// Rows by key, or row i for node i when there are no keys.
struct RowKeys {
  std::vector<int64_t> keys;
  bool by_row = false;
  int64_t rows = 0;
  fs::path path;
  TableForm form;

  std::string place(int64_t row) const;  // "file:line"
  // The node of each row. Data Error for a node that has two.
  std::vector<int32_t> nodes(const NodeIds& ids) const;
};

struct FeaturePart {
  RowKeys rows;                  // one per entry of a sparse table
  Features matrix;               // dense or .npz: in the order of the file
  std::vector<int32_t> columns;  // sparse table
  std::vector<float> values;
  bool triples = false;
  bool guessed_ids = false;  // nothing but its values says that the first column holds ids
  int64_t width = 0;
  std::vector<std::string> names;
};

struct LabelPart {
  RowKeys rows;
  Labels ready;                     // .npy of numbers: nothing left to do
  std::vector<int64_t> offsets{0};  // the classes of row i are classes[offsets[i]..offsets[i + 1])
  std::vector<int32_t> classes;
  std::vector<bool> known;
  std::vector<std::string> names;  // class names; empty when they are 0..C-1
  int64_t class_count = 0;
  bool several = false;  // multi-label
};

FeaturePart read_feature_part(const fs::path& path, NodeIds& ids);
Features place_features(FeaturePart part, const NodeIds& ids);

LabelPart read_label_part(const fs::path& path, NodeIds& ids);
Labels place_labels(const LabelPart& part, const NodeIds& ids);

std::vector<Split> read_split_part(const fs::path& path, const NodeIds& ids);

}  // namespace gs
