#!/usr/bin/env python3
"""Singular vectors of diffused features: ours and scipy's, in one run.

The peer is a script outside this repository. Both must capture the same share of the energy of the
diffused features, |Q'H|^2 / |H|^2 with Q an orthonormal basis of the embedding, before they are
timed. Ours is timed without loading the program and the data, as the peer is.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from common import DATA, PEER, PROGRAM

DIFFUSED = PEER.parent / "diffused_peer.py"
DATASETS = {"cs": "ms_academic_cs.npz", "facebook": "facebook/raw"}
SETTINGS = argparse.Namespace(alpha=0.15, hops=10, mean_hops=0, dim=256)


def load_peer():
    spec = importlib.util.spec_from_file_location("diffused_peer", DIFFUSED)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def captured(peer, adjacency, x, z):
    basis = np.linalg.qr(z)[0]
    inside = np.square(x.T @ peer.diffuse(adjacency, basis, SETTINGS)).sum()
    block, total = 256, 0.0
    for begin in range(0, x.shape[1], block):
        columns = x[:, begin : begin + block].toarray()
        total += np.square(peer.diffuse(adjacency, columns, SETTINGS)).sum()
    return inside / total


def ours(name, folder):
    words = [str(PROGRAM), "train", name, "--method", "diffused", "-o", folder]
    words += ["--overwrite", "--quiet", "--json"]
    known = {**os.environ, "GRAPHSURGEON_DATA": str(DATA)}
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=known)
    return json.loads(done.stdout)["seconds"], np.load(Path(folder) / "embeddings.npy")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    if not DIFFUSED.exists():
        print(f"{DIFFUSED} is not here, skipped")
        return
    peer = load_peer()
    print("| dataset | ours, s | peer, s | ratio | captured, ours | captured, peer |")
    print("|---|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, file in DATASETS.items():
            if not (DATA / file).exists():
                print(f"{name}: {DATA / file} is not here, skipped")
                continue
            adjacency, x, _, _ = peer.load(str(DATA / file))
            times, z = [], None
            for _ in range(arguments.repeats):
                seconds, z = ours(name, folder)
                start = time.time()
                other = peer.embed(adjacency, x, SETTINGS)
                times.append((seconds, time.time() - start))
            energy = captured(peer, adjacency, x, z), captured(peer, adjacency, x, other)
            assert energy[0] > energy[1] - 0.001, energy
            best = [min(column) for column in zip(*times, strict=True)]
            print(
                f"| {name} | {best[0]:.2f} | {best[1]:.2f} | {best[1] / best[0]:.1f} "
                f"| {energy[0]:.4f} | {energy[1]:.4f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
