"""The parts of a report: what a run predicts, the numbers by hand, and how figures are drawn."""

import json

import numpy as np
import pytest
from conftest import run_program

from graphsurgeon.report.failures import Predictions, by_degree, confusion
from graphsurgeon.report.figure import color, labels, log_ticks
from graphsurgeon.report.figures_inspection import GAINS, drawn
from graphsurgeon.report.figures_scores import degree_figure, label_figure
from graphsurgeon.report.run import ReportSettings, complete, read_run


def completed(folder):
    run = read_run(folder, "run")
    complete(run, ReportSettings(map="pca", threads=1), {})
    assert run.notes == []
    return run


@pytest.mark.parametrize("method", ["graphsurgeon", "gcn"])
def test_predictions_are_those_that_eval_scores(report_runs, tmp_path, method):
    words = (
        "--method",
        method,
        "--epochs",
        3,
        "--num-splits",
        2,
        "--seed",
        5,
        "--threads",
        1,
        "--quiet",
    )
    run_program("train", report_runs / "data", "-o", tmp_path / "run", *words)
    run = completed(tmp_path / "run")
    assert run.predictions.score == pytest.approx(run.scores["values"][0], abs=1e-9)
    kept = (tmp_path / "run" / "scores.json").read_bytes()
    assert json.loads(kept) == run.scores
    again = completed(tmp_path / "run")  # now the scores lie in the run, and stay
    assert (again.predictions.predicted == run.predictions.predicted).all()
    assert (again.predictions.nodes == run.predictions.nodes).all()
    assert (tmp_path / "run" / "scores.json").read_bytes() == kept


def test_predictions_of_several_labels(report_runs):
    run = completed(report_runs / "multi")
    assert run.predictions.predicted.shape == (120, 4) and set(
        np.unique(run.predictions.predicted)
    ) == {0, 1}
    assert (run.predictions.truth == run.graph.labels[run.predictions.nodes]).all()


def test_data_of_another_graph_is_refused_though_it_has_as_many_nodes(report_runs, tmp_path):
    run = read_run(report_runs / "labeled", "labeled")
    other = (
        f"sbm:nodes={run.info['nodes']},classes=2,features={run.info['features']},degree=3,seed=9"
    )
    complete(run, ReportSettings(data=other, map="pca", threads=1), {})
    assert run.graph is None
    assert "edges, but the run was trained on" in run.notes[0]


def test_a_run_has_the_same_color_in_every_figure(report_runs):
    others = read_run(report_runs / "unlabeled", "other")
    for draw, name in ((degree_figure, "labeled"), (label_figure, "multi")):
        run = completed(report_runs / name)
        trace = draw([others, run]).data[0]
        assert color(1) in (
            trace.get("line", {}).get("color"),
            trace.get("marker", {}).get("color"),
        )


def test_names_on_an_axis_differ():
    assert labels(["Natural language A", "Natural language B", "x"], 9) == [
        "Natural … (0)",
        "Natural … (1)",
        "x",
    ]


def test_logarithmic_ticks_are_round_and_inside():
    assert log_ticks(1, 1000) == [1, 10, 100, 1000]
    assert log_ticks(0.8, 40) == [1, 3, 10, 30]
    assert all(2 <= tick <= 11 for tick in log_ticks(2, 11))
    assert all(1.01 <= tick <= 1.02 for tick in log_ticks(1.01, 1.02))


def test_of_many_features_those_told_apart_and_some_of_all_others_are_drawn():
    first = np.zeros(10 * GAINS)
    second = np.arange(10 * GAINS, dtype=float)
    chosen = drawn(first, second)
    assert GAINS // 2 < len(chosen) <= GAINS
    assert len(set(chosen)) == len(chosen)
    assert second[chosen].min() < 20 and second[chosen].max() == 10 * GAINS - 1


def test_confusion_and_degrees_by_hand():
    found = Predictions(
        "",
        nodes=np.array([0, 1, 2, 3]),
        truth=np.array([0, 0, 1, 1]),
        predicted=np.array([0, 1, 1, 1]),
    )
    assert confusion(found, 2).tolist() == [[1, 1], [0, 2]]
    buckets = by_degree(found, np.array([0, 3, 2, 4]))
    assert [(b.name, b.nodes, b.score) for b in buckets] == [
        ("0", 1, 100),
        ("2–3", 2, 50),
        ("4–7", 1, 100),
    ]
    assert all(0 <= b.low <= b.score <= b.high <= 100.000001 for b in buckets)
    assert found.score == 75
    several = Predictions(
        "",
        np.array([0]),
        truth=np.array([[1, 1, 0]], np.uint8),
        predicted=np.array([[1, 0, 1]], np.uint8),
    )
    assert several.score == 50
