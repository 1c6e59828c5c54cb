"""What `graphsurgeon tune` trains and what it leaves: best.json, the folder and whose it is, the page."""

import csv
import json
import math
import os
import shutil
import sys

import numpy as np
import optuna
import pytest
from conftest import run_program
from optuna.trial import TrialState
from tuning import SMALL, run_tune, storage, tune_error, write_graph

from graphsurgeon._load import core
from graphsurgeon.errors import DataError
from graphsurgeon.report.figures_tuning import tuning_figures
from graphsurgeon.report.study import read_tuning
from graphsurgeon.tune import objective as objectives
from graphsurgeon.tune.command import parser, settings_of
from graphsurgeon.tune.objective import Objective, looks_of
from graphsurgeon.tune.settings import PAPER
from graphsurgeon.tune.study import common_failure, enqueue_start, is_done, place_of


def settings(*words):
    return settings_of(parser().parse_args(["data", "-o", "study", *words]))


def rank_of(run):
    return core.effective_rank(np.load(run / "embeddings.npy"), 1)


# what is trained


@pytest.mark.parametrize(
    "words",
    [
        ["--method", "bgrl", "--hidden", "8"],  # its momentum follows the number of epochs
        ["--mode", "pre", "--select", "val", "--select-every", "5", "--runs", "2", "--splits", "random:20/40/40"],
    ],
)
def test_a_training_in_pieces_is_the_one_that_best_json_names(words, tmp_path):
    data = write_graph(tmp_path / "data")
    words = [data, "--objective", "rankme", "--trials", 1, "--dim", 8, "--epochs", 12, "--threads", 1, *words, "--quiet"]
    pieces = run_tune(*words, "-o", tmp_path / "pieces", "--look-every", 3)["best"]
    assert run_tune(*words, "-o", tmp_path / "whole", "--look-every", 100)["best"] == pieces
    config = tmp_path / "pieces" / "best.json"
    run_program("train", data, "--config", config, "-o", tmp_path / "run", "--threads", 1, "--quiet")
    assert rank_of(tmp_path / "run") == pieces["value"]


def test_a_search_looks_where_the_training_selects():
    assert looks_of({"epochs": 10, "select": "last", "select_every": 4}, 3) == [3, 6, 9, 10]
    assert looks_of({"epochs": 10, "select": "val", "select_every": 4}, 3) == [4, 8, 10]
    assert looks_of({"epochs": 10, "select": "val", "select_every": 2}, 3) == [4, 8, 10]


def test_the_papers_protocol_is_searched_as_it_is_trained(tmp_path):
    data = write_graph(tmp_path / "data")
    small = ["--aug-dim", 4, "--dim", 2, "--runs", 1, "--splits", "random:20/40/40", "--mode", "pre", "--quiet"]
    paper = ["--protocol", "paper", "--select-every", 250, *small]
    run_program("train", data, "-o", tmp_path / "run", *paper)
    trained = json.loads((tmp_path / "run" / "options.json").read_text())["options"]
    assert {name: trained[name] for name in PAPER} == PAPER
    found = run_tune(data, "-o", tmp_path / "study", "--trials", 1, "--look-every", 250, *paper)["best"]["options"]
    assert {name: found[name] for name in PAPER} == PAPER
    row = next(csv.DictReader((tmp_path / "study" / "trials.csv").open()))
    assert row["epochs"] == "500"


def test_what_is_given_goes_before_the_protocol_and_into_best_json(tmp_path):
    data = write_graph(tmp_path / "data")
    words = ["--protocol", "paper", "--select", "last", *SMALL]
    found = run_tune(data, "-o", tmp_path / "study", "--trials", 1, *words)["best"]["options"]
    assert (found["epochs"], found["select"]) == (6, "last")
    run_program("train", data, "--config", tmp_path / "study" / "best.json", "-o", tmp_path / "run", "--quiet")
    trained = json.loads((tmp_path / "run" / "options.json").read_text())["options"]
    assert (trained["epochs"], trained["select"]) == (6, "last")


def test_a_protocol_goes_before_a_preset_as_in_train():
    assert settings("--preset", "photo").base["epochs"] == 50
    assert settings("--preset", "photo", "--protocol", "paper").base["epochs"] == 500


# where a search starts


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
    study.tell(trial, state=TrialState.FAIL)  # as of a search that was killed
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
    """One that scores what nobody trained, as `score` says."""

    def __init__(self, score, *words):
        self.settings, self.data, self.supervised = settings(*words), None, False
        self._score = lambda folder, text: score


def test_the_start_is_never_pruned(monkeypatch):
    monkeypatch.setattr(objectives.core, "train", lambda **keywords: "")
    study = in_memory()
    study.pruner = optuna.pruners.ThresholdPruner(lower=50)
    bad = Trained(1.0, "--epochs", "6", "--look-every", "2", "--search", "lr=0.1..0.2")
    enqueue_start(study, bad.settings.start)
    study.optimize(bad, n_trials=2)
    assert states(study) == [TrialState.COMPLETE, TrialState.PRUNED]


