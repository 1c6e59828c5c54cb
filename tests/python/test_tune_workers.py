"""The processes of `graphsurgeon tune`: shared studies, lost trials, stopping a search."""

import os
import signal
import subprocess
import sys
import time

import optuna
import pytest
from conftest import write_graph
from optuna.trial import TrialState
from tuning import SMALL, finished, run_tune, storage, trials, wait_until

from graphsurgeon import _cli
from graphsurgeon.tune.owner import begun_at


def begin(*words):
    """Starts the search in a process of its own."""
    line = [sys.executable, "-m", "graphsurgeon", "tune", *map(str, words)]
    return subprocess.Popen(line, stderr=subprocess.PIPE, text=True)


def workers_of(folder):
    """The processes that have begun trials."""
    return {
        trial.user_attrs["worker"]["pid"]
        for trial in trials(folder)
        if "worker" in trial.user_attrs
    }


def test_two_workers_share_a_study_and_a_storage(tmp_path):
    data = write_graph(tmp_path / "data")
    url = f"sqlite:///{tmp_path}/study.db"
    words = ["--trials", 6, "--workers", 2, "--storage", url, *SMALL]
    result = run_tune(data, "-o", tmp_path / "study", *words)
    assert result["trials"] >= 6
    study = optuna.load_study(study_name="graphsurgeon", storage=url)
    assert len({trial.user_attrs["worker"]["pid"] for trial in study.trials}) == 2


def test_a_killed_search_loses_its_trial_and_continues(tmp_path):
    data = write_graph(tmp_path / "data")
    words = [data, "-o", tmp_path / "study", *SMALL, "--epochs", "300", "--look-every", "100"]
    process = begin(*words, "--trials", "1000")
    wait_until(lambda: len(finished(tmp_path / "study")) >= 2, seconds=120)
    process.kill()
    process.communicate()
    before = finished(tmp_path / "study")
    assert len(before) >= 2
    result = run_tune(*words, "--trials", len(before) + 2)
    assert result["trials"] == len(before) + 2
    after = trials(tmp_path / "study")
    assert not any(trial.state == TrialState.RUNNING for trial in after)
    assert [trial.value for trial in after[: len(before)]] == [trial.value for trial in before]


def test_an_interrupted_search_says_how_to_continue(tmp_path):
    data = write_graph(tmp_path / "data")
    long = ["--epochs", "100000", "--look-every", "50000"]
    process = begin(data, "-o", tmp_path / "study", *SMALL, *long)
    wait_until(lambda: workers_of(tmp_path / "study"), seconds=120)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, printed = process.communicate(timeout=60)
    assert process.returncode == 4, printed
    assert "the same command continues" in printed


def test_ctrl_c_is_recognized_after_an_error_during_cleanup(capsys):
    def work():
        try:
            raise KeyboardInterrupt
        finally:
            raise FileNotFoundError("a lock")

    assert _cli.run(work, "error: stopped") == 4
    assert capsys.readouterr().err == "error: stopped\n"
    with pytest.raises(ValueError, match="other"):
        _cli.run(lambda: int("other"), "")


def test_dead_and_living_processes_are_distinguished():
    child = subprocess.Popen(["true"])
    wait_until(lambda: begun_at(child.pid) is None, seconds=10)  # it ended, but is a zombie
    assert os.path.exists(f"/proc/{child.pid}") and begun_at(child.pid) is None
    child.wait()
    assert begun_at(child.pid) is None
    assert begun_at(os.getpid()) == begun_at(os.getpid()) is not None


def test_a_trial_that_was_never_signed_is_lost(tmp_path):
    words = [write_graph(tmp_path / "data"), "-o", tmp_path / "study", *SMALL, "--trials", 1]
    run_tune(*words)
    study = optuna.load_study(study_name="graphsurgeon", storage=storage(tmp_path / "study"))
    study.ask()  # as if a worker was killed at once
    assert run_tune(*words)["failed"] == 1


def test_workers_end_with_their_parent(tmp_path):
    data = write_graph(tmp_path / "graph")
    parent = begin(data, "-o", tmp_path / "study", "--workers", "2", "--trials", "100000", *SMALL)
    try:
        wait_until(lambda: len(workers_of(tmp_path / "study")) == 2)
    finally:
        parent.kill()
        parent.communicate()
    wait_until(lambda: all(begun_at(pid) is None for pid in workers_of(tmp_path / "study")))


def test_an_interrupt_of_the_parent_alone_reaches_its_workers(tmp_path):
    """As with `kill -INT`; a terminal interrupts all of them."""
    data = write_graph(tmp_path / "data")
    study = tmp_path / "study"
    # Weights that hardly move cannot collapse, which would end a trial by itself.
    long = ["--epochs", "1000000", "--look-every", "1000000", "--lr", "1e-12"]
    parent = begin(data, "-o", study, "--workers", "2", *SMALL, *long)
    wait_until(lambda: len(workers_of(study)) == 2)
    parent.send_signal(signal.SIGINT)
    _, printed = parent.communicate(timeout=60)
    assert parent.returncode == 4
    assert "the same command continues" in printed and "Traceback" not in printed
    states = [trial.state for trial in trials(study)]
    assert states.count(TrialState.FAIL) == 2 and TrialState.RUNNING not in states
    assert all(begun_at(pid) is None for pid in workers_of(study))
