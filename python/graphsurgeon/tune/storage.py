"""The study in its storage: created or continued, its first trial, and when it is done."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import optuna
from optuna.storages.journal import JournalFileBackend
from optuna.trial import FrozenTrial, TrialState

from ..errors import DataError
from ..options import OPTIONS, RENAMED
from .search import Search

FINISHED = (TrialState.COMPLETE, TrialState.PRUNED)
GIVE_UP = 3  # trials with the same error and none completed, before the search gives up
# What must stay the same in a study, and how messages name it.
ABOUT = {"data": "data", "objective": "objective", "fixed": "value of an option", "space": "range"}


def journal_of(folder: str) -> Path:
    return Path(folder) / "journal.log"


def place_of(search: Search) -> str:
    """The location of the study to show: a URL without user and password."""
    address = re.sub(r"//[^/]*@", "//", search.storage).partition("?")[0]
    return address or journal_of("").name


def open_storage(search: Search) -> optuna.storages.BaseStorage:
    """Opens the storage; DataError if that fails or it holds something else."""
    try:
        if search.storage:
            return optuna.storages.get_storage(search.storage)
        journal = journal_of(search.folder)
        check_journal(journal)
        return optuna.storages.JournalStorage(JournalFileBackend(str(journal)))
    except Exception as error:  # Optuna, SQLAlchemy, a database driver, a wrong file
        place = place_of(search) if search.storage else journal_of(search.folder)
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        hint = "choose another --storage such as sqlite:///FILE, or another -o"
        raise DataError(f"{place}: cannot store a study: {reason}", hint) from error


def check_journal(file: Path) -> None:
    """ValueError for another file, to which Optuna might append."""
    if not file.exists() or file.stat().st_size == 0:
        return
    with open(file, "rb") as lines:
        first = lines.readline()
    try:
        known = "op_code" in json.loads(first)
    except (ValueError, TypeError):
        known = False
    if not known:
        raise ValueError("it is not an Optuna journal")


def open_study(search: Search, worker: int = 0) -> optuna.Study:
    """Opens or creates the study; DataError if it exists and searches something else."""
    storage = open_storage(search)
    study = create_study(storage, search)
    wanted = json.loads(json.dumps(about(search)))
    before = in_todays_words(study.user_attrs.get("graphsurgeon"))
    if before is not None and before != wanted:
        if any(trial.state != TrialState.WAITING for trial in study.get_trials(deepcopy=False)):
            differing = [words for key, words in ABOUT.items() if before.get(key) != wanted[key]]
            raise DataError(
                f"{search.folder}: the study '{search.study}' was started with another "
                f"{', '.join(differing)}",
                "pass the same options to continue it, or another -o",
            )
        optuna.delete_study(study_name=search.study, storage=storage)  # it has no trials
        study, before = create_study(storage, search), None
    if before is None:
        study.set_user_attr("graphsurgeon", wanted)
    # A separate random stream for every worker and every continuation, to avoid repeated draws.
    begun = len(study.get_trials(deepcopy=False))
    study.sampler = optuna.samplers.TPESampler(seed=search.seed + 7919 * worker + 104729 * begun)
    return study


def about(search: Search) -> dict[str, Any]:
    """What must be equal for trials to be comparable."""
    fixed = {k: v for k, v in search.base.items() if k not in {*search.space, "data_root"}}
    return {
        "data": search.data,
        "objective": search.objective,
        "fixed": {k: v for k, v in fixed.items() if v != OPTIONS[k].default},
        "space": {keyword: r.as_json() for keyword, r in search.space.items()},
    }


def in_todays_words(before: dict[str, Any] | None) -> dict[str, Any] | None:
    """`about` of a study that an earlier version may have written."""
    if before is None:
        return None
    fixed = {RENAMED.get(keyword, keyword): v for keyword, v in before.get("fixed", {}).items()}
    return before | {"fixed": fixed}


def create_study(storage: optuna.storages.BaseStorage, search: Search) -> optuna.Study:
    return optuna.create_study(
        storage=storage,
        study_name=search.study,
        direction="maximize",
        load_if_exists=True,
        pruner=optuna.pruners.MedianPruner(n_startup_trials=5, n_warmup_steps=search.every),
    )


def enqueue_start(study: optuna.Study, start: dict[str, Any]) -> None:
    """Makes `start` the first trial, so that the result is no worse.

    Does nothing if a trial of it is finished, running or waiting. An interrupted trial is repeated.
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
    """Whether that many trials are finished and none waits, or all fail with the same error."""
    if common_failure(study) is not None:
        return True
    waiting = study.get_trials(deepcopy=False, states=(TrialState.WAITING,))
    return len(finished_trials(study)) >= trials and not waiting


def common_failure(study: optuna.Study) -> str | None:
    """The error that all of several trials failed with, if none was completed."""
    trials = finished_trials(study)
    failures = {trial.user_attrs.get("failure") for trial in trials}
    return failures.pop() if len(trials) >= GIVE_UP and len(failures) == 1 else None
