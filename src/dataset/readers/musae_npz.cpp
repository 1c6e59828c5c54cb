// PyG's facebook.npz and github.npz: `edges` [M, 2], `features` [N, 128] (its reduction of the
// MUSAE bag of words) and `target` [N].
#include "dataset/readers/npz_parts.h"
#include "dataset/readers/table.h"

namespace gs {

bool detect_musae_npz(const fs::path& path) {
  return npz_has(path, {"edges", "features"}) || npz_has(path, {"edges", "target"});
}

RawDataset read_musae_npz(const ReadRequest& request) {
  const Npz file(request.path);
  RawDataset raw;
  raw.name = dataset_name(request.path);
  raw.features_where = member_place(file, "features");
  raw.features = dense_features(file.get("features"));
  raw.has_features = true;
  raw.nodes = raw.features.rows();
  check_node_count(raw.nodes, raw.features_where);
  raw.edges_where = member_place(file, "edges");
  raw.edges = pair_edges(file.get("edges"), raw.nodes);
  raw.labels_where = member_place(file, "target");
  raw.labels = npy_labels(file.get("target"), raw.nodes);
  // The list has both directions already; pages that link to themselves are no neighbours.
  raw.symmetrize = true;
  raw.self_loops = SelfLoops::drop;
  return raw;
}

}  // namespace gs
