"""Experiment trackers, with the real writers. Slow: they are imported and write to disk."""

import pytest
from conftest import planted

from graphsurgeon import UsageError
from graphsurgeon.tracking import numbers_of


def test_nested_metrics_have_names_with_a_slash():
    found = numbers_of({"epoch": 1, "loss": {"total": 2.5}, "note": "x", "done": True})
    assert found == {"epoch": 1.0, "loss/total": 2.5}


def test_an_unknown_tracker_is_refused_before_training(quick):
    x, edge_index, _ = planted()
    with pytest.raises(UsageError, match="unknown tracker 'mlfow'"):
        quick().fit((edge_index, x), track="mlfow")


def test_a_missing_tracker_names_the_extra(quick, monkeypatch):
    monkeypatch.setattr("graphsurgeon.tracking.find_spec", lambda name: None)
    x, edge_index, _ = planted()
    with pytest.raises(UsageError, match=r"track='wandb' needs wandb .*graphsurgeon\[track\]"):
        quick().fit((edge_index, x), track="wandb")


def test_mlflow_has_options_epochs_and_result(quick, tmp_path):
    mlflow = pytest.importorskip("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    x, edge_index, _ = planted()
    seen = []
    model = quick().fit((edge_index, x), track="mlflow", on_epoch=seen.append)
    assert mlflow.active_run() is None
    run = mlflow.last_active_run()
    assert run.data.params["epochs"] == "4"
    history = mlflow.MlflowClient().get_metric_history(run.info.run_id, "loss/total")
    wanted = [(row["epoch"], row["loss"]["total"]) for row in model.history_]
    assert [(entry.step, entry.value) for entry in history] == wanted
    assert run.data.metrics["result/effective_rank"] == model.result_["effective_rank"]
    assert len(seen) == 4


def test_mlflow_keeps_an_active_run_open(quick, tmp_path):
    mlflow = pytest.importorskip("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    x, edge_index, _ = planted()
    with mlflow.start_run() as run:
        quick().fit((edge_index, x), track="mlflow")
        assert mlflow.active_run().info.run_id == run.info.run_id
    assert "loss/total" in mlflow.get_run(run.info.run_id).data.metrics


def test_tensorboard_reads_every_epoch(quick, tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    x, edge_index, _ = planted()
    model = quick().fit((edge_index, x), run=tmp_path / "run", track="tensorboard")
    events = EventAccumulator(str(tmp_path / "run" / "tensorboard")).Reload()
    rows = events.Scalars("loss/total")
    assert [row.step for row in rows] == [row["epoch"] for row in model.history_]
    wanted = [row["loss"]["total"] for row in model.history_]
    assert [row.value for row in rows] == pytest.approx(wanted)


def test_a_solved_run_is_tracked_by_its_result(tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    from graphsurgeon import GraphSurgeon

    x, edge_index, _ = planted()
    GraphSurgeon(progress=False).fit((edge_index, x), run=tmp_path / "run", track="tensorboard")
    events = EventAccumulator(str(tmp_path / "run" / "tensorboard")).Reload()
    assert events.Scalars("result/effective_rank")[0].step == 0
