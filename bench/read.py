#!/usr/bin/env python3
"""Reads a gnn-benchmark .npz into a symmetric graph and sparse features: ours and numpy + scipy.

Both do the same work (symmetrize, drop loops, make binary) and must agree on the counts before they
are timed. Imports are not timed.
"""

import json
import os
import subprocess
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("GRAPHSURGEON_DATA") or HERE.parent.parent / "shared" / "data")
FILES = {
    "photo": "amazon_electronics_photo.npz",
    "cs": "ms_academic_cs.npz",
    "pubmed": "pubmed.npz",
}
ROUNDS, REPEATS = 5, 10


def read_scipy(path):
    with np.load(path) as z:
        adjacency = sp.csr_matrix(
            (z["adj_data"], z["adj_indices"], z["adj_indptr"]), shape=z["adj_shape"]
        )
        features = sp.csr_matrix(
            (z["attr_data"], z["attr_indices"], z["attr_indptr"]),
            shape=z["attr_shape"],
            dtype=np.float32,
        )
        labels = z["labels"]
    adjacency.setdiag(0)
    adjacency.eliminate_zeros()
    adjacency = (adjacency + adjacency.T).tocsr()
    adjacency.data[:] = 1
    features.data[:] = features.data > 0
    return adjacency, features, labels


def main():
    for name, file in FILES.items():
        path = DATA / file
        if not path.exists():
            print(f"{name}: {path} is not here, skipped")
            continue
        adjacency, features, _ = read_scipy(path)
        times = {"scipy": [], "ours": []}
        for _ in range(ROUNDS):  # alternating, so that a noisy moment meets both
            for _ in range(REPEATS):
                begun = time.perf_counter()
                read_scipy(path)
                times["scipy"].append(1000 * (time.perf_counter() - begun))
            command = [HERE.parent / "build" / "bench_read", path, str(REPEATS)]
            ours = json.loads(
                subprocess.run(command, check=True, capture_output=True, text=True).stdout
            )
            assert ours["edges"] == adjacency.nnz and ours["nonzeros"] == features.nnz, (
                ours,
                adjacency.nnz,
                features.nnz,
            )
            times["ours"] += ours["ms"]
        median = {key: float(np.median(value)) for key, value in times.items()}
        print(
            json.dumps(
                {
                    "dataset": name,
                    "ours_ms": round(median["ours"], 2),
                    "scipy_ms": round(median["scipy"], 2),
                    "ratio": round(median["ours"] / median["scipy"], 3),
                }
            )
        )


if __name__ == "__main__":
    main()
