"""The processes that run trials."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import time

import optuna
from optuna.trial import FrozenTrial, TrialState

from .. import _cli
from ..errors import DataError, UsageError
from .objective import Objective
from .search import Search
from .storage import finished_trials, is_done, open_study


def run_workers(search: Search, workers: int) -> None:
    """Runs one worker in this process, or `workers` of them in processes of their own."""
    if workers == 1:
        work(search, 0)
        return
    context = multiprocessing.get_context("spawn")
    # Daemons end with a second Ctrl-C, which interrupts the wait below.
    processes = [
        context.Process(target=work_alone, args=(search, i), name=f"worker {i}", daemon=True)
        for i in range(workers)
    ]
    for process in processes:
        process.start()
    try:
        for process in processes:
            process.join()
    except KeyboardInterrupt:
        # A terminal interrupts the workers too; `kill` interrupts this process alone.
        for process in processes:
            if process.is_alive() and process.pid is not None:
                os.kill(process.pid, signal.SIGINT)
        for process in processes:
            process.join()  # they stop after the current step
        raise
    dead = [process for process in processes if process.exitcode != 0]
    if len(dead) == len(processes):
        error = UsageError if any(process.exitcode == 2 for process in dead) else DataError
        raise error(f"{search.folder}: every worker ended early", "their errors are printed above")
    for process in dead:
        note = f"note: {process.name} ended early and its trial is lost; the others continued"
        print(note, file=sys.stderr)


def work_alone(search: Search, worker: int) -> None:
    """`work` in a process of its own, which ends together with its parent."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    parent = multiprocessing.parent_process()
    if parent is None or os.getppid() != parent.pid:  # it died before the call above
        sys.exit(1)
    signal.signal(signal.SIGINT, interrupt_once)
    sys.exit(_cli.run(lambda: work(search, worker), ""))


def interrupt_once(number: int, frame: object) -> None:
    """Ignores the second SIGINT of one Ctrl-C (terminal and `run_workers`) during cleanup."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def work(search: Search, worker: int) -> None:
    """Runs trials until there are enough, the time is over, or all fail with the same error."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)  # the error itself says what went wrong
    study = open_study(search, worker)
    objective = Objective(search)

    def after(study: optuna.Study, trial: FrozenTrial) -> None:
        if search.show:
            print(trial_text(study, trial, search), file=sys.stderr, flush=True)
        if is_done(study, search.trials):
            study.stop()

    left = None if search.deadline is None else search.deadline - time.time()
    if not is_done(study, search.trials) and (left is None or left > 0):
        study.optimize(objective, timeout=left, callbacks=[after])


def trial_text(study: optuna.Study, trial: FrozenTrial, search: Search) -> str:
    count = len(finished_trials(study))
    if "failure" in trial.user_attrs:
        outcome = f"failed, {trial.user_attrs['failure']}"
    elif trial.state == TrialState.COMPLETE:
        outcome = f"{trial.value or 0:.2f}"
    else:
        outcome = "pruned" if trial.state == TrialState.PRUNED else "failed"
    values = ", ".join(
        f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in trial.params.items()
    )
    return f"trial {trial.number}: {outcome} ({values}); {count} of {search.trials}"
