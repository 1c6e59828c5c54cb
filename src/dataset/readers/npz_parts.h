// Parts that several formats share, taken out of .npy and .npz arrays: a scipy CSR matrix, edges,
// class labels, masks. What prepare() cannot check for every format alike is checked here: offsets
// that ascend to the number of entries, ids in range, shapes that agree. Each failure is a data
// Error at "file[member]" that names the entry.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/npz.h"
#include "dataset/dataset.h"
#include "dataset/reader.h"
#include "dataset/readers/sorted_rows.h"

namespace gs {

// The members PREFIXindptr, PREFIXindices, PREFIXshape and, when `with_values`, PREFIXdata, as
// scipy names them ("adj_" in gnn-benchmark, "" in scipy's own save_npz). Checked, but as stored:
// columns may be unsorted or repeated (sorted_rows.h fixes that). At most 2^31 - 1 rows or columns.
SparseMatrix read_csr(const Npz& file, const std::string& prefix, bool with_values);
std::array<int64_t, 2> csr_shape(const Npz& file, const std::string& prefix);  // rows, columns

// An edge row -> column for every entry of a square matrix (data Error at `where` otherwise).
// Values become weights.
EdgeList csr_edges(const SparseMatrix& matrix, const std::string& where);

// The edges of a square matrix written by scipy's save_npz, as CSR or COO. Its values are not read:
// the formats that store their graph so (GraphSAINT, Reddit) put ones there, and PyG looks only at
// the structure.
EdgeList scipy_edges(const Npz& file);

// Rows of an [M, 2] array as edges source -> target; data Error unless ids are in [0, nodes).
EdgeList pair_edges(const NpyArray& pairs, int64_t nodes);

// An [N, F] array of numbers, mapped where it already is one of floats in a plain file. Data Error
// unless it has `rows` rows (any number when -1).
Features dense_features(const NpyArray& array, int64_t rows = -1);

// What formats with dense features have in common: the name, features [N, F], edges [M, 2] and
// labels, from the members named.
RawDataset read_dense_npz(const Npz& file, const std::filesystem::path& path,
                          std::string_view features, std::string_view edges,
                          std::string_view labels);

// Class ids, one per node: negative means unknown, the number of classes is the largest + 1, two
// classes are a binary task.
Labels class_labels(std::vector<int32_t> ids, const std::string& where);
// From an array of `nodes` class ids ([N] or [N, 1]), or [N, C] of zeros and ones for multi-label.
Labels npy_labels(const NpyArray& array, int64_t nodes);

// Masks [N] (one split) or [S, N] (S of them), of bools or of zeros and ones, named train,
// validation, test.
std::vector<Split> mask_splits(const Npz& file, const std::array<std::string, 3>& members,
                               int64_t nodes);

// Names from a member of plain strings; empty when it is absent or of another kind (originals keep
// pickled dictionaries there, which are not read). Data Error unless there are `count` of them;
// `more_allowed`: a table may name further things (classes without a node), which are left out.
std::vector<std::string> names_if_plain(const Npz& file, std::string_view member, int64_t count,
                                        bool more_allowed = false);

// "file[member]", the place of a member in messages.
std::string member_place(const Npz& file, std::string_view member);

// Whether `path` is an .npz that has all of `members`; never throws.
bool npz_has(const std::filesystem::path& path, std::initializer_list<std::string_view> members);

}  // namespace gs
