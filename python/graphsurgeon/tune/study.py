"""The study in its storage: begun or gone on with, where it starts, and when it is done."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import optuna
from optuna.storages.journal import JournalFileBackend
from optuna.trial import FrozenTrial, TrialState

from ..errors import DataError
from ..options import OPTIONS
from .settings import Settings

FINISHED = (TrialState.COMPLETE, TrialState.PRUNED)
HOPELESS = 3  # trials that fail alike, none having been completed, before the search gives up
# What a study is about, in its own attributes and in words.
ABOUT = {"data": "data", "objective": "objective", "fixed": "value of an option", "space": "range"}


def journal_of(folder: str) -> Path:
    return Path(folder) / "journal.log"


def place_of(settings: Settings) -> str:
    """Where the study lies, fit to be shown: a URL without user and password."""
    address = re.sub(r"//[^/]*@", "//", settings.storage).partition("?")[0]
    return address or journal_of("").name


def open_storage(settings: Settings) -> optuna.storages.BaseStorage:
    """DataError where it cannot be opened, or holds something else."""
    try:
        if settings.storage:
            return optuna.storages.get_storage(settings.storage)
        journal = journal_of(settings.folder)
        check_journal(journal)
        return optuna.storages.JournalStorage(JournalFileBackend(str(journal)))
    except Exception as error:  # of Optuna, SQLAlchemy, a database's driver, a file that is no journal
        place = place_of(settings) if settings.storage else journal_of(settings.folder)
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        hint = "give another --storage, as sqlite:///FILE, or another -o"
        raise DataError(f"{place}: no study can be kept there: {reason}", hint) from error


def check_journal(file: Path) -> None:
    """ValueError for a file that is no journal: Optuna would write to the end of some."""
    if not file.exists() or file.stat().st_size == 0:
        return
    with open(file, "rb") as lines:
        first = lines.readline()
    try:
        known = "op_code" in json.loads(first)
    except (ValueError, TypeError):
        known = False
    if not known:
        raise ValueError("it is no journal of Optuna's")


def open_study(settings: Settings, worker: int = 0) -> optuna.Study:
    """The study, made where it is not there yet; DataError when it is there and searches something else."""
    storage = open_storage(settings)
    study = create_study(storage, settings)
    told = json.loads(json.dumps(about(settings)))
    before = study.user_attrs.get("graphsurgeon")
    if before is not None and before != told:
        if any(trial.state != TrialState.WAITING for trial in study.get_trials(deepcopy=False)):
            differing = ", ".join(words for key, words in ABOUT.items() if before.get(key) != told[key])
            raise DataError(
                f"{settings.folder}: the study '{settings.study}' was begun with another {differing}",
                "give the same options to go on with it, or another -o",
            )
        optuna.delete_study(study_name=settings.study, storage=storage)  # nothing was tried in it yet
        study, before = create_study(storage, settings), None
    if before is None:
        study.set_user_attr("graphsurgeon", told)
    # Another stream for every worker and every continuation: the same one would repeat its draws.
    begun = len(study.get_trials(deepcopy=False))
    study.sampler = optuna.samplers.TPESampler(seed=settings.seed + 7919 * worker + 104729 * begun)
    return study


def about(settings: Settings) -> dict[str, Any]:
    """What must be the same for trials to be compared."""
    fixed = {k: v for k, v in settings.base.items() if k not in settings.space and k != "data_root"}
    return {
        "data": settings.data,
        "objective": settings.objective,
        "fixed": {k: v for k, v in fixed.items() if v != OPTIONS[k].default},
        "space": {keyword: r.as_json() for keyword, r in settings.space.items()},
    }


def create_study(storage: optuna.storages.BaseStorage, settings: Settings) -> optuna.Study:
    return optuna.create_study(
        storage=storage,
        study_name=settings.study,
        direction="maximize",
        load_if_exists=True,
        pruner=optuna.pruners.MedianPruner(n_startup_trials=5, n_warmup_steps=settings.every),
    )


def enqueue_start(study: optuna.Study, start: dict[str, Any]) -> None:
    """Has the values one starts from tried first, so that the result is no worse than those.

    Once they were tried, or are about to be, they are not tried again; a trial that was interrupted did not try them.
    """
    for trial in study.get_trials(deepcopy=False):
        tried = trial.user_attrs.get("start") == start or start.items() <= trial.params.items()
        if tried and trial.state != TrialState.FAIL:
            return
    study.enqueue_trial(start, user_attrs={"start": start})


def is_start(trial: optuna.Trial) -> bool:
    return "start" in trial.user_attrs


def finished_trials(study: optuna.Study) -> list[FrozenTrial]:
    return study.get_trials(deepcopy=False, states=FINISHED)


def is_done(study: optuna.Study, trials: int) -> bool:
    """Whether that many trials are finished and none is waiting, or all fail alike."""
    waiting = study.get_trials(deepcopy=False, states=(TrialState.WAITING,))
    return (len(finished_trials(study)) >= trials and not waiting) or common_failure(study) is not None


def common_failure(study: optuna.Study) -> str | None:
    """What several trials failed by, each alike, while none was completed."""
    trials = finished_trials(study)
    failures = {trial.user_attrs.get("failure") for trial in trials}
    return failures.pop() if len(trials) >= HOPELESS and len(failures) == 1 else None
