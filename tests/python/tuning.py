"""Shared by the tests of `graphsurgeon tune`: small searches and access to their studies."""

from __future__ import annotations

import json
import time

import optuna
from conftest import failed_program, run_program

SPLITS = ["--num-splits", "2", "--splits", "random:20/40/40"]
SMALL = ["--epochs", "6", "--look-every", "2", "--dim", "4", "--search", "aug-dim=4..16:log"]
SMALL += ["--quiet", "--mode", "pre", *SPLITS]
BASELINE = ["--dim", "4", *SPLITS, "--hidden", "8", "--epochs", "20", "--quiet"]


def run_tune(*words):
    return json.loads(run_program("tune", *words, "--json").stdout)


def storage(folder):
    journal = optuna.storages.journal.JournalFileBackend(str(folder / "journal.log"))
    return optuna.storages.JournalStorage(journal)


def trials(folder):
    """The trials of the study in the folder's journal, if it exists yet."""
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
    """The exit code and the message of a search that fails."""
    return failed_program("tune", *words)
