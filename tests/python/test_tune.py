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


def wait_until(holds, seconds=60):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)


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
    assert [float(row[name]) for name in ("lr", "gamma")] == [authors.lr, authors.gamma]
    assert 4 <= int(row["aug_dim"]) <= 16, "the authors' 417 is out of the range that was typed"


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
    words = [data, "-o", tmp_path / "study", "--trials", 30, *small, "--epochs", 20, "--look-every", 4]
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


BASELINE = ["--dim", "4", "--runs", "2", "--splits", "random:20/40/40", "--hidden", "8", "--epochs", "20", "--quiet"]


def test_a_baseline_searches_what_it_reads_and_trains_what_it_records(tmp_path):
    data = write_graph(tmp_path / "graph")
    found = run_tune(data, "-o", tmp_path / "study", "--method", "dgi", "--trials", "2", *BASELINE)
    assert {"lr", "dropout", "layers"} <= found["best"]["options"].keys()
    assert not {"aug-dim", "gamma"} & found["best"]["options"].keys()
    first = next(csv.DictReader((tmp_path / "study" / "trials.csv").open()))
    own = graphsurgeon.GraphSurgeon(method="dgi")
    assert (float(first["lr"]), int(first["layers"]), first["epochs"]) == (own.lr, own.layers, "20")


def test_augmentations_of_a_baseline_are_searched():
    assert {"edge_drop", "feature_mask_2", "temperature"} <= search_space(set(), [], "gca").keys()
    assert "edge_drop" not in search_space(set(), [])


def test_a_method_that_learns_from_labels_is_scored_by_its_own_validation(tmp_path):
    data = write_graph(tmp_path / "graph")
    found = run_tune(data, "-o", tmp_path / "study", "--method", "gcn", "--trials", "2", *BASELINE)
    assert found["complete"] == 2
    assert found["best"]["value"] > 40  # of three classes


def test_the_data_is_not_searched_but_kept(tmp_path):
    with pytest.raises(UsageError, match="loaded once"):
        parse("features=raw,binary")
    with pytest.raises(UsageError, match="lists"):
        parse("fanouts=12,25")
    data = write_graph(tmp_path / "graph")
    found = run_tune(data, "-o", tmp_path / "study", "--features", "row-norm", "--trials", "1", *SMALL)
    assert found["best"]["options"]["features"] == "row-norm"


def test_the_first_trial_keeps_to_what_was_typed(tmp_path):
    data = write_graph(tmp_path / "graph")
    found = run_tune(data, "-o", tmp_path / "study", "--search", "clip=1..1", "--trials", "1", *SMALL)
    assert found["best"]["options"]["clip"] == 1


def tune_error(*words):
    command_line = [sys.executable, "-m", "graphsurgeon", "tune", *map(str, words)]
    done = subprocess.run(command_line, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


def test_a_mistyped_command_does_not_stand_in_the_way(tmp_path):
    assert tune_error("sbm:nodez=120", "-o", tmp_path / "study", *SMALL)[0] == 2
    data = write_graph(tmp_path / "graph")
    assert run_tune(data, "-o", tmp_path / "study", "--trials", "1", *SMALL)["complete"] == 1


def test_what_goes_wrong_is_a_line_and_a_hint(tmp_path):
    data = write_graph(tmp_path / "graph")
    (tmp_path / "file").write_text("no folder")
    for words, code, text in [
        ([tmp_path / "nothing", "-o", tmp_path / "a", "--workers", "2"], 3, "every worker ended early"),
        ([data, "-o", tmp_path / "file"], 3, "no folder can be made"),
        ([data, "-o", tmp_path / "b", "--storage", "garbage"], 3, "no study can be kept"),
        ([data, "-o", tmp_path / "c", "--preset", "phoot"], 2, "did you mean 'photo'"),
        ([data, "-o", tmp_path / "d", "--lr", "nan"], 2, "lr"),
        ([data, "-o", tmp_path / "e", "--method", "raw"], 2, "learns nothing"),
        ([data, "-o", tmp_path / "f", "--splits", "own", "--trials", "50"], 3, "no splits of its own"),
    ]:
        small = [word for word in SMALL if "--splits" not in words or word not in ("--splits", "random:20/40/40")]
        found, errors = tune_error(*words, *small)
        assert found == code, errors
        assert text in errors


def test_workers_end_with_the_one_that_began_them(tmp_path):
    data = write_graph(tmp_path / "graph")
    command_line = [sys.executable, "-m", "graphsurgeon", "tune", data, "-o", tmp_path / "study", "--workers", "2"]
    parent = subprocess.Popen([*map(str, command_line), "--trials", "100000", *SMALL])
    try:
        wait_until(lambda: len({t.user_attrs["worker"]["pid"] for t in trials(tmp_path / "study") if t.user_attrs}) == 2)
    finally:
        parent.kill()
        parent.wait()
    workers = {t.user_attrs["worker"]["pid"] for t in trials(tmp_path / "study") if t.user_attrs}
    wait_until(lambda: all(tune.begun_at(pid) is None for pid in workers))
