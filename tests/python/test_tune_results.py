"""What `graphsurgeon tune` trains and writes: best.json, the folder and its owner, the page."""

import csv
import json
import math
import os
import shutil
import sys

import numpy as np
import optuna
import pytest
from conftest import run_program, write_graph
from optuna.trial import TrialState
from tuning import SMALL, SPLITS, run_tune, storage, tune_error

from graphsurgeon._load import core
from graphsurgeon.errors import DataError
from graphsurgeon.report.figures_tuning import tuning_figures
from graphsurgeon.report.study_folders import read_tuning
from graphsurgeon.tune import objective as objectives
from graphsurgeon.tune.objective import Objective, piece_ends
from graphsurgeon.tune.storage import (
    common_failure,
    enqueue_start,
    in_todays_words,
    is_done,
    place_of,
)
from graphsurgeon.tune.tune_command import parser, search_of

PAPER = {"epochs": 500, "select": "val"}  # what --protocol paper sets


def search(*words):
    return search_of(parser().parse_args(["data", "-o", "study", *words]))


def rank_of(run):
    return core.effective_rank(np.load(run / "embeddings.npy"), 1)


# What is trained


@pytest.mark.parametrize(
    "words",
    [
        ["--method", "bgrl", "--hidden", "8"],  # its momentum depends on the number of epochs
        ["--mode", "pre", "--select", "val", "--select-every", "5", *SPLITS],
    ],
)
def test_a_training_in_pieces_is_the_one_that_best_json_names(words, tmp_path):
    data = write_graph(tmp_path / "data")
    words = [data, "--objective", "rankme", "--trials", 1, "--threads", 1, "--quiet", *words]
    words += ["--dim", 8, "--epochs", 12]
    pieces = run_tune(*words, "-o", tmp_path / "pieces", "--look-every", 3)["best"]
    assert run_tune(*words, "-o", tmp_path / "whole", "--look-every", 100)["best"] == pieces
    config = tmp_path / "pieces" / "best.json"
    run = tmp_path / "run"
    run_program("train", data, "--config", config, "-o", run, "--threads", 1, "--quiet")
    assert rank_of(run) == pieces["value"]


def test_a_search_scores_where_the_training_selects():
    assert piece_ends({"epochs": 10, "select": "last", "select_every": 4}, 3) == [3, 6, 9, 10]
    assert piece_ends({"epochs": 10, "select": "val", "select_every": 4}, 3) == [4, 8, 10]
    assert piece_ends({"epochs": 10, "select": "val", "select_every": 2}, 3) == [4, 8, 10]


def test_the_papers_protocol_is_searched_as_it_is_trained(tmp_path):
    data = write_graph(tmp_path / "data")
    paper = ["--protocol", "paper", "--select-every", 250, "--aug-dim", 4, "--dim", 2]
    paper += ["--mode", "pre", "--num-splits", 1, "--splits", "random:20/40/40", "--quiet"]
    run_program("train", data, "-o", tmp_path / "run", *paper)
    trained = json.loads((tmp_path / "run" / "options.json").read_text())["options"]
    assert {name: trained[name] for name in PAPER} == PAPER
    study = tmp_path / "study"
    best = run_tune(data, "-o", study, "--trials", 1, "--look-every", 250, *paper)["best"]
    found = best["options"]
    assert {name: found[name] for name in PAPER} == PAPER
    row = next(csv.DictReader((study / "trials.csv").open()))
    assert row["epochs"] == "500"


def test_what_is_given_goes_before_the_protocol_and_into_best_json(tmp_path):
    data = write_graph(tmp_path / "data")
    words = ["--protocol", "paper", "--select", "last", *SMALL]
    found = run_tune(data, "-o", tmp_path / "study", "--trials", 1, *words)["best"]["options"]
    assert (found["epochs"], found["select"]) == (6, "last")
    config = tmp_path / "study" / "best.json"
    run_program("train", data, "--config", config, "-o", tmp_path / "run", "--quiet")
    trained = json.loads((tmp_path / "run" / "options.json").read_text())["options"]
    assert (trained["epochs"], trained["select"]) == (6, "last")


def test_a_protocol_goes_before_a_preset_as_in_train():
    assert search("--preset", "photo").base["epochs"] == 50
    assert search("--preset", "photo", "--protocol", "paper").base["epochs"] == 500


