"""What the folder holds in the end, and whose it is.

study.json   which study the others are of: its name and place, its data and objective
best.json    the best trial as a preset
trials.csv   a row a trial
tuning.html  the search as a page

They are replaced as the study goes on. study.json is there before the first trial, so that neither another study's
results nor files of somebody else's go away for ours.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import optuna
from optuna.trial import TrialState

from .. import command
from ..errors import DataError
from ..options import OPTIONS, defaults
from ..report.page import page
from ..report.sections_study import tuning_section
from ..report.study import read_tuning
from .settings import Settings
from .study import finished_trials, place_of

COMMAND = "graphsurgeon tune"  # by which our study.json is known
MADE = ("best.json", "trials.csv", "tuning.html")
ELSEWHERE = "move it away, or name another folder with -o"


def check_folder(settings: Settings) -> None:
    """DataError where the folder holds what is not of this study and would be replaced."""
    folder = Path(settings.folder)
    mark = folder / "study.json"
    if not mark.exists():
        for name in MADE:
            if (folder / name).exists():
                raise DataError(f"{folder / name}: is there already, and no study.json says whose it is", ELSEWHERE)
        return
    try:
        before = json.loads(mark.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        before = None
    if not isinstance(before, dict) or before.get("command") != COMMAND:
        raise DataError(f"{mark}: is there already and is not of a search", ELSEWHERE)
    found, ours = (before.get("study"), before.get("storage")), (settings.study, place_of(settings))
    if found != ours:
        raise DataError(
            f"{folder}: is the folder of the study '{found[0]}' in {found[1]}, not of '{ours[0]}' in {ours[1]}",
            "name another folder with -o",
        )


def claim_folder(study: optuna.Study, settings: Settings) -> None:
    """Writes study.json; DataError where there are results of a study that is no longer in its storage."""
    folder = Path(settings.folder)
    if not finished_trials(study):
        for name in MADE:
            if (folder / name).exists():
                raise DataError(f"{folder / name}: is of a study that is not in {place_of(settings)} now", ELSEWHERE)
    mark = {
        "command": COMMAND,
        "study": settings.study,
        "storage": place_of(settings),
        "data": settings.data,
        "objective": settings.objective,
        "measure": settings.measure,
    }
    command.write(folder / "study.json", (json.dumps(mark, indent=2) + "\n").encode())


def write_results(study: optuna.Study, settings: Settings) -> dict[str, Any]:
    """Writes the folder's files and returns what `--json` prints; DataError when no trial was completed."""
    folder = Path(settings.folder)
    trials = study.get_trials(deepcopy=False)
    count = {state: sum(trial.state == state for trial in trials) for state in TrialState}
    if not count[TrialState.COMPLETE]:
        failures = [trial.user_attrs["failure"] for trial in trials if "failure" in trial.user_attrs]
        if failures:
            raise DataError(f"{folder}: no trial was completed; the last one's error: {failures[-1]}", "mend that first")
        raise DataError(f"{folder}: no trial was completed", "give it more time or trials; the same command goes on")
    preset = preset_of(study, settings)
    command.write(folder / "best.json", (json.dumps(preset, indent=2) + "\n").encode())
    command.write(folder / "trials.csv", table_of(study, settings).encode())
    command.write(folder / "tuning.html", page_of(study, settings).encode("utf-8", errors="replace"))
    return {
        "study": settings.study,
        "objective": settings.objective,
        "trials": len(finished_trials(study)),
        "complete": count[TrialState.COMPLETE],
        "pruned": count[TrialState.PRUNED],
        "failed": count[TrialState.FAIL],
        "best": {"trial": study.best_trial.number, "value": study.best_value, "options": preset["options"]},
        "preset": str(folder / "best.json"),
    }


def preset_of(study: optuna.Study, settings: Settings) -> dict[str, Any]:
    """The best trial as a preset: what differs from the defaults, what was searched, and what a protocol would set."""
    best = study.best_trial
    values = settings.base | best.params
    plain = defaults(values["method"])
    always = {"epochs"} | ({"select"} if values["protocol"] != OPTIONS["protocol"].default else set())
    options = {}
    for keyword, option in OPTIONS.items():
        value = option.value_of(values[keyword])
        if keyword != "data_root" and (value != plain[keyword] or keyword in settings.space or keyword in always):
            options[option.name] = value
    count = len(finished_trials(study))
    found = f"best {settings.measure} of {count} trials, {best.value:.2f} by {best.number}"
    return {"origin": f"{COMMAND} {settings.data}: {found}", "options": options}


def table_of(study: optuna.Study, settings: Settings) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["trial", "state", "value", "epochs", "seconds", *settings.space, "failure"])
    for trial in study.get_trials(deepcopy=False):
        value = trial.value if trial.state == TrialState.COMPLETE else trial.intermediate_values.get(trial.last_step)
        seconds = f"{trial.duration.total_seconds():.1f}" if trial.duration else ""
        params = [trial.params.get(keyword, "") for keyword in settings.space]
        row = [trial.number, trial.state.name.lower(), value, trial.last_step, seconds, *params]
        writer.writerow([*row, trial.user_attrs.get("failure", "")])
    return out.getvalue()


def page_of(study: optuna.Study, settings: Settings) -> str:
    """The page that `graphsurgeon report` makes of the folder, from the files that are there and the study itself."""
    tuning = read_tuning(Path(settings.folder), settings.study, study)
    return page(f"{COMMAND} {settings.data}", "", [tuning_section([tuning])])
