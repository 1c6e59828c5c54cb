"""Who is predicted wrongly: predictions for the test nodes of one split, their confusion, and accuracy by degree.

A method that learns from labels is taken at its own word (its output is a score a class). For embeddings, a logistic
regression is fitted on the training nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .graph import Graph
from .split import Split

TRAIN_NODES, TEST_NODES = 20_000, 100_000  # at most


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


def predict(z: np.ndarray, graph: Graph, split: Split, supervised: bool, seed: int) -> Predictions:
    test = sample(split.test, TEST_NODES, seed)
    truth = graph.labels[test]
    multi = graph.multi_label
    if supervised:
        scores = np.asarray(z[test])
        predicted = (scores > 0).astype(np.uint8) if multi else scores.argmax(1)
        return Predictions(f"the method's own, on the test nodes of {split.text}", test, truth, predicted)
    train = sample(split.train, TRAIN_NODES, seed)
    fitted = fit_each(z, graph, train, test) if multi else fit(z, graph.labels[train], train, test)
    how = (
        f"by a logistic regression of scikit-learn's on the embeddings, fitted on {len(train):,} training nodes of "
        f"{split.text}, scored on {len(test):,} test nodes"
    )
    return Predictions(how, test, truth, fitted)


def sample(nodes: np.ndarray, most: int, seed: int) -> np.ndarray:
    if len(nodes) <= most:
        return nodes
    return np.sort(np.random.default_rng([seed, most]).choice(nodes, most, replace=False))


def rows_of(z: np.ndarray, train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scaled by the training nodes."""
    a, b = np.asarray(z[train], np.float64), np.asarray(z[test], np.float64)
    mean, deviation = a.mean(0), a.std(0)
    deviation[deviation < 1e-12] = 1
    return (a - mean) / deviation, (b - mean) / deviation


def fit(z: np.ndarray, labels: np.ndarray, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    if len(np.unique(labels)) < 2:
        return np.full(len(test), labels[0] if len(labels) else 0)
    a, b = rows_of(z, train, test)
    return logistic(a, labels).predict(b)


def fit_each(z: np.ndarray, graph: Graph, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    a, b = rows_of(z, train, test)
    out = np.zeros((len(test), graph.classes), np.uint8)
    for c in range(graph.classes):
        labels = graph.labels[train, c]
        out[:, c] = logistic(a, labels).predict(b) if len(np.unique(labels)) > 1 else labels[0]
    return out


def logistic(rows: np.ndarray, labels: np.ndarray):
    import warnings

    from sklearn.linear_model import LogisticRegression

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # not converged within the steps: close enough to see who is wrong
        return LogisticRegression(C=0.1, max_iter=200).fit(rows, labels)


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
        name = f"{low}" if low == high else f"{low}–{high}" if high < 1024 else f"{low // 1024}k–{2 * low // 1024}k"
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
    return Bucket(name, least, n, 100 * p, 100 * (middle - half) / scale, 100 * (middle + half) / scale)
