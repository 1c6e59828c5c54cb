"""What the tests share: the program as a user runs it, Photo where the shared data is, and a small generated graph."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import graphsurgeon

SOURCE = Path(__file__).parents[2]
PHOTO = "amazon_electronics_photo.npz"


def run_program(*words: object, **keywords: object) -> subprocess.CompletedProcess[str]:
    """The tool as `python -m graphsurgeon`, which must succeed."""
    command = [sys.executable, "-m", "graphsurgeon", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, **keywords)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="session")
def photo_file() -> Path:
    """Photo's own file. Without the shared data, a test that needs it is skipped."""
    folder = os.environ.get("GRAPHSURGEON_DATA")
    if folder and (Path(folder) / PHOTO).exists():
        return Path(folder) / PHOTO
    pytest.skip("GRAPHSURGEON_DATA names no folder with Photo in it; test_generated_photo does the same without")


def planted(nodes: int = 120, classes: int = 3, width: int = 40, seed: int = 0):
    """x, edge_index and y of a small graph with communities; edges both ways, sorted, without loops or repeats."""
    rng = np.random.default_rng(seed)
    y = np.arange(nodes) % classes
    same = y[:, None] == y[None, :]
    upper = np.triu(rng.random((nodes, nodes)) < np.where(same, 0.2, 0.02), 1)
    edges = np.argwhere(upper | upper.T)
    x = (rng.random((nodes, width)) < np.where(np.arange(width) % classes == y[:, None], 0.5, 0.3)).astype(np.float32)
    return torch.from_numpy(x), torch.from_numpy(edges.T.copy()), torch.from_numpy(y)


@pytest.fixture(scope="session")
def graph():
    return planted()


# Trains in a moment. Eight columns collapse with the defaults, which are for wider models.
SMALL = {"aug_dim": 16, "dim": 8, "epochs": 4, "lr": 0.001, "gamma": 200.0, "dropout": 0.2, "progress": False}


@pytest.fixture
def quick():
    """An estimator that trains in a moment."""

    def make(**keywords):
        return graphsurgeon.GraphSurgeon(**(SMALL | keywords))

    return make


HOSTILE = ["<script>alert('a')</script>", "</script><img src=x onerror=alert('b')>", "a & <b>b</b> %{x}"]


def write_edge_list(folder: Path, names: list[str]) -> Path:
    """The planted graph as a folder of tables, its classes called `names`."""
    x, edge_index, y = planted(width=12)
    folder.mkdir()
    np.save(folder / "features.npy", x.numpy())
    (folder / "edges.csv").write_text("".join(f"{u},{v}\n" for u, v in edge_index.T.tolist()))
    rows = "".join(f'{i},"{names[c]}"\n' for i, c in enumerate(y.tolist()))
    (folder / "labels.csv").write_text("id,label\n" + rows)
    return folder


@pytest.fixture(scope="session")
def report_runs(tmp_path_factory) -> Path:
    """A folder of small runs to report: labelled (classes with hostile names), pre, gcn, once, unlabelled, multi."""
    folder = tmp_path_factory.mktemp("report")
    data = write_edge_list(folder / "data", HOSTILE)
    small = ["--aug-dim", 16, "--dim", 8, "--gamma", 200, "--lr", 0.001, "--threads", 1, "--quiet"]
    run_program("train", data, "-o", folder / "labelled", "--epochs", 5, *small)
    run_program("train", data, "-o", folder / "pre", "--epochs", 5, "--mode", "pre", *small)
    gcn = ["--method", "gcn", "--epochs", 4, "--runs", 2, "--threads", 1, "--quiet"]
    run_program("train", data, "-o", folder / "gcn", *gcn)
    run_program("train", data, "-o", folder / "once", "--epochs", 1, *small)
    run_program("train", "sbm:nodes=90,classes=0,features=10", "-o", folder / "unlabelled", "--epochs", 3, *small)
    multi = "sbm:nodes=150,classes=4,features=16,labels-per-node=2"
    run_program("train", multi, "-o", folder / "multi", "--epochs", 3, *small)
    return folder
