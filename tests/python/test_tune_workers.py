"""The processes of `graphsurgeon tune`: shared studies, lost trials, and how a search is stopped."""

import os
import signal
import subprocess
import sys
import time

import optuna
import pytest
from tuning import SMALL, finished, run_tune, storage, trials, wait_until, write_graph

from graphsurgeon import command
from graphsurgeon.tune.owner import begun_at


def begin(*words):
    """The search as a process, whose workers are its own."""
    line = [sys.executable, "-m", "graphsurgeon", "tune", *map(str, words)]
    return subprocess.Popen(line, stderr=subprocess.PIPE, text=True)


def workers_of(folder):
    """The processes that have begun trials."""
    return {trial.user_attrs["worker"]["pid"] for trial in trials(folder) if "worker" in trial.user_attrs}


def test_two_workers_share_a_study_and_a_storage(tmp_path):
    data = write_graph(tmp_path / "data")
    url = f"sqlite:///{tmp_path}/study.db"
    result = run_tune(data, "-o", tmp_path / "study", "--trials", 6, "--workers", 2, "--storage", url, *SMALL)
    assert result["trials"] >= 6
    study = optuna.load_study(study_name="graphsurgeon", storage=url)
    assert len({trial.user_attrs["worker"]["pid"] for trial in study.trials}) == 2


def test_a_killed_search_loses_its_trial_and_goes_on(tmp_path):
    data = write_graph(tmp_path / "data")
    words = [data, "-o", tmp_path / "study", *SMALL, "--epochs", "300", "--look-every", "100"]
    command = [sys.executable, "-m", "graphsurgeon", "tune", *map(str, words), "--trials", "1000"]
    process = subprocess.Popen(command)
    deadline = time.monotonic() + 120
    while len(finished(tmp_path / "study")) < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = finished(tmp_path / "study")
    assert len(before) >= 2
    result = run_tune(*words, "--trials", len(before) + 2)
    assert result["trials"] == len(before) + 2
    after = trials(tmp_path / "study")
    assert not any(trial.state == optuna.trial.TrialState.RUNNING for trial in after)
    assert [trial.value for trial in after[: len(before)]] == [trial.value for trial in before]


def test_an_interrupted_search_says_how_to_go_on(tmp_path):
    data = write_graph(tmp_path / "data")
    words = ["tune", str(data), "-o", str(tmp_path / "study"), *SMALL, "--epochs", "100000", "--look-every", "50000"]
    process = subprocess.Popen([sys.executable, "-m", "graphsurgeon", *words], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while not any("worker" in t.user_attrs for t in trials(tmp_path / "study")) and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 4, said
    assert "the same command goes on" in said


def test_ctrl_c_is_seen_behind_an_error_of_cleaning_up(capsys):
    def work():
        try:
            raise KeyboardInterrupt
        finally:
            raise FileNotFoundError("a lock")

    assert command.run(work, "error: stopped") == 4
    assert capsys.readouterr().err == "error: stopped\n"
    with pytest.raises(ValueError, match="other"):
        command.run(lambda: int("other"), "")


def test_a_dead_process_is_told_from_a_living_one():
    child = subprocess.Popen(["true"])
    deadline = time.monotonic() + 10
    while begun_at(child.pid) is not None and time.monotonic() < deadline:
        time.sleep(0.01)  # it ends, but nobody has waited for it yet
    assert os.path.exists(f"/proc/{child.pid}") and begun_at(child.pid) is None
    child.wait()
    assert begun_at(child.pid) is None
    assert begun_at(os.getpid()) == begun_at(os.getpid()) is not None


def test_a_trial_that_never_told_whose_it_is_was_lost(tmp_path):
    words = [write_graph(tmp_path / "data"), "-o", tmp_path / "study", *SMALL, "--trials", 1]
    run_tune(*words)
    study = optuna.load_study(study_name="graphsurgeon", storage=storage(tmp_path / "study"))
    study.ask()  # as of a worker that was killed at once
    assert run_tune(*words)["failed"] == 1


def test_workers_end_with_the_one_that_began_them(tmp_path):
    data = write_graph(tmp_path / "graph")
    parent = begin(data, "-o", tmp_path / "study", "--workers", "2", "--trials", "100000", *SMALL)
    try:
        wait_until(lambda: len(workers_of(tmp_path / "study")) == 2)
    finally:
        parent.kill()
        parent.communicate()
    wait_until(lambda: all(begun_at(pid) is None for pid in workers_of(tmp_path / "study")))


def test_an_interrupt_of_the_parent_alone_reaches_its_workers(tmp_path):
    """As by `kill -INT`; on a terminal all of them get it."""
    data = write_graph(tmp_path / "data")
    study = tmp_path / "study"
    long = ["--epochs", "1000000", "--look-every", "1000000"]
    parent = begin(data, "-o", study, "--workers", "2", *SMALL, *long)
    wait_until(lambda: len(workers_of(study)) == 2)
    parent.send_signal(signal.SIGINT)
    _, said = parent.communicate(timeout=60)
    assert parent.returncode == 4 and "the same command goes on" in said and "Traceback" not in said
    states = [trial.state for trial in trials(study)]
    assert states.count(optuna.trial.TrialState.FAIL) == 2 and optuna.trial.TrialState.RUNNING not in states
    assert all(begun_at(pid) is None for pid in workers_of(study))
