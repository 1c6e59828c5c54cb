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
  RawDataset raw = read_dense_npz(file, request.path, "features", "edges", "target");
  // The list has both directions already; pages that link to themselves are no neighbors.
  raw.symmetrize = true;
  raw.self_loops = SelfLoops::drop;
  return raw;
}

}  // namespace gs