def test_trials_that_fail_alike_in_folders_of_their_own_end_the_search(monkeypatch):
    def collapse(**keywords):
        raise DataError(f"{keywords['folder']}: the embeddings collapsed", "try a larger --gamma")

    monkeypatch.setattr(objectives.core, "train", collapse)
    study = in_memory()
    study.optimize(Trained(1.0, "--epochs", "6"), n_trials=3)
    assert common_failure(study) == "the embeddings collapsed"
    assert is_done(study, 100)


def test_scores_that_are_no_numbers_end_the_search(monkeypatch):
    monkeypatch.setattr(objectives.core, "train", lambda **keywords: "")
    study = in_memory()
    study.optimize(Trained(math.nan, "--epochs", "6"), n_trials=3)
    assert states(study) == 3 * [TrialState.PRUNED]
    assert "the validation score is not a finite number" in common_failure(study)
    assert is_done(study, 100)


# the folder


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_another_studys_results_are_kept(tmp_path):
    data = write_graph(tmp_path / "data")
    study = tmp_path / "study"
    run_tune(data, "-o", study, "--trials", 1, *SMALL)
    before = contents(study)
    others = [["--study", "b"], ["--storage", f"sqlite:///{tmp_path}/study.db"]]
    for words in others:
        code, said = tune_error(data, "-o", study, "--trials", 1, *SMALL, *words)
        assert code == 3 and "is the folder of the study 'graphsurgeon' in journal.log" in said and "-o" in said
    assert contents(study) == before
    assert run_tune(data, "-o", study, "--trials", 2, *SMALL)["trials"] == 2
    # Without its journal it is a study that nobody can go on with.
    (study / "journal.log").unlink()
    before = contents(study)
    code, said = tune_error(data, "-o", study, "--trials", 1, *SMALL)
    assert code == 3 and "not in journal.log now" in said
    assert before.items() <= contents(study).items()


@pytest.mark.parametrize("name", ["best.json", "trials.csv", "tuning.html", "study.json", "journal.log"])
def test_files_of_somebody_else_are_kept(name, tmp_path):
    study = tmp_path / "study"
    study.mkdir()
    (study / name).write_text("mine")
    code, said = tune_error(write_graph(tmp_path / "data"), "-o", study, "--trials", 1, *SMALL)
    assert code == 3 and name in said and "hint:" in said
    assert contents(study) == {name: b"mine"}


def test_no_password_is_written_down():
    assert place_of(settings("--storage", "mysql://me:secret@host/db?password=secret")) == "mysql://host/db"
    assert place_of(settings("--storage", "sqlite:///a/b.db")) == "sqlite:///a/b.db"
    assert place_of(settings()) == "journal.log"


# the page


def test_a_page_says_what_was_made_large_and_of_what(tmp_path):
    data = shutil.move(write_graph(tmp_path / "data"), tmp_path / "a<b>&c")
    study = tmp_path / "study"
    run_tune(data, "-o", study, "--trials", 3, "--objective", "rankme", *SMALL)
    text = (study / "tuning.html").read_text()
    assert "<h1>graphsurgeon tune " in text and "a&lt;b&gt;&amp;c</h1>" in text and "a<b>" not in text
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
    assert {figure.layout["yaxis"]["title"]["text"] for figure in tuning_figures(unknown, 0)} <= {"score", ""}


def test_a_page_of_a_study_elsewhere_has_its_curves(tmp_path):
    words = [write_graph(tmp_path / "data"), "-o", tmp_path / "study", "--trials", 2, *SMALL]
    run_tune(*words, "--storage", f"sqlite:///{tmp_path}/study.db")
    assert 'id="tuning-0-curves"' in (tmp_path / "study" / "tuning.html").read_text()
    assert "another storage" in read_tuning(tmp_path / "study", "study").note


def test_trials_outside_of_their_ranges_do_not_hinder_importance(tmp_path):
    """As the start may be: what one begins with has another number of layers than any that is searched."""
    words = [write_graph(tmp_path / "data"), "-o", tmp_path / "study", "--trials", 8, *SMALL]
    run_tune(*words)
    found = read_tuning(tmp_path / "study", "study")
    assert found.trials[0]["layers"] == 0
    assert math.isclose(sum(found.importance.values()), 1) and not found.note


# what it needs


@pytest.mark.parametrize("missing", ["plotly", "sklearn", "optuna"])
def test_what_is_not_installed_is_told_before_the_search(missing, tmp_path, monkeypatch):
    (tmp_path / "stub").mkdir()
    (tmp_path / "stub" / f"{missing}.py").write_text(f"raise ModuleNotFoundError('no {missing}')")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'stub'}{os.pathsep}{os.pathsep.join(filter(None, sys.path))}")
    code, said = tune_error(write_graph(tmp_path / "data"), "-o", tmp_path / "study", *SMALL)
    assert code == 1 and said.startswith("error: tune needs") and "pip install" in said
    assert not (tmp_path / "study").exists()