# Where a search starts


def in_memory():
    return optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(0))


def states(study):
    return [trial.state for trial in study.trials]


@pytest.mark.parametrize("end", [TrialState.COMPLETE, TrialState.PRUNED])
def test_the_start_is_tried_again_until_a_trial_of_it_ends(end):
    study, start = in_memory(), {"lr": 0.5}
    enqueue_start(study, start)
    enqueue_start(study, start)
    assert states(study) == [TrialState.WAITING]
    trial = study.ask()
    trial.suggest_float("lr", 0, 1)
    enqueue_start(study, start)
    assert states(study) == [TrialState.RUNNING]
    study.tell(trial, state=TrialState.FAIL)  # as if the search was killed
    enqueue_start(study, start)
    assert states(study) == [TrialState.FAIL, TrialState.WAITING]
    trial = study.ask()
    assert trial.suggest_float("lr", 0, 1) == 0.5
    study.tell(trial, 1.0 if end == TrialState.COMPLETE else None, state=end)
    enqueue_start(study, start)
    assert states(study) == [TrialState.FAIL, end]
    enqueue_start(study, {"lr": 0.25})
    assert states(study)[2:] == [TrialState.WAITING]


def test_a_search_is_not_done_while_its_start_waits():
    study = in_memory()
    study.optimize(lambda trial: trial.suggest_float("lr", 0, 1), n_trials=2)
    assert is_done(study, 2)
    enqueue_start(study, {"lr": 2.0})
    assert not is_done(study, 2)


class Trained(Objective):
    """Scores `score` without training."""

    def __init__(self, score, *words):
        self.search, self.data, self.supervised = search(*words), None, False
        self._score = lambda folder, text: score


def test_the_start_is_never_pruned(monkeypatch):
    monkeypatch.setattr(objectives.core, "train", lambda **keywords: "")
    study = in_memory()
    study.pruner = optuna.pruners.ThresholdPruner(lower=50)
    bad = Trained(1.0, "--epochs", "6", "--look-every", "2", "--search", "lr=0.1..0.2")
    enqueue_start(study, bad.search.start)
    study.optimize(bad, n_trials=2)
    assert states(study) == [TrialState.COMPLETE, TrialState.PRUNED]


def test_trials_that_all_fail_with_the_same_error_end_the_search(monkeypatch):
    def collapse(**keywords):
        raise DataError(f"{keywords['folder']}: the embeddings collapsed", "try a larger --gamma")

    monkeypatch.setattr(objectives.core, "train", collapse)
    study = in_memory()
    study.optimize(Trained(1.0, "--epochs", "6"), n_trials=3)
    assert common_failure(study) == "the embeddings collapsed"
    assert is_done(study, 100)


def test_scores_that_are_not_finite_end_the_search(monkeypatch):
    monkeypatch.setattr(objectives.core, "train", lambda **keywords: "")
    study = in_memory()
    study.optimize(Trained(math.nan, "--epochs", "6"), n_trials=3)
    assert states(study) == 3 * [TrialState.PRUNED]
    assert "the validation score is not finite" in common_failure(study)
    assert is_done(study, 100)


# The folder


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_another_studys_results_are_kept(tmp_path):
    data = write_graph(tmp_path / "data")
    study = tmp_path / "study"
    run_tune(data, "-o", study, "--trials", 1, *SMALL)
    before = contents(study)
    others = [["--study", "b"], ["--storage", f"sqlite:///{tmp_path}/study.db"]]
    for words in others:
        code, printed = tune_error(data, "-o", study, "--trials", 1, *SMALL, *words)
        assert code == 3 and "-o" in printed
        assert "is the folder of the study 'graphsurgeon' in journal.log" in printed
    assert contents(study) == before
    assert run_tune(data, "-o", study, "--trials", 2, *SMALL)["trials"] == 2
    # Without its journal the study cannot be continued.
    (study / "journal.log").unlink()
    before = contents(study)
    code, printed = tune_error(data, "-o", study, "--trials", 1, *SMALL)
    assert code == 3 and "no longer in journal.log" in printed
    assert before.items() <= contents(study).items()


FILES = ["best.json", "trials.csv", "tuning.html", "study.json", "journal.log"]


