"""Wrong predictions: the test nodes of one split, their confusion, and accuracy by degree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .graph import Graph


@dataclass
class Predictions:
    """Of test nodes: class ids [n], or zeros and ones [n, C]."""

    how: str  # whose they are, in words
    nodes: np.ndarray
    truth: np.ndarray
    predicted: np.ndarray

    @property
    def multi_label(self) -> bool:
        return self.truth.ndim == 2

    @property
    def score(self) -> float:
        """Percent: accuracy, or micro F1 where a node has several labels."""
        if self.multi_label:
            return 100 * micro_f1(self.truth, self.predicted)
        return 100 * float((self.truth == self.predicted).mean())


def micro_f1(truth: np.ndarray, predicted: np.ndarray) -> float:
    wrong, right = int((truth != predicted).sum()), int((truth & predicted).sum())
    return 2 * right / max(1, 2 * right + wrong)


def read_predictions(file: Path, graph: Graph, how: str) -> Predictions:
    """Of what `eval --predictions` wrote."""
    assert graph.labels is not None
    found = np.load(file, allow_pickle=False)
    nodes = np.flatnonzero(found[:, 0] != 255 if found.ndim == 2 else found >= 0)
    return Predictions(
        f"{how}, {len(nodes):,} test nodes", nodes, graph.labels[nodes], found[nodes]
    )


def confusion(predictions: Predictions, classes: int) -> np.ndarray:
    """Counts [truth, predicted]."""
    out = np.zeros((classes, classes), np.int64)
    np.add.at(out, (predictions.truth, predictions.predicted), 1)
    return out


@dataclass
class Bucket:
    name: str  # of degrees
    least: int  # of them
    nodes: int
    score: float  # percent
    low: float  # 95 % interval (Wilson's) of an accuracy; the score itself for F1
    high: float


def by_degree(predictions: Predictions, degree: np.ndarray) -> list[Bucket]:
    """Degrees 0, 1, 2-3, 4-7, ... that have test nodes."""
    of_node = degree[predictions.nodes].astype(np.int64)
    number = np.where(of_node == 0, 0, np.floor(np.log2(np.maximum(of_node, 1))).astype(int) + 1)
    out = []
    for b in np.unique(number):
        here = number == b
        low, high = (0, 0) if b == 0 else (2 ** (b - 1), 2**b - 1)
        name = (
            f"{low}"
            if low == high
            else f"{low}–{high}"
            if high < 1024
            else f"{low // 1024}k–{2 * low // 1024}k"
        )
        out.append(bucket(name, int(low), predictions, here))
    return out


def bucket(name: str, least: int, predictions: Predictions, here: np.ndarray) -> Bucket:
    truth, predicted, n = predictions.truth[here], predictions.predicted[here], int(here.sum())
    if predictions.multi_label:
        score = 100 * micro_f1(truth, predicted)
        return Bucket(name, least, n, score, score, score)
    p, z = float((truth == predicted).mean()), 1.96
    middle, half = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return Bucket(
        name, least, n, 100 * p, 100 * (middle - half) / scale, 100 * (middle + half) / scale
    )
