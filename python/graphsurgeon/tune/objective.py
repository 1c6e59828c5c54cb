"""One trial: trained in pieces, scored after each."""

from __future__ import annotations

import json
import math
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
from .search import Search
from .storage import is_start


class Objective:
    """Trains a trial in pieces and reports the score after each.

    A supervised method is trained in one piece.
    """

    def __init__(self, search: Search) -> None:
        """Loads the graph; DataError if it lacks the labels that objective or method need."""
        self.search = search
        text = option_text(search.base)
        self.data = core.dataset(search.data, text, search.threads, Listener(False))
        method = search.base["method"]
        self.supervised = METHODS[method]["supervised"]
        if self.data.task == "none" and self.supervised:
            raise DataError(
                f"{search.data}: has no labels, which {method} learns from",
                "use a method without labels: --method graphsurgeon --objective rankme",
            )
        if self.data.task == "none" and search.objective == "validation":
            raise DataError(f"{search.data}: has no labels", "pass --objective rankme")

    def __call__(self, trial: Trial) -> float:
        owner.sign(trial)
        with warnings.catch_warnings():  # the first trial may lie outside the ranges on purpose
            warnings.filterwarnings("ignore", "Fixed parameter")
            values = self.search.base | {k: r.suggest(trial) for k, r in self.search.space.items()}
        folder = tempfile.mkdtemp(prefix="graphsurgeon-trial-")
        try:
            return self._train(trial, values, folder)
        except DataError as error:  # the loss is no longer finite, or the embeddings collapsed
            # The temporary folder means nothing to the user and differs between trials.
            why = error.message.removeprefix(f"{folder}: ")
            trial.set_user_attr("failure", why)
            raise optuna.TrialPruned(why) from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _train(self, trial: Trial, values: dict[str, Any], folder: str) -> float:
        """The score after the last epoch.

        Every piece gets the options of the whole training, since schedules depend on them.
        """
        text = trained_options(values)
        ends = [int(values["epochs"])] if self.supervised else piece_ends(values, self.search.every)
        value = 0.0
        for epoch in ends:
            core.train(
                dataset=self.data,
                data=self.search.data,
                folder=folder,
                init="",
                options=text,
                resume=epoch != ends[0],
                overwrite=True,
                threads=self.search.threads,
                listener=Listener(False),
                until=0 if self.supervised else epoch,
            )
            value = self._own_validation(folder) if self.supervised else self._score(folder, text)
            if not math.isfinite(value):  # Optuna would not count such a trial and never stop
                raise DataError(f"the {self.search.measure} is not finite at epoch {epoch}")
            trial.report(value, epoch)
            # The first trial is the reference for all others and always runs to its end.
            if epoch != ends[-1] and not is_start(trial) and trial.should_prune():
                raise optuna.TrialPruned
        return value

    def _score(self, folder: str, text: str) -> float:
        z = np.load(core.RunFolder(folder).embeddings)
        if self.search.objective == "rankme":
            return core.effective_rank(z, self.search.threads)
        return float(np.mean(core.validation(z, self.data, text, self.search.threads)))

    def _own_validation(self, folder: str) -> float:
        """The validation score of a supervised method: mean over splits of the best epoch."""
        best: dict[int, float] = {}
        with open(core.RunFolder(folder).metrics, encoding="utf-8") as file:
            for row in map(json.loads, file):
                if "validation" in row:
                    best[row["split"]] = max(row["validation"], best.get(row["split"], 0.0))
        return float(np.mean(list(best.values()))) if best else math.nan


def trained_options(values: dict[str, Any]) -> str:
    """The options of the training; epochs and selection always, so that no protocol sets them."""
    return option_text(values, always=("epochs", "select"))


def piece_ends(values: dict[str, Any], every: int) -> list[int]:
    """The epochs after which a trial is scored: every `every`, and the last.

    With `select="val"` these are multiples of `select_every`: training also selects at the end of
    each piece, and would otherwise choose among other epochs than a training in one piece.
    """
    if values["select"] == "val":
        own = int(values["select_every"])
        every = own * math.ceil(every / own)
    epochs = int(values["epochs"])
    return [*range(every, epochs, every), epochs]
