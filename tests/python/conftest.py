"""Shared by the tests: the program as a user runs it, Photo, and a small generated graph."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import graphsurgeon

SOURCE = Path(__file__).parents[2]
PHOTO = "amazon_electronics_photo.npz"


def run_python(*words: object, **keywords: Any) -> subprocess.CompletedProcess[str]:
    """Another Python process."""
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, **keywords)


def run_program(*words: object, **keywords: Any) -> subprocess.CompletedProcess[str]:
    """Runs `python -m graphsurgeon`, which must succeed."""
    done = run_python("-m", "graphsurgeon", *words, **keywords)
    assert done.returncode == 0, done.stderr
    return done


def failed_program(*words: object) -> tuple[int, str]:
    """Runs `python -m graphsurgeon`, which must fail; returns its exit code and what it printed."""
    done = run_python("-m", "graphsurgeon", *words)
    assert done.returncode != 0 and "Traceback" not in done.stderr
    return done.returncode, done.stderr


@pytest.fixture(scope="session")
def photo_file() -> Path:
    """The file of Photo. Tests that need it are skipped without the shared data."""
    folder = os.environ.get("GRAPHSURGEON_DATA")
    if folder and (Path(folder) / PHOTO).exists():
        return Path(folder) / PHOTO
    pytest.skip("GRAPHSURGEON_DATA has no Photo; test_generated_photo does the same without it")


def planted(nodes: int = 120, classes: int = 3, width: int = 40, seed: int = 0):
    """x, edge_index and y of a small graph with communities.

    Every edge is stored in both directions; they are sorted, without loops or repeats.
    """
    rng = np.random.default_rng(seed)
    y = np.arange(nodes) % classes
    same = y[:, None] == y[None, :]
    upper = np.triu(rng.random((nodes, nodes)) < np.where(same, 0.2, 0.02), 1)
    edges = np.argwhere(upper | upper.T)
    likely = np.where(np.arange(width) % classes == y[:, None], 0.5, 0.3)
    x = (rng.random((nodes, width)) < likely).astype(np.float32)
    return torch.from_numpy(x), torch.from_numpy(edges.T.copy()), torch.from_numpy(y)


@pytest.fixture(scope="session")
def graph():
    return planted()


# Trains in a moment. With the defaults, which are for wider models, eight columns collapse.
SMALL: dict[str, Any] = {
    "aug_dim": 16,
    "dim": 8,
    "epochs": 4,
    "lr": 0.001,
    "gamma": 200.0,
    "dropout": 0.2,
    "progress": False,
}


@pytest.fixture
def quick():
    """An estimator that trains in a moment."""

    def make(**keywords):
        return graphsurgeon.GraphSurgeon(**(SMALL | keywords))

    return make


def write_graph(
    folder: Path,
    labels: list[Any] | None = None,
    splits: list[str] | None = None,
    width: int = 40,
) -> Path:
    """Writes the planted graph as tables, with other labels and a split of its own if given."""
    x, edge_index, y = planted(width=width)
    labels = y.tolist() if labels is None else labels
    tables = {
        "edges.csv": edge_index.T.tolist(),
        "labels.csv": [("id", "label"), *enumerate(labels)],
    }
    if splits is not None:
        tables["splits.csv"] = [("id", "split"), *enumerate(splits)]
    folder.mkdir()
    np.save(folder / "features.npy", x.numpy())
    for name, rows in tables.items():
        with open(folder / name, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, quoting=csv.QUOTE_NONNUMERIC).writerows(rows)
    return folder


HOSTILE = [
    "<script>alert('a')</script>",
    "</script><img src=x onerror=alert('b')>",
    "a & <b>b</b> %{x}",
]


@pytest.fixture(scope="session")
def report_runs(tmp_path_factory) -> Path:
    """Small runs to report: labeled (hostile class names), pre, gcn, once, unlabeled, multi."""
    folder = tmp_path_factory.mktemp("report")
    data = write_graph(folder / "data", [HOSTILE[i % 3] for i in range(120)], width=12)
    small = ["--aug-dim", 16, "--dim", 8, "--gamma", 200, "--lr", 0.001, "--threads", 1, "--quiet"]
    run_program("train", data, "-o", folder / "labeled", "--epochs", 5, *small)
    run_program("train", data, "-o", folder / "pre", "--epochs", 5, "--mode", "pre", *small)
    gcn = ["--method", "gcn", "--epochs", 4, "--num-splits", 2, "--threads", 1, "--quiet"]
    run_program("train", data, "-o", folder / "gcn", *gcn)
    run_program("train", data, "-o", folder / "once", "--epochs", 1, *small)
    plain = "sbm:nodes=90,classes=0,features=10"
    run_program("train", plain, "-o", folder / "unlabeled", "--epochs", 3, *small)
    multi = "sbm:nodes=150,classes=4,features=16,labels-per-node=2"
    run_program("train", multi, "-o", folder / "multi", "--epochs", 3, *small)
    return folder
