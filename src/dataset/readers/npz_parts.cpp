#include "dataset/readers/npz_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "dataset/readers/table.h"

namespace gs {

namespace {

constexpr int64_t kMaxIds = std::numeric_limits<int32_t>::max();
// A larger label is a mistake, and tables are made per class.
constexpr int64_t kMaxClasses = int64_t{1} << 20;
// A nanosecond per entry: less is done before other threads wake up.
constexpr int64_t kGrain = 1 << 19;
constexpr const char* kDamaged =
    "the file is damaged or was written by another program; download or write it again";

std::string shape_text(const NpyArray& array) {
  return fmt::format("({})", fmt::join(array.shape, ", "));
}

// [rows, columns] of a member that holds a shape.
std::array<int64_t, 2> read_shape(const NpyArray& member) {
  if (member.count() != 2) {
    fail_data(member.where, fmt::format("a shape has two numbers, here are {}", member.count()),
              kDamaged);
  }
  const Array<int64_t> shape = member.as<int64_t>();
  for (const int64_t extent : shape) {
    if (extent < 0 || extent > kMaxIds) {
      fail_data(member.where,
                fmt::format("a matrix of {} x {} is not possible", shape[0], shape[1]),
                fmt::format("rows and columns must be from 0 to {}", kMaxIds));
    }
  }
  return {shape[0], shape[1]};
}

void require_square(int64_t rows, int64_t columns, const std::string& where) {
  if (rows != columns) {
    fail_data(where,
              fmt::format("an adjacency matrix must be square, this one is {} x {}", rows, columns),
              kDamaged);
  }
}

void check_ids(std::span<const int32_t> ids, int64_t limit, const std::string& where) {
  const auto last = static_cast<uint32_t>(limit - 1);  // all ones when there are no ids at all
  parallel_for(static_cast<int64_t>(ids.size()), kGrain, [&](int64_t begin, int64_t end) {
    uint32_t signs = 0;  // its highest bit: an id is negative, or larger than limit - 1
    for (int64_t i = begin; i < end; ++i) {
      const auto id = static_cast<uint32_t>(ids[i]);
      signs |= id | (last - id);
    }
    if (signs >> 31 == 0) return;
    for (int64_t i = begin; i < end; ++i) {
      if (ids[i] < 0 || ids[i] >= limit) {
        fail_data(where, fmt::format("entry {} is {}, outside of 0 to {}", i, ids[i], limit - 1),
                  kDamaged);
      }
    }
  });
}

void check_offsets(const Array<int64_t>& offsets, int64_t rows, int64_t entries,
                   const std::string& where) {
  if (offsets.size() != rows + 1) {
    fail_data(where,
              fmt::format("{} offsets for {} rows, expected {}", offsets.size(), rows, rows + 1),
              kDamaged);
  }
  if (offsets[0] != 0)
    fail_data(where, fmt::format("the first offset is {}, not 0", offsets[0]), kDamaged);
  for (int64_t row = 0; row < rows; ++row) {
    if (offsets[row + 1] < offsets[row]) {
      fail_data(where,
                fmt::format("offset {} is {}, less than the {} before it", row + 1,
                            offsets[row + 1], offsets[row]),
                kDamaged);
    }
  }
  if (offsets[rows] != entries) {
    fail_data(
        where,
        fmt::format("the last offset is {}, but there are {} entries", offsets[rows], entries),
        kDamaged);
  }
}

std::vector<int32_t> copy_ids(const NpyArray& member, int64_t limit) {
  member.require_dims(1);
  const Array<int32_t> ids = member.as<int32_t>();
  check_ids(ids.span(), limit, member.where);
  return {ids.begin(), ids.end()};
}

EdgeList coo_edges(const Npz& file) {
  const NpyArray shape_member = file.get("shape");
  const auto [rows, columns] = read_shape(shape_member);
  require_square(rows, columns, shape_member.where);
  EdgeList edges;
  edges.nodes = rows;
  // One after the other: each inflated member goes before the next comes.
  edges.source = copy_ids(file.get("row"), rows);
  edges.target = copy_ids(file.get("col"), rows);
  if (edges.source.size() != edges.target.size()) {
    fail_data(
        member_place(file, "col"),
        fmt::format("{} columns for {} rows of entries", edges.target.size(), edges.source.size()),
        kDamaged);
  }
  return edges;
}

Labels multi_labels(const NpyArray& array) {
  if (array.shape[1] > kMaxClasses) {
    fail_data(array.where, fmt::format("{} classes are too many", array.shape[1]), kDamaged);
  }
  Labels labels{Task::multilabel, array.shape[1], {}, array.as<uint8_t>()};
  for (int64_t i = 0; i < labels.multi.size(); ++i) {
    if (labels.multi[i] > 1) {
      fail_data(array.where,
                fmt::format("label {} of node {} is {}", i % labels.classes, i / labels.classes,
                            labels.multi[i]),
                "multi-label arrays hold a 0 or 1 for every node and class");
    }
  }
  return labels;
}

}  // namespace

std::array<int64_t, 2> csr_shape(const Npz& file, const std::string& prefix) {
  return read_shape(file.get(prefix + "shape"));
}

SparseMatrix read_csr(const Npz& file, const std::string& prefix, bool with_values) {
  std::vector<std::string> wanted{prefix + "indptr", prefix + "indices", prefix + "shape"};
  if (with_values) wanted.push_back(prefix + "data");
  auto members = file.get_all(wanted);
  const NpyArray &indptr = members[wanted[0]], &indices = members[wanted[1]];
  indptr.require_dims(1), indices.require_dims(1);

  const auto [rows, columns] = read_shape(members[wanted[2]]);
  SparseMatrix matrix{rows, columns, indptr.as<int64_t>(), indices.as<int32_t>(), {}};
  check_offsets(matrix.offsets, rows, matrix.nonzeros(), indptr.where);
  check_ids(matrix.indices.span(), columns, indices.where);
  if (with_values) {
    const NpyArray& data = members[wanted[3]];
    data.require_dims(1);
    if (data.count() != matrix.nonzeros()) {
      fail_data(data.where,
                fmt::format("{} values for {} entries", data.count(), matrix.nonzeros()), kDamaged);
    }
    matrix.values = data.as<float>();
  }
  return matrix;
}

EdgeList csr_edges(const SparseMatrix& matrix, const std::string& where) {
  require_square(matrix.rows, matrix.columns, where);
  EdgeList edges;
  edges.nodes = matrix.rows;
  edges.source.resize(matrix.nonzeros());
  parallel_for_weighted(matrix.offsets.span(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      std::fill(edges.source.begin() + matrix.offsets[row],
                edges.source.begin() + matrix.offsets[row + 1], static_cast<int32_t>(row));
    }
  });
  edges.target.assign(matrix.indices.begin(), matrix.indices.end());
  edges.weight.assign(matrix.values.begin(), matrix.values.end());
  return edges;
}

