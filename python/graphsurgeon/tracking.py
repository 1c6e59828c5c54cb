"""Sends the metrics of every epoch to an experiment tracker: `fit(..., track="mlflow")`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .errors import UsageError


class Tracker:
    """One tracked run. `log` is called with each epoch's metrics, `finish` with the result."""

    def __init__(self, params: dict[str, Any], folder: str) -> None:
        raise NotImplementedError

    def log(self, metrics: Mapping[str, float], epoch: int) -> None:
        raise NotImplementedError

    def finish(self) -> None:
        raise NotImplementedError


class MLflow(Tracker):
    """Into the active run, which stays active, or into one of its own."""

    def __init__(self, params: dict[str, Any], folder: str) -> None:
        self._mlflow = import_module("mlflow")
        self._own = self._mlflow.active_run() is None
        if self._own:
            self._mlflow.start_run()
        self._mlflow.log_params(params)

    def log(self, metrics: Mapping[str, float], epoch: int) -> None:
        self._mlflow.log_metrics(dict(metrics), step=epoch)

    def finish(self) -> None:
        if self._own:
            self._mlflow.end_run()


class TensorBoard(Tracker):
    """Into the folder `tensorboard` of the run, or where TensorBoard looks by default: `runs`."""

    def __init__(self, params: dict[str, Any], folder: str) -> None:
        writer = import_module("torch.utils.tensorboard").SummaryWriter
        self._writer = writer(f"{folder}/tensorboard" if folder else None)
        rows = "\n".join(f"    {name}: {value}" for name, value in params.items())
        self._writer.add_text("options", rows)

    def log(self, metrics: Mapping[str, float], epoch: int) -> None:
        for name, value in metrics.items():
            self._writer.add_scalar(name, value, epoch)

    def finish(self) -> None:
        self._writer.close()


class Wandb(Tracker):
    """Into the active run, or one of its own. trackio has the same interface."""

    module = "wandb"

    def __init__(self, params: dict[str, Any], folder: str) -> None:
        self._module = import_module(self.module)
        self._own = getattr(self._module, "run", None) is None
        if self._own:
            self._module.init(project="graphsurgeon", config=params)

    def log(self, metrics: Mapping[str, float], epoch: int) -> None:
        self._module.log(dict(metrics), step=epoch)

    def finish(self) -> None:
        if self._own:
            self._module.finish()


class Trackio(Wandb):
    module = "trackio"


TRACKERS: dict[str, type[Tracker]] = {
    "mlflow": MLflow,
    "tensorboard": TensorBoard,
    "wandb": Wandb,
    "trackio": Trackio,
}


def check_tracker(name: str) -> None:
    """UsageError for an unknown tracker, and for one that is not installed."""
    if name not in TRACKERS:
        raise UsageError(f"track: unknown tracker '{name}'", f"one of {', '.join(TRACKERS)}")
    if find_spec(name) is None:
        hint = f"pip install {name}, or 'graphsurgeon[track]' for all trackers"
        raise UsageError(f"track='{name}' needs {name}", hint)


class Tracked:
    """An `on_epoch` that also feeds a tracker.

    The tracker starts with the first epoch, when the run folder is claimed.
    """

    def __init__(self, name: str, params: Mapping[str, Any], folder: str, on_epoch: Any) -> None:
        plain = (int, float, str)
        self._params = {k: v if isinstance(v, plain) else str(v) for k, v in params.items()}
        self._name, self._folder, self._on_epoch = name, folder, on_epoch
        self._tracker: Tracker | None = None

    def __call__(self, metrics: dict[str, Any]) -> None:
        self.log(metrics, int(metrics["epoch"]))
        if self._on_epoch:
            self._on_epoch(metrics)

    def log(self, metrics: Mapping[str, Any], epoch: int) -> None:
        if self._tracker is None:
            self._tracker = TRACKERS[self._name](self._params, self._folder)
        values = numbers_of(metrics)
        values.pop("epoch", None)
        self._tracker.log(values, epoch)

    def finish(self, result: Mapping[str, Any] | None) -> None:
        """Ends the tracked run, with the result of the training if there is one."""
        if result is not None:
            kept = ("effective_rank", "seconds", "peak_mib", "parameters")
            self.log({f"result/{k}": result[k] for k in kept if k in result}, result["epochs"])
        if self._tracker is not None:
            self._tracker.finish()


def numbers_of(metrics: Mapping[str, Any], prefix: str = "") -> dict[str, float]:
    """The numbers in nested metrics, by names such as "loss/total"."""
    out: dict[str, float] = {}
    for name, value in metrics.items():
        if isinstance(value, Mapping):
            out |= numbers_of(value, f"{prefix}{name}/")
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            out[prefix + name] = float(value)
    return out
