"""Embeddings in two dimensions: t-SNE or UMAP of a sample, PCA of all nodes.

The same input and seed give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

MAP_NODES = 20_000  # drawn at most
SAMPLE_NODES = 2_500  # of t-SNE and UMAP, which take longer
STEPS: dict[str, Any] = {
    "max_iter": 400,
    "angle": 0.8,
}  # half the time of the defaults, for maps as good to read
FIT_ROWS = 50_000  # that principal directions are found on


@dataclass
class Projection:
    name: str
    about: str
    points: np.ndarray  # of the first nodes of the order, [n, 2]


def drawn_nodes(nodes: int, seed: int) -> np.ndarray:
    """The nodes to draw in a random order, so that any first part of it is a sample."""
    return np.random.default_rng([seed, nodes]).permutation(nodes)[:MAP_NODES]


def principal(rows: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, directions [k, W] with a fixed sign, and their shares of the variance."""
    rows = rows.astype(np.float64)
    mean = rows.mean(0)
    values, vectors = np.linalg.eigh(np.cov(rows - mean, rowvar=False).reshape(rows.shape[1], -1))
    chosen = np.argsort(values)[::-1][:width]
    directions = vectors[:, chosen].T
    largest = np.abs(directions).argmax(1)
    directions *= np.sign(directions[np.arange(len(chosen)), largest])[:, None]
    return mean, directions, values[chosen] / max(values.sum(), 1e-30)


def project(z: np.ndarray, order: np.ndarray, seed: int, kind: str) -> list[Projection]:
    """The map of the `kind` (a key of MAPS) first, then principal components."""
    fit = np.sort(np.random.default_rng([seed, len(z), 1]).permutation(len(z))[:FIT_ROWS])
    mean, directions, shares = principal(np.asarray(z[fit]), min(50, z.shape[1]))
    coordinates = (np.asarray(z[order], np.float64) - mean) @ directions.T
    if coordinates.shape[1] == 1:
        coordinates = np.column_stack([coordinates, np.zeros(len(order))])
        shares = np.append(shares, 0)
    first, second = 100 * shares[:2]
    about = f"the two directions hold {first:.0f} % and {second:.0f} % of the variance"
    out = [Projection("PCA", about, coordinates[:, :2])]
    name, embed = MAPS[kind]
    sample = coordinates[:SAMPLE_NODES].astype(np.float32)
    if embed and len(sample) >= 10:
        of = "all" if len(sample) == len(z) else f"a random sample of {len(sample):,} of"
        about = f"{of} {len(z):,} nodes; neighbors are neighbors, other distances mean little"
        out.insert(0, Projection(name, about, embed(sample, seed)))
    return out


def tsne(rows: np.ndarray, seed: int) -> np.ndarray:
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    start = rows[:, :2] / max(rows[:, 0].std(), 1e-12) * 1e-4
    perplexity = min(30.0, (len(rows) - 1) / 3)
    with threadpool_limits(1):  # sums over several threads come out in any order
        model = TSNE(init=start, perplexity=perplexity, random_state=seed, **STEPS)
        return model.fit_transform(rows)


def umap(rows: np.ndarray, seed: int) -> np.ndarray:
    from umap import UMAP

    neighbors = min(15, len(rows) - 1)
    return UMAP(n_neighbors=neighbors, random_state=seed, n_jobs=1).fit_transform(rows)


Embed = Callable[[np.ndarray, int], np.ndarray]
MAPS: dict[str, tuple[str, Embed | None]] = {
    "tsne": ("t-SNE", tsne),
    "umap": ("UMAP", umap),
    "pca": ("PCA", None),
}
