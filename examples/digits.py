"""Writes a small real graph: 1,797 images of handwritten digits, each linked to its nearest ones.

    python examples/digits.py FOLDER [--neighbors 10]

The images come with scikit-learn, so nothing is downloaded. A node is an image, its 64 features
are the brightness of its pixels, its label is the digit.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.neighbors import kneighbors_graph


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--neighbors", type=int, default=10)
    arguments = parser.parse_args()
    images, digits = load_digits(return_X_y=True)
    sources, targets = kneighbors_graph(images, arguments.neighbors).nonzero()
    edges = np.unique(np.sort(np.column_stack([sources, targets]), axis=1), axis=0)
    labels = np.column_stack([np.arange(len(digits)), digits])

    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    np.savetxt(folder / "edges.csv", edges, "%d", ",")
    np.savetxt(folder / "labels.csv", labels, "%d", ",", header="id,label", comments="")
    np.save(folder / "features.npy", images.astype(np.float32))
    print(f"wrote {folder}: {len(images)} images, {len(edges)} links")


if __name__ == "__main__":
    main()
