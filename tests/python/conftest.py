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
    """Photo's own file, or a generated one in the same format, so that this runs without the data too."""
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