EdgeList scipy_edges(const Npz& file) {
  std::string format = file.has("row") ? "coo" : "csr";
  if (file.has("format")) {
    const std::vector<std::string> text = file.get("format").strings();
    format = text.size() == 1 ? text[0] : "";
  }
  if (format == "coo") return coo_edges(file);
  if (format == "csr") return csr_edges(read_csr(file, "", false), member_place(file, "shape"));
  fail_data(member_place(file, "format"),
            fmt::format("sparse format '{}' is not read", printable(format)),
            "save the matrix with scipy.sparse.save_npz as csr or coo");
}

EdgeList pair_edges(const NpyArray& pairs, int64_t nodes) {
  pairs.require_dims(2);
  if (pairs.shape[1] != 2) {
    fail_data(pairs.where, fmt::format("shape is {}, expected (M, 2)", shape_text(pairs)),
              "every row of the array is one edge: source, target");
  }
  const Array<int32_t> ids = pairs.as<int32_t>();
  const int64_t count = pairs.shape[0];
  EdgeList edges;
  edges.nodes = nodes;
  edges.source.resize(count), edges.target.resize(count);
  parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (const int32_t id : {ids[2 * i], ids[2 * i + 1]}) {
        if (id < 0 || id >= nodes) {
          fail_data(pairs.where,
                    fmt::format("edge {} names node {}, outside of 0 to {}", i, id, nodes - 1),
                    "nodes are numbered from 0 in the order of the feature rows");
        }
      }
      edges.source[i] = ids[2 * i], edges.target[i] = ids[2 * i + 1];
    }
  });
  return edges;
}

Features dense_features(const NpyArray& array, int64_t rows) {
  array.require_dims(2);
  if (rows >= 0 && array.shape[0] != rows) {
    fail_data(array.where, fmt::format("{} rows of features for {} nodes", array.shape[0], rows),
              "there must be one row for every node");
  }
  return {DenseMatrix{array.shape[0], array.shape[1], array.as<float>()}};
}

