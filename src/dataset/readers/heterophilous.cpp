// The .npz of the heterophilous graphs (Roman-empire, Amazon-ratings, Minesweeper, Tolokers,
// Questions): `node_features` [N, F], `node_labels` [N], `edges` [E, 2] and {train,val,test}_masks
// [S, N].
#include "dataset/readers/npz_parts.h"
#include "dataset/readers/table.h"

namespace gs {

bool detect_heterophilous(const fs::path& path) {
  return npz_has(path, {"edges", "node_features"}) || npz_has(path, {"edges", "node_labels"});
}

RawDataset read_heterophilous(const ReadRequest& request) {
  const Npz file(request.path);
  RawDataset raw = read_dense_npz(file, request.path, "node_features", "edges", "node_labels");
  raw.splits_where = member_place(file, "train_masks");
  raw.splits = mask_splits(file, {"train_masks", "val_masks", "test_masks"}, raw.nodes);
  raw.symmetrize = true;  // the file lists each undirected edge once
  return raw;
}

}  // namespace gs
