"""What the tests of `graphsurgeon tune` share: small searches, and a look at their studies."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import numpy as np
import optuna
from conftest import planted, run_program

SMALL = ["--epochs", "6", "--look-every", "2", "--runs", "2", "--dim", "4", "--search", "aug-dim=4..16:log", "--quiet"]
SMALL += ["--mode", "pre", "--splits", "random:20/40/40"]
BASELINE = ["--dim", "4", "--runs", "2", "--splits", "random:20/40/40", "--hidden", "8", "--epochs", "20", "--quiet"]


def write_graph(folder, y=None, splits=None):
    """A graph as a folder of edge lists, with its own split if one is given."""
    x, edge_index, labels = planted()
    folder.mkdir()
    np.save(folder / "features.npy", x.numpy())
    (folder / "edges.csv").write_text("".join(f"{u},{v}\n" for u, v in edge_index.T.tolist()))
    y = labels.tolist() if y is None else y
    (folder / "labels.csv").write_text("id,label\n" + "".join(f"{i},{label}\n" for i, label in enumerate(y)))
    if splits:
        (folder / "splits.csv").write_text("id,split\n" + "".join(f"{i},{part}\n" for i, part in enumerate(splits)))
    return folder


def run_tune(*words):
    return json.loads(run_program("tune", *words, "--json").stdout)


def storage(folder):
    return optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(str(folder / "journal.log")))


def trials(folder):
    """Those of the study in the folder's journal, if it is there yet."""
    if not (folder / "journal.log").exists():
        return []
    names = optuna.get_all_study_names(storage(folder))
    return optuna.load_study(study_name=names[0], storage=storage(folder)).trials if names else []


def finished(folder):
    return [trial for trial in trials(folder) if trial.state.is_finished()]


def wait_until(holds, seconds=60):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)


def tune_error(*words):
    command_line = [sys.executable, "-m", "graphsurgeon", "tune", *map(str, words)]
    done = subprocess.run(command_line, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr
