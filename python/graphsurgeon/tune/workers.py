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

from .. import command
from ..errors import DataError, UsageError
from .objective import Objective
from .settings import Settings
from .study import finished_trials, is_done, open_study


def run_workers(settings: Settings, workers: int) -> None:
    """Works in this process when one worker is enough, else in `workers` others."""
    if workers == 1:
        work(settings, 0)
        return
    context = multiprocessing.get_context("spawn")
    # Daemons: a second Ctrl-C, which ends the waiting below, ends them.
    processes = [
        context.Process(target=work_alone, args=(settings, i), name=f"worker {i}", daemon=True) for i in range(workers)
    ]
    for process in processes:
        process.start()
    try:
        for process in processes:
            process.join()
    except KeyboardInterrupt:  # on a terminal they got it too; by `kill` this process did alone
        for process in processes:
            if process.is_alive():
                os.kill(process.pid, signal.SIGINT)
        for process in processes:
            process.join()  # they end after the step under way
        raise
    dead = [process for process in processes if process.exitcode != 0]
    if len(dead) == len(processes):
        error = UsageError if any(process.exitcode == 2 for process in dead) else DataError
        raise error(f"{settings.folder}: every worker ended early", "what they said stands above")
    for process in dead:
        print(f"note: {process.name} ended early; its trial is lost, the others went on", file=sys.stderr)


def work_alone(settings: Settings, worker: int) -> None:
    """`work` in a process of its own: an error is a line and a hint, and it ends when the one that began it does."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    if os.getppid() != multiprocessing.parent_process().pid:  # it died while this one began, and nobody will tell
        sys.exit(1)
    signal.signal(signal.SIGINT, interrupt_once)
    sys.exit(command.run(lambda: work(settings, worker), ""))


def interrupt_once(number: int, frame: object) -> None:
    """Ctrl-C comes from the terminal and from `run_workers`: the second would disturb the cleaning up after the first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def work(settings: Settings, worker: int) -> None:
    """Runs trials until there are enough, or time is up, or all fail alike."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)  # what goes wrong is told by the error itself
    study = open_study(settings, worker)
    objective = Objective(settings)

    def after(study: optuna.Study, trial: FrozenTrial) -> None:
        if settings.show:
            print(trial_text(study, trial, settings), file=sys.stderr, flush=True)
        if is_done(study, settings.trials):
            study.stop()

    left = None if settings.deadline is None else settings.deadline - time.time()
    if not is_done(study, settings.trials) and (left is None or left > 0):
        study.optimize(objective, timeout=left, callbacks=[after])


def trial_text(study: optuna.Study, trial: FrozenTrial, settings: Settings) -> str:
    count = len(finished_trials(study))
    outcome = {TrialState.COMPLETE: f"{trial.value or 0:.2f}", TrialState.PRUNED: "pruned"}.get(trial.state, "failed")
    if "failure" in trial.user_attrs:
        outcome = f"failed, {trial.user_attrs['failure']}"
    values = ", ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in trial.params.items())
    return f"trial {trial.number}: {outcome} ({values}); {count} of {settings.trials}"
