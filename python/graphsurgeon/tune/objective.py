"""One trial: trained in pieces, scored after each."""

from __future__ import annotations

import json
import math
import os
import shutil
import tempfile
import warnings
from typing import Any

import numpy as np
import optuna
from optuna.trial import Trial

from .._load import core
from ..errors import DataError
from ..options import METHODS, option_text
from ..progress import Listener
from . import owner
from .settings import Settings
from .study import is_start


class Objective:
    """Trains a trial in pieces and tells how it does after each; a method that learns from labels in one piece."""

    def __init__(self, settings: Settings) -> None:
        """Loads the graph; DataError where it lacks the labels that the objective or the method needs."""
        self.settings = settings
        self.data = core.dataset(settings.data, option_text(settings.base), settings.threads, Listener(False))
        method = settings.base["method"]
        self.supervised = METHODS[method]["supervised"]
        if self.data.task == "none" and self.supervised:
            raise DataError(
                f"{settings.data}: has no labels, which {method} learns from",
                "search a method that does without: --method graphsurgeon --objective rankme",
            )
        if self.data.task == "none" and settings.objective == "validation":
            raise DataError(f"{settings.data}: has no labels", "search without them by --objective rankme")

    def __call__(self, trial: Trial) -> float:
        owner.sign(trial)
        with warnings.catch_warnings():  # the start may lie outside of the ranges, and is meant to
            warnings.filterwarnings("ignore", "Fixed parameter")
            values = self.settings.base | {k: r.suggest(trial) for k, r in self.settings.space.items()}
        folder = tempfile.mkdtemp(prefix="graphsurgeon-trial-")
        try:
            return self._train(trial, values, folder)
        except DataError as error:  # the loss is no longer finite, or the embeddings collapsed
            why = error.message.removeprefix(f"{folder}: ")  # which nobody knows, and which is another in every trial
            trial.set_user_attr("failure", why)
            raise optuna.TrialPruned(why) from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _train(self, trial: Trial, values: dict[str, Any], folder: str) -> float:
        """The score after the last epoch. The options are the whole training's in every piece: schedules follow them."""
        text = trained_options(values)
        looks = [int(values["epochs"])] if self.supervised else looks_of(values, self.settings.every)
        value = 0.0
        for epoch in looks:
            core.train(
                dataset=self.data, data=self.settings.data, folder=folder, init="", options=text,
                resume=epoch != looks[0], overwrite=True, threads=self.settings.threads, listener=Listener(False),
                until=0 if self.supervised else epoch,
            )  # fmt: skip
            value = self._own_validation(folder) if self.supervised else self._score(folder, text)
            if not math.isfinite(value):  # Optuna would drop such a trial, count it as none and go on for ever
                raise DataError(f"the {self.settings.measure} is not a finite number at epoch {epoch}")
            trial.report(value, epoch)
            # The start is what others are measured against, however it does on the way.
            if epoch != looks[-1] and not is_start(trial) and trial.should_prune():
                raise optuna.TrialPruned
        return value

    def _score(self, folder: str, text: str) -> float:
        z = np.load(os.path.join(folder, "embeddings.npy"))
        if self.settings.objective == "rankme":
            return core.effective_rank(z, self.settings.threads)
        return float(np.mean(core.validation(z, self.data, text, self.settings.threads)))

    def _own_validation(self, folder: str) -> float:
        """Of a method that predicts classes itself: the best of each split's training, which is what it keeps."""
        best: dict[int, float] = {}
        with open(os.path.join(folder, "metrics.jsonl"), encoding="utf-8") as file:
            for row in map(json.loads, file):
                if "validation" in row:
                    best[row["split"]] = max(row["validation"], best.get(row["split"], 0.0))
        return float(np.mean(list(best.values()))) if best else math.nan


def trained_options(values: dict[str, Any]) -> str:
    """What the core is told: epochs and selection too where they are defaults, which a protocol would replace."""
    return option_text(values, epochs=int(values["epochs"]), select=values["select"])


def looks_of(values: dict[str, Any], every: int) -> list[int]:
    """The epochs after which a trial is scored: each `every`, and the last.

    Where the training selects an epoch itself, only where it looks too: it does so at the end of a piece, and would
    choose among other epochs than a training in one piece.
    """
    if values["select"] == "val":
        own = int(values["select_every"])
        every = own * math.ceil(every / own)
    epochs = int(values["epochs"])
    return [*range(every, epochs, every), epochs]
