"""Which process runs a trial. A worker that dies leaves its trial running in the study."""

from __future__ import annotations

import os
import socket
import time
from datetime import datetime
from pathlib import Path

import optuna
from optuna.trial import FrozenTrial, Trial, TrialState

UNSIGNED = 3  # seconds that a trial may run before it is signed


def sign(trial: Trial) -> None:
    """Records in the study that this process runs the trial."""
    pid = os.getpid()
    worker = {"host": socket.gethostname(), "pid": pid, "begun": begun_at(pid)}
    trial.set_user_attr("worker", worker)


def begun_at(pid: object) -> str | None:
    """When the process started, in the kernel's ticks; None if it does not exist or is a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]


def fail_lost_trials(study: optuna.Study) -> int:
    """Marks trials of workers that died on this machine as failed; returns their number."""
    running = (TrialState.RUNNING,)
    trials = study.get_trials(deepcopy=False, states=running)
    if any("worker" not in trial.user_attrs for trial in trials):
        time.sleep(UNSIGNED)  # a trial that has just started is signed by then
        trials = study.get_trials(deepcopy=False, states=running)
    lost = [trial for trial in trials if is_lost(trial)]
    for trial in lost:
        study.tell(trial.number, state=TrialState.FAIL)
    return len(lost)


def is_lost(trial: FrozenTrial) -> bool:
    worker = trial.user_attrs.get("worker")
    if worker is None:
        begun = trial.datetime_start
        return begun is None or (datetime.now() - begun).total_seconds() >= UNSIGNED
    if worker["host"] != socket.gethostname():
        return False
    alive = begun_at(worker["pid"])
    return alive is None or alive != worker.get("begun", alive)
