"""Folders of ablate, bench and tune, as they lie on disk."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DataError
from .run import read_json

if TYPE_CHECKING:
    from optuna import Study  # a report of runs does without Optuna


@dataclass
class Ablation:
    name: str
    text: str
    holds: bool | None  # None: its trainings cannot tell
    rows: list[dict[str, Any]]


@dataclass
class Ablations:
    name: str
    results: list[Ablation]


@dataclass
class Bench:
    name: str
    rows: list[dict[str, Any]]


@dataclass
class Tuning:
    name: str
    origin: str  # of the preset: what was searched, and how it went
    best: dict[str, Any]  # its options
    searched: list[str]  # columns of the trials
    trials: list[dict[str, Any]]  # trial, state, value, epochs, seconds and what was searched
    measure: str = "score"  # what was made large
    curves: list[list[tuple[int, float]]] = field(
        default_factory=list
    )  # epoch and score, one list per trial
    importance: dict[str, float] = field(default_factory=dict)
    note: str = ""  # what is missing


def rows_of(content: dict[str, Any]) -> list[Any] | None:
    """The cells that a study shows, in its own file or in one of an older version."""
    cells = content.get("cells")
    rows = (
        cells[: content.get("shown", len(cells))]
        if isinstance(cells, list)
        else content.get("rows")
    )
    return rows if isinstance(rows, list) else None


def is_ablation(content: Any) -> bool:
    return (
        isinstance(content, dict)
        and {"name", "holds", "text"} <= content.keys()
        and rows_of(content) is not None
    )


def ablation_contents(folder: Path) -> list[dict[str, Any]]:
    """What ablate wrote, one file per ablation.

    DataError when one that has its tables beside it cannot be read.
    """
    found = []
    for file in sorted(folder.glob("*.json")):
        try:
            content = read_json(file)
        except DataError:
            if file.with_suffix(".md").exists():
                raise
            continue
        if is_ablation(content):
            found.append(content)
    return found


def read_ablations(folder: Path, name: str) -> Ablations:
    results = []
    for content in ablation_contents(folder):
        rows = [row for row in rows_of(content) or [] if isinstance(row, dict) and "dataset" in row]
        holds = None if content["holds"] is None else bool(content["holds"])
        results.append(Ablation(str(content["name"]), str(content["text"]), holds, rows))
    return Ablations(name, results)


def read_bench(folder: Path, name: str) -> Bench:
    content = read_json(folder / "bench.json")
    rows = rows_of(content) if isinstance(content, dict) else None
    if not isinstance(rows, list) or not all(
        isinstance(row, dict) and {"method", "dataset"} <= row.keys() for row in rows
    ):
        raise DataError(
            f"{folder / 'bench.json'}: has no rows", "is it what 'graphsurgeon bench -o' wrote?"
        )
    return Bench(name, rows)


def read_tuning(folder: Path, name: str, study: Study | None = None) -> Tuning:
    """`study`: the folder's, if it is open already; else it is read from the folder's journal."""
    best = read_json(folder / "best.json")
    file = folder / "trials.csv"
    with open(file, encoding="utf-8", newline="") as lines:
        table = list(csv.DictReader(lines))
    fixed = ["trial", "state", "value", "epochs", "seconds"]
    if not table or not set(fixed) <= table[0].keys() or not isinstance(best, dict):
        raise DataError(
            f"{file}: is no table of trials", "is it what 'graphsurgeon tune -o' wrote?"
        )
    trials = [{key: number(value) for key, value in row.items() if key} for row in table]
    mark = read_mark(folder)
    out = Tuning(name, str(best.get("origin", "")), best.get("options", {}), [], trials)
    out.measure = str(mark.get("measure", out.measure))
    out.searched = [key for key in table[0] if key and key not in fixed and key != "failure"]
    journal = folder / "journal.log"
    if study is None and (
        mark.get("storage", journal.name) != journal.name or not journal.exists()
    ):
        out.note = (
            "The study is in another storage: its trials' curves and the importance of the options "
            "are not here."
        )
        return out
    try:
        add_study(study or study_in(journal, mark.get("study")), out)
    except (RuntimeError, ValueError, KeyError, TypeError, ModuleNotFoundError) as error:
        out.note = (
            f"The study could not be read, so that curves and importance are missing: {error}"
        )
    return out


def read_mark(folder: Path) -> dict[str, Any]:
    """What study.json says of the search; nothing where there is none."""
    file = folder / "study.json"
    mark = read_json(file) if file.exists() else {}
    if not isinstance(mark, dict):
        raise DataError(
            f"{file}: says nothing of a study", "is it what 'graphsurgeon tune -o' wrote?"
        )
    return mark


def number(text: str | None) -> Any:
    try:
        value = float(text or "")
    except ValueError:
        return text or None
    return (
        int(value)
        if value == int(value) and "." not in (text or "") and "e" not in (text or "")
        else value
    )


def study_in(journal: Path, name: str | None) -> Study:
    """The study of that name, or the only one; KeyError or ValueError where there is none."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    from optuna.storages.journal import JournalFileBackend

    storage = optuna.storages.JournalStorage(JournalFileBackend(str(journal)))
    names = optuna.get_all_study_names(storage)
    if name is None and len(names) != 1:
        raise ValueError(
            "it holds several studies, and no study.json names one"
            if names
            else "it holds no study"
        )
    return optuna.load_study(study_name=name or names[0], storage=storage)


def add_study(study: Study, tuning: Tuning) -> None:
    """Curves and importance, as the study itself has them."""
    for trial in study.get_trials(deepcopy=False):
        if trial.intermediate_values:
            tuning.curves.append(sorted(trial.intermediate_values.items()))
    try:
        tuning.importance = importance_of(study)
    except AssertionError:  # Optuna's check of a variance, which rounding may take below 0
        tuning.note = "The importance of the options could not be worked out."


def importance_of(study: Study) -> dict[str, float]:
    """By fANOVA, over the completed trials within their ranges; empty where they do not differ.

    A search may start outside of its ranges, and fANOVA fails on such a trial.
    """
    import optuna

    complete = study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.COMPLETE,))
    within = [
        t
        for t in complete
        if all(is_within(t.params[name], d) for name, d in t.distributions.items())
    ]
    if len({trial.value for trial in within}) < 2:
        return {}
    searched = optuna.create_study(direction=study.direction)
    searched.add_trials(within)
    evaluator = optuna.importance.FanovaImportanceEvaluator(seed=0)
    return optuna.importance.get_param_importances(searched, evaluator=evaluator)


def is_within(value: Any, distribution: Any) -> bool:
    choices = getattr(distribution, "choices", None)
    return (
        value in choices if choices is not None else distribution.low <= value <= distribution.high
    )