RawDataset read_dense_npz(const Npz& file, const std::filesystem::path& path,
                          std::string_view features, std::string_view edges,
                          std::string_view labels) {
  RawDataset raw;
  raw.name = dataset_name(path);
  raw.features_where = member_place(file, features);
  raw.features = dense_features(file.get(features));
  raw.has_features = true;
  raw.nodes = raw.features.rows();
  check_node_count(raw.nodes, raw.features_where);
  raw.edges_where = member_place(file, edges);
  raw.edges = pair_edges(file.get(edges), raw.nodes);
  raw.labels_where = member_place(file, labels);
  raw.labels = npy_labels(file.get(labels), raw.nodes);
  return raw;
}

Labels class_labels(std::vector<int32_t> ids, const std::string& where) {
  int64_t classes = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < -1)
      fail_data(where, fmt::format("label {} of node {} is negative", ids[i], i),
                "labels are class numbers from 0; -1 means unknown");
    classes = std::max<int64_t>(classes, int64_t{ids[i]} + 1);
    if (classes > kMaxClasses) {
      fail_data(where, fmt::format("label {} of node {} is too large", ids[i], i),
                fmt::format("labels are class numbers from 0, at most {} classes; -1 means unknown",
                            kMaxClasses));
    }
  }
  if (classes == 0) return {};
  return {classes == 2 ? Task::binary : Task::multiclass, classes, std::move(ids), {}};
}

Labels npy_labels(const NpyArray& array, int64_t nodes) {
  const bool matrix = array.shape.size() == 2;
  if (!matrix) array.require_dims(1);
  if (array.shape[0] != nodes) {
    fail_data(array.where, fmt::format("{} labels for {} nodes", array.shape[0], nodes),
              "there must be one label for every node; -1 where it is unknown");
  }
  if (matrix && array.shape[1] > 1) return multi_labels(array);
  const Array<int32_t> ids = array.as<int32_t>();
  if (ids.size() != nodes)
    fail_data(array.where, fmt::format("shape {} holds no labels", shape_text(array)), kDamaged);
  return class_labels({ids.begin(), ids.end()}, array.where);
}

std::vector<Split> mask_splits(const Npz& file, const std::array<std::string, 3>& members,
                               int64_t nodes) {
  std::vector<Split> splits;
  for (size_t part = 0; part < members.size(); ++part) {
    const NpyArray member = file.get(members[part]);
    if (member.shape.size() != 2) member.require_dims(1);
    if (member.shape.back() != nodes) {
      fail_data(member.where,
                fmt::format("masks of shape {} for {} nodes", shape_text(member), nodes),
                "a mask has one entry for every node, and the last dimension is the nodes'");
    }
    const size_t count = member.shape.size() == 2 ? static_cast<size_t>(member.shape[0]) : 1;
    if (part > 0 && count != splits.size()) {
      fail_data(member.where,
                fmt::format("{} masks, but '{}' has {}", count, members[0], splits.size()),
                "every split needs a mask for training, validation and test");
    }
    const Array<uint8_t> mask = member.as<uint8_t>();
    if (nodes > 0) splits.resize(count);
    for (int64_t i = 0; i < mask.size(); ++i) {
      if (mask[i] > 1) {
        fail_data(member.where, fmt::format("entry {} is {}", i, mask[i]),
                  "a mask holds booleans, or zeros and ones");
      }
      if (mask[i] == 0) continue;
      Split& split = splits[i / nodes];
      (part == 0   ? split.train
       : part == 1 ? split.val
                   : split.test)
          .push_back(static_cast<int32_t>(i % nodes));
    }
  }
  return splits;
}

std::vector<std::string> names_if_plain(const Npz& file, std::string_view member, int64_t count,
                                        bool more_allowed) {
  if (!file.has(member)) return {};
  NpyArray array;
  try {
    array = file.get(member);
  } catch (const Error&) {
    return {};  // a pickled dictionary; names only decorate, and do not make the file unusable
  }
  if (array.type != DType::bytes && array.type != DType::unicode) return {};
  if (array.count() < count || (array.count() > count && !more_allowed)) {
    fail_data(array.where, fmt::format("{} names, {} are needed", array.count(), count),
              "the file's arrays do not belong together; download or write it again");
  }
  std::vector<std::string> names = array.strings();
  names.resize(count);
  return names;
}

std::string member_place(const Npz& file, std::string_view member) {
  return fmt::format("{}[{}]", file.path(), member);
}

bool npz_has(const std::filesystem::path& path, std::initializer_list<std::string_view> members) {
  try {
    const Npz file(path);
    return std::all_of(members.begin(), members.end(),
                       [&](std::string_view name) { return file.has(name); });
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace gs
