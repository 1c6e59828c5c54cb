"""Whose a trial is. A worker that dies leaves its trial running in the study; it is found by the process it names."""

from __future__ import annotations

import os
import socket
import time
from datetime import datetime
from pathlib import Path

import optuna
from optuna.trial import FrozenTrial, Trial, TrialState

NAMELESS = 3  # seconds that a trial may run without telling whose it is


def sign(trial: Trial) -> None:
    """Says in the study that this process runs the trial."""
    pid = os.getpid()
    trial.set_user_attr("worker", {"host": socket.gethostname(), "pid": pid, "begun": begun_at(pid)})


def begun_at(pid: object) -> str | None:
    """When the process began, in the kernel's ticks; None when there is none, or only what is left of a dead one."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]


def fail_lost_trials(study: optuna.Study) -> int:
    """Trials of workers that died on this machine are marked as failed, so that nobody waits for them."""
    running = (TrialState.RUNNING,)
    if any("worker" not in trial.user_attrs for trial in study.get_trials(deepcopy=False, states=running)):
        time.sleep(NAMELESS)  # one that begins elsewhere now will say whose it is, one that was killed there will not
    lost = [trial for trial in study.get_trials(deepcopy=False, states=running) if is_lost(trial)]
    for trial in lost:
        study.tell(trial.number, state=TrialState.FAIL)
    return len(lost)


def is_lost(trial: FrozenTrial) -> bool:
    worker = trial.user_attrs.get("worker")
    if worker is None:
        return (datetime.now() - trial.datetime_start).total_seconds() >= NAMELESS
    alive = begun_at(worker["pid"])
    return worker["host"] == socket.gethostname() and (alive is None or alive != worker.get("begun", alive))
