"""One training and its score, in processes of their own.

Peak memory is then the training's own, and a failure takes nothing with it.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from .. import program
from .._cli import write
from .._load import core
from ..options import METHODS
from ..scores import renamed_scores

Options = dict[str, Any]  # by the names of the command line
Row = dict[str, Any]

# What a training and its evaluation report, in the order in which a row has them.
TRAINED = ("epochs", "loader", "parameters", "ms_per_epoch", "peak_mib", "seconds", "threads")
SCORED = ("metric", "splits", "mean", "std", "std_over_encoders", "values")
MEASURED = (*TRAINED, *SCORED, "logistic", "curve")


@cache
def presets() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(core.presets())
    return found


@cache
def _resolved(text: str) -> Options:
    found: Options = json.loads(core.resolve(text))
    return found


def resolve(given: Options) -> Options:
    """Every option: what is `given`, else what the protocol sets, else the method's default."""
    return dict(_resolved(json.dumps(given)))


def defaults(method: str) -> Options:
    return resolve({"method": method})


def options_with(given: Options, preset: str = "") -> Options:
    """Every option of a training: what is `given`, what its protocol sets, the values of `preset`
    (none: ""), the method's defaults, in this order."""
    usual = resolve({})
    under = resolve({"protocol": given.get("protocol", usual["protocol"])})
    values = presets()[preset]["options"] if preset else {}
    return resolve({name: v for name, v in values.items() if under[name] == usual[name]} | given)


@dataclass
class Experiment:
    """A training, and how it is scored."""

    name: str  # of its working folder, unlike any other's of the study
    dataset: str
    options: Options  # all of them
    encoders: int = 1  # to train and score, of a method that learns without labels
    score: bool = True  # else time and memory alone
    probe_epochs: int = 0  # 0: as the protocol has it
    about: Row = field(default_factory=dict)  # what its row says beside what is measured

    @property
    def method(self) -> str:
        return str(self.options["method"])

    @property
    def settings(self) -> Row:
        """What the cell is known by. Options that have their method's defaults are not in it, so
        that an option that is added later leaves it as it is."""
        usual = defaults(self.method)
        own = {k: v for k, v in self.options.items() if k not in ("method", "data-root")}
        out: Row = {
            "dataset": self.dataset,
            "method": self.method,
            "options": {name: own[name] for name in sorted(own) if own[name] != usual.get(name)},
        }
        if self.encoders > 1:
            out["encoders"] = self.encoders
        if not self.score:
            out["score"] = False
        if self.probe_epochs:
            out["probe_epochs"] = self.probe_epochs
        return out


@dataclass
class Runner:
    """Runs experiments below `folder`/work; a training that was stopped there is resumed."""

    folder: Path
    threads: int = 0  # 0: all cores
    data_root: str = ""

    def run(self, experiment: Experiment) -> Row:
        """What was measured (of MEASURED), or a "problem"."""
        work = self.folder / "work" / experiment.name
        self._begin(experiment, work)
        row = self._train(experiment, work)
        if "problem" not in row and experiment.score:
            row = self._score(experiment, work, row)
        if "problem" not in row:
            shutil.rmtree(work, ignore_errors=True)
        return {key: row[key] for key in (*MEASURED, "problem") if key in row}

    def _begin(self, experiment: Experiment, work: Path) -> None:
        """A training that was begun with other options begins again."""
        values = {name: v for name, v in experiment.options.items() if name != "data-root"}
        wanted = json.dumps({"options": values}, indent=2) + "\n"
        config = work / "config.json"
        if work.exists() and not (config.exists() and config.read_text("utf-8") == wanted):
            shutil.rmtree(work)
        work.mkdir(parents=True, exist_ok=True)
        write(config, wanted.encode())

    def _train(self, experiment: Experiment, work: Path) -> Row:
        """The training's part of the row.

        It is kept beside the run once the training has ended: a resumed training that has nothing
        left to do would report the time and memory of a process that did nothing.
        """
        kept = work / "trained.json"
        if kept.exists():
            found: Row = json.loads(kept.read_text("utf-8"))
            return found
        run, config = work / "run", work / "config.json"
        done = self._call("train", experiment.dataset, "-o", run, "--config", config, "--resume")
        if done.code != 0:
            return {"peak_mib": rounded(done.peak_mib), "problem": done.problem}
        result = json.loads(done.output)
        row: Row = {key: result[key] for key in ("epochs", "loader", "parameters", "ms_per_epoch")}
        row["peak_mib"] = max(done.peak_mib, result["peak_mib"])
        row["seconds"] = done.seconds
        row["threads"] = self.threads or len(os.sched_getaffinity(0))
        if experiment.options["select"] == "val":
            row["curve"] = curve_of(run / "metrics.jsonl")
        row = rounded(row)
        write(kept, (json.dumps(row) + "\n").encode())
        return row

    def _score(self, experiment: Experiment, work: Path, row: Row) -> Row:
        words: list[object] = ["eval", work / "run", experiment.dataset, "--no-reference"]
        if experiment.probe_epochs:
            words += ["--probe-epochs", experiment.probe_epochs]
        if not METHODS[experiment.method]["supervised"]:
            words += ["--num-splits", experiment.options["num-splits"]]
            words += ["--encoders", experiment.encoders]
        done = self._call(*words)
        if done.code != 0:
            return row | {"problem": done.problem}
        score = renamed_scores(json.loads(done.output))
        row = row | rounded(by_both_probes(score))
        row["seconds"] = rounded(row["seconds"] + done.seconds)
        return row

    def _call(self, *words: object) -> program.Finished:
        more: list[object] = ["--json", "--quiet"]
        if self.threads:
            more += ["--threads", self.threads]
        if self.data_root:
            more += ["--data-root", self.data_root]
        return program.run(*words, *more)


def by_both_probes(score: Row) -> Row:
    """SCORED by the paper's probe, and {"mean", "std", "std_over_encoders"} by "logistic".

    A method that predicts by itself has one score, which no probe made.
    """
    row = {key: score[key] for key in SCORED}
    probes = score["probes"]
    if "paper" in probes:
        each = [value for e in score["encoders"] for value in e["probes"]["paper"]["values"]]
        row |= probes["paper"] | {"values": each}
    if "logistic" in probes:
        row["logistic"] = probes["logistic"]
    return row


def rounded(value: Any) -> Any:
    """Eight decimals, in lists and rows too: the rest is noise and makes the files longer."""
    if isinstance(value, float):
        return round(value, 8)
    if isinstance(value, list):
        return [rounded(item) for item in value]
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return value


def curve_of(metrics: Path) -> list[list[float]]:
    """[epoch, validation score] of the epochs that have one."""
    rows = map(json.loads, metrics.read_text("utf-8").splitlines())
    return [[row["epoch"], row["validation"]] for row in rows if "validation" in row]
