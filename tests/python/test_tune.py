"""`graphsurgeon tune`: the search, its storage and its results."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import optuna
import pytest
from conftest import planted, run_program

import graphsurgeon
from graphsurgeon import UsageError, command, tune
from graphsurgeon.search_space import Range, parse, search_space

SMALL = ["--epochs", "6", "--look-every", "2", "--runs", "2", "--dim", "4", "--search", "aug-dim=4..16:log", "--quiet"]
SMALL += ["--mode", "pre", "--splits", "random:20/40/40"]


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


def test_ranges_come_from_the_options_own_declaration():
    space = search_space(set(), [])
    assert space["lr"] == Range("lr", 1e-4, 1e-1, log=True)
    assert space["layers"] == Range("layers", 1, 4, whole=True)
    assert set(space) == {"aug_dim", "layers", "dropout", "gamma", "lr"}
    assert "lr" not in search_space({"lr"}, [])
    changed = search_space(set(), ["lr=1e-3..1e-2", "mode=pre,post"])
    assert changed["lr"] == Range("lr", 1e-3, 1e-2)
    assert changed["mode"].choices == ("pre", "post")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lr", "is no range"),
        ("lrr=1..2", "did you mean 'lr'"),
        ("lr=2..1", "is empty"),
        ("lr=0..1:log", "log scale"),
        ("lr=1e-3..1:exp", "is not a scale"),
        ("lr=a..b", "not a value of lr"),
        ("lr=nan..1", "not finite"),
        ("layers=-1..3", "out of the range of layers"),
        ("mode=1..2", "no range of numbers"),
        ("mode=pre,pots", "is not one of pre, post"),
    ],
)
def test_wrong_ranges_are_told(text, message):
    with pytest.raises(UsageError, match=message):
        parse(text)


def test_an_option_cannot_be_fixed_and_searched():
    with pytest.raises(UsageError, match="fixed"):
        search_space({"lr"}, ["lr=1e-3..1e-2"])


def test_durations():
    assert [tune.seconds_of(text) for text in ("90", "90s", "10m", "1h", "1h30m")] == [90, 90, 600, 3600, 5400]
    for text in ("", "soon", "1d"):
        with pytest.raises(UsageError):
            tune.seconds_of(text)


def test_a_search_ends_with_a_preset_that_train_takes(tmp_path):
    data = write_graph(tmp_path / "data")
    result = run_tune(data, "-o", tmp_path / "study", "--trials", 7, "--lr", "0.01", *SMALL)
    assert result["trials"] == 7 == result["complete"] + result["pruned"]
    assert result["best"]["options"]["lr"] == 0.01
    assert 0 < result["best"]["value"] <= 100
    run_program("train", data, "--config", tmp_path / "study" / "best.json", "-o", tmp_path / "run", "--quiet")
    options = json.loads((tmp_path / "run" / "options.json").read_text())["options"]
    assert all(value in (options[name], "auto", 0) for name, value in result["best"]["options"].items())
    with open(tmp_path / "study" / "trials.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 7
    assert max(float(row["value"]) for row in rows if row["state"] == "complete") == result["best"]["value"]
    page = (tmp_path / "study" / "tuning.html").read_text()
    assert page.count("Plotly.newPlot(") == 3
    # What is there is enough: rerunning adds nothing, asking for more goes on.
    again = run_tune(data, "-o", tmp_path / "study", "--trials", 7, "--lr", "0.01", *SMALL)
    assert again["trials"] == 7 and again["best"] == result["best"]
    more = run_tune(data, "-o", tmp_path / "study", "--trials", 9, "--lr", "0.01", *SMALL)
    assert more["trials"] == 9 and more["best"]["value"] >= result["best"]["value"]
    other = subprocess.run(
        [sys.executable, "-m", "graphsurgeon", "tune", str(data), "-o", str(tmp_path / "study"), *SMALL],
        capture_output=True, text=True,
    )  # fmt: skip
    assert other.returncode == 3 and "begun with another" in other.stderr


def test_the_first_trial_is_what_one_starts_from(tmp_path):
    data = write_graph(tmp_path / "data")
    run_tune(data, "-o", tmp_path / "study", "--trials", 1, "--preset", "photo", *SMALL)
    with open(tmp_path / "study" / "trials.csv", encoding="utf-8") as file:
        row = next(csv.DictReader(file))
    authors = graphsurgeon.GraphSurgeon.from_preset("photo")
    assert [float(row[name]) for name in ("lr", "gamma", "aug_dim")] == [authors.lr, authors.gamma, authors.aug_dim]


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


def test_bad_trials_are_pruned_by_their_validation_scores(tmp_path, monkeypatch):
    """One column a view cannot tell three classes apart: the median pruner ends such trials early."""
    data = write_graph(tmp_path / "data")
    small = SMALL[: SMALL.index("--dim")] + SMALL[SMALL.index("--dim") + 2 :]
    words = [data, "-o", tmp_path / "study", "--trials", 16, *small, "--epochs", 40, "--look-every", 10]
    result = run_tune(*words, "--search", "dim=1,16")
    assert result["pruned"] > 0
    assert result["best"]["options"]["dim"] == 16


def test_test_labels_are_never_read(tmp_path):
    """Other labels of test nodes change nothing."""
    parts = [("train", "val", "test")[i % 3 if i % 2 else 2] for i in range(120)]
    _, _, y = planted()
    wrong = [(label + 1) % 3 if part == "test" else label for label, part in zip(y.tolist(), parts)]
    results = []
    for name, labels in (("right", None), ("wrong", wrong)):
        data = write_graph(tmp_path / name, labels, parts)
        words = [data, "-o", tmp_path / f"study-{name}", "--trials", 4, *SMALL[:-2], "--splits", "own"]
        results.append(run_tune(*words)["best"])
    assert results[0] == results[1]


def test_rankme_needs_no_labels(tmp_path):
    words = ["sbm:nodes=80,classes=2,features=10", "-o", tmp_path / "study", "--trials", 3, "--objective", "rankme"]
    result = run_tune(*words, *SMALL)
    assert 1 <= result["best"]["value"] <= 8


def test_wrong_usage_has_its_exit_code(tmp_path):
    words = [sys.executable, "-m", "graphsurgeon", "tune", "photo", "-o", str(tmp_path), "--trails", "3"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    words = [sys.executable, "-m", "graphsurgeon", "tune", str(tmp_path / "none"), "-o", str(tmp_path / "study")]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 3 and "no such file" in done.stderr and "Traceback" not in done.stderr


def test_the_program_finds_tune_beside_itself():
    program = os.path.join(os.path.dirname(graphsurgeon.__file__), "bin", "graphsurgeon")
    beside = os.path.join(os.path.dirname(os.path.realpath(program)), "graphsurgeon-tune")
    if not os.path.exists(beside):
        pytest.skip("an installed package has it in the environment's own bin folder")
    done = subprocess.run([program, "tune", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "--trials" in done.stdout


def test_a_dead_process_is_told_from_a_living_one():
    child = subprocess.Popen(["true"])
    deadline = time.monotonic() + 10
    while tune.begun_at(child.pid) is not None and time.monotonic() < deadline:
        time.sleep(0.01)  # it ends, but nobody has waited for it yet
    assert os.path.exists(f"/proc/{child.pid}") and tune.begun_at(child.pid) is None
    child.wait()
    assert tune.begun_at(child.pid) is None
    assert tune.begun_at(os.getpid()) == tune.begun_at(os.getpid()) is not None


def test_a_trial_that_never_told_whose_it_is_was_lost(tmp_path):
    words = [write_graph(tmp_path / "data"), "-o", tmp_path / "study", *SMALL, "--trials", 1]
    run_tune(*words)
    study = optuna.load_study(study_name="graphsurgeon", storage=storage(tmp_path / "study"))
    study.ask()  # as of a worker that was killed at once
    assert run_tune(*words)["failed"] == 1


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
