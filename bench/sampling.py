#!/usr/bin/env python3
"""Sampled edges per second of the neighbor loader and of PyTorch Geometric's NeighborLoader.

    sampling.py [--quick] [--seconds 3] [--peer-python PATH]

The graph is R-MAT (a power law) with 233,000 nodes and 40 million directed entries; fan-outs
[10,10], [32,32] and [15,10,5], batches of 1024 target nodes, no features. Ours goes through
Prefetch with one and two workers; the peer samples in its own process, one thread. The peer needs
an interpreter with torch_geometric and torch-sparse or pyg-lib (--peer-python, else
$GRAPHSURGEON_PEER_PYTHON, else the project's own); without one, it is skipped with a note.

Writes build/bench/sampling.json and .md.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from common import PROGRAM, PYTHON, RESULTS, end_cleanly, machine, program, run, write

BENCH = PROGRAM.parent / "bench_sampling"
FANOUTS = ([10, 10], [32, 32], [15, 10, 5])
NODES, EDGES, BATCH = 233000, 40000000, 1024
FASTER, TWO_WORKERS = 15, 1.8


def peer(folder, seconds):
    """Runs in the peer's interpreter: prints one line of JSON."""
    import torch
    import torch_geometric.typing
    from torch_geometric.data import Data
    from torch_geometric.loader import NeighborLoader

    torch.set_num_threads(1)
    offsets, neighbors = (
        np.load(Path(folder) / f"{name}.npy") for name in ("offsets", "neighbors")
    )
    target = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    data = Data(
        edge_index=torch.from_numpy(np.stack([neighbors.astype(np.int64), target])),
        num_nodes=len(offsets) - 1,
    )
    cases = []
    for fanouts in FANOUTS:
        loader = NeighborLoader(data, num_neighbors=list(fanouts), batch_size=BATCH, shuffle=True)
        batches = iter(loader)
        next(batches)
        edges, begun = 0, time.perf_counter()
        while time.perf_counter() - begun < seconds:
            edges += next(batches).edge_index.size(1)
        cases.append(
            {"fanouts": fanouts, "edges_per_second": edges / (time.perf_counter() - begun)}
        )
    backend = "pyg-lib" if torch_geometric.typing.WITH_PYG_LIB else "torch-sparse"
    print(json.dumps({"backend": backend, "cases": cases}))


def run_peer(python, seconds):
    check = "import torch_geometric.typing as t; assert t.WITH_PYG_LIB or t.WITH_TORCH_SPARSE"
    if subprocess.run([str(python), "-W", "ignore", "-c", check], capture_output=True).returncode:
        print("the peer is left out: no torch-sparse or pyg-lib in", python, file=sys.stderr)
        return None
    folder = Path(tempfile.mkdtemp(prefix="sampling.", dir=RESULTS))
    try:
        program(
            "data generate --generator rmat --nodes",
            NODES,
            "--edges",
            EDGES,
            "--features 0 --classes 0 -o",
            folder / "graph",
            "--overwrite",
        )
        return run(
            [python, "-W", "ignore", __file__, "--as-peer", folder / "graph", "--seconds", seconds]
        )
    finally:
        shutil.rmtree(folder)


def main():
    end_cleanly()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument(
        "--peer-python", type=Path, default=Path(os.environ.get("GRAPHSURGEON_PEER_PYTHON", PYTHON))
    )
    parser.add_argument("--as-peer", help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.as_peer:
        return peer(a.as_peer, a.seconds)
    if not BENCH.exists():
        sys.exit(f"{BENCH} is not here; './dev build' makes it")
    RESULTS.mkdir(parents=True, exist_ok=True)
    seconds = 1 if a.quick else a.seconds
    theirs = run_peer(a.peer_python, seconds)
    ours = run(
        [
            BENCH,
            "--nodes",
            NODES,
            "--edges",
            EDGES,
            "--batch-size",
            BATCH,
            "--seconds",
            seconds,
            "--json",
        ]
    )
    rate = {(tuple(c["fanouts"]), c["workers"]): c["edges_per_second"] / 1e6 for c in ours["cases"]}
    rows, targets = [], []
    for i, fanouts in enumerate(FANOUTS):
        one, two = rate[tuple(fanouts), 1], rate[tuple(fanouts), 2]
        row = {"fanouts": fanouts, "one_worker": one, "two_workers": two}
        name = ",".join(map(str, fanouts))
        targets.append(
            {"what": f"[{name}] two workers over one", "value": two / one, "wanted": TWO_WORKERS}
        )
        if theirs:
            row["peer"] = theirs["cases"][i]["edges_per_second"] / 1e6
            targets.append(
                {
                    "what": f"[{name}] over {theirs['backend']}, one thread",
                    "value": one / row["peer"],
                    "wanted": FASTER,
                }
            )
        rows.append(row)
    for target in targets:
        target["met"] = bool(target["value"] >= target["wanted"])
    lines = [
        "| fan-outs | ours, 1 worker | ours, 2 workers | "
        f"{theirs['backend'] if theirs else 'peer'} |",
        "|---|--:|--:|--:|",
    ]
    lines += [
        f"| {r['fanouts']} | {r['one_worker']:.2f} | {r['two_workers']:.2f} | "
        f"{r.get('peer', float('nan')):.2f} |"
        for r in rows
    ]
    lines += [
        "",
        "Million sampled edges a second.",
        "",
        "| target | measured | at least | |",
        "|---|--:|--:|---|",
    ]
    lines += [
        f"| {t['what']} | {t['value']:.3g} | {t['wanted']:g} | {'met' if t['met'] else 'missed'} |"
        for t in targets
    ]
    write("sampling", {"machine": machine(1), "rows": rows, "targets": targets}, lines)
    return None


if __name__ == "__main__":
    main()