@pytest.mark.parametrize("name", FILES)
def test_files_of_others_are_kept(name, tmp_path):
    study = tmp_path / "study"
    study.mkdir()
    (study / name).write_text("mine")
    code, printed = tune_error(write_graph(tmp_path / "data"), "-o", study, "--trials", 1, *SMALL)
    assert code == 3 and name in printed and "hint:" in printed
    assert contents(study) == {name: b"mine"}


def test_a_study_of_an_earlier_version_is_continued():
    before = {"data": "photo", "fixed": {"runs": 2, "lr": 0.1}, "space": {}}
    assert in_todays_words(before) == before | {"fixed": {"num_splits": 2, "lr": 0.1}}


def test_no_password_is_written_down():
    address = "mysql://me:secret@host/db?password=secret"
    assert place_of(search("--storage", address)) == "mysql://host/db"
    assert place_of(search("--storage", "sqlite:///a/b.db")) == "sqlite:///a/b.db"
    assert place_of(search()) == "journal.log"


# The page


def test_a_page_names_the_objective_and_the_data(tmp_path):
    data = shutil.move(write_graph(tmp_path / "data"), tmp_path / "a<b>&c")
    study = tmp_path / "study"
    run_tune(data, "-o", study, "--trials", 3, "--objective", "rankme", *SMALL)
    text = (study / "tuning.html").read_text()
    assert "<h1>graphsurgeon tune " in text
    assert "a&lt;b&gt;&amp;c</h1>" in text and "a<b>" not in text
    assert "Effective rank of each trial" in text and "validation score" not in text.lower()
    run_program("report", study, "-o", tmp_path / "page.html", "--quiet")
    assert "Effective rank of each trial" in (tmp_path / "page.html").read_text()


def test_the_report_takes_the_study_that_the_folder_names(tmp_path):
    data = write_graph(tmp_path / "data")
    study = tmp_path / "study"
    run_tune(data, "-o", study, "--trials", 2, "--study", "mine", *SMALL)
    other = optuna.create_study(storage=storage(study), study_name="another", direction="maximize")
    for epoch in (1, 2):
        trial = other.ask()
        trial.report(0.0, 100 * epoch)
        other.tell(trial, 0.0)
    curves = read_tuning(study, "study").curves
    assert [[epoch for epoch, _ in curve] for curve in curves] == [[2, 4, 6], [2, 4, 6]]
    (study / "study.json").unlink()
    unknown = read_tuning(study, "study")
    assert not unknown.curves and "several studies" in unknown.note
    axes = {figure.layout["yaxis"]["title"]["text"] for figure in tuning_figures(unknown, 0)}
    assert axes <= {"score", ""}


def test_a_page_of_a_study_elsewhere_has_its_curves(tmp_path):
    words = [write_graph(tmp_path / "data"), "-o", tmp_path / "study", "--trials", 2, *SMALL]
    run_tune(*words, "--storage", f"sqlite:///{tmp_path}/study.db")
    assert 'id="tuning-0-curves"' in (tmp_path / "study" / "tuning.html").read_text()
    assert "another storage" in read_tuning(tmp_path / "study", "study").note


def test_trials_outside_of_their_ranges_do_not_hinder_importance(tmp_path):
    """The first trial may be: its number of layers is not in the searched range."""
    words = [write_graph(tmp_path / "data"), "-o", tmp_path / "study", "--trials", 8, *SMALL]
    run_tune(*words)
    found = read_tuning(tmp_path / "study", "study")
    assert found.trials[0]["layers"] == 0
    assert math.isclose(sum(found.importance.values()), 1) and not found.note


# What it needs


@pytest.mark.parametrize("missing", ["plotly", "sklearn", "optuna"])
def test_missing_packages_are_reported_before_the_search(missing, tmp_path, monkeypatch):
    (tmp_path / "stub").mkdir()
    (tmp_path / "stub" / f"{missing}.py").write_text(f"raise ModuleNotFoundError('no {missing}')")
    folders = [str(tmp_path / "stub"), *filter(None, sys.path)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(folders))
    code, printed = tune_error(write_graph(tmp_path / "data"), "-o", tmp_path / "study", *SMALL)
    assert code == 2 and printed.startswith("error: tune needs") and "pip install" in printed
    assert not (tmp_path / "study").exists()
