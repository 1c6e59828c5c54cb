"""The files in the folder of a study.

study.json   identifies the study: name, storage, data and objective
best.json    the best trial as a preset
trials.csv   one row per trial
tuning.html  the search as a page

All are replaced as the study continues. study.json is written before the first trial, so that the
results of another study and the user's own files are never replaced.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import optuna
from optuna.trial import TrialState

from .. import _cli
from ..errors import DataError
from ..options import OPTIONS, defaults
from ..report.page import page
from ..report.sections_study import tuning_section
from ..report.study_folders import read_tuning
from .search import Search
from .storage import finished_trials, place_of

COMMAND = "graphsurgeon tune"  # identifies a study.json of ours
MADE = ("best.json", "trials.csv", "tuning.html")
ELSEWHERE = "move it, or choose another folder with -o"


def check_folder(search: Search) -> None:
    """DataError if the folder holds files of something else that would be replaced."""
    folder = Path(search.folder)
    mark = folder / "study.json"
    if not mark.exists():
        for name in MADE:
            if (folder / name).exists():
                message = f"{folder / name}: already exists, and there is no study.json beside it"
                raise DataError(message, ELSEWHERE)
        return
    try:
        before = json.loads(mark.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        before = None
    if not isinstance(before, dict) or before.get("command") != COMMAND:
        raise DataError(f"{mark}: already exists and was not written by this command", ELSEWHERE)
    found = f"'{before.get('study')}' in {before.get('storage')}"
    wanted = f"'{search.study}' in {place_of(search)}"
    if found != wanted:
        raise DataError(
            f"{folder}: is the folder of the study {found}, not of {wanted}",
            "choose another folder with -o",
        )


def claim_folder(study: optuna.Study, search: Search) -> None:
    """Writes study.json; DataError if results exist whose study is not in the storage."""
    folder = Path(search.folder)
    if not finished_trials(study):
        for name in MADE:
            if (folder / name).exists():
                message = f"{folder / name}: its study is no longer in {place_of(search)}"
                raise DataError(message, ELSEWHERE)
    mark = {
        "command": COMMAND,
        "study": search.study,
        "storage": place_of(search),
        "data": search.data,
        "objective": search.objective,
        "measure": search.measure,
    }
    _cli.write(folder / "study.json", (json.dumps(mark, indent=2) + "\n").encode())


def write_results(study: optuna.Study, search: Search) -> dict[str, Any]:
    """Writes the files and returns what `--json` prints; DataError if no trial was completed."""
    folder = Path(search.folder)
    trials = study.get_trials(deepcopy=False)
    count = {state: sum(trial.state == state for trial in trials) for state in TrialState}
    if not count[TrialState.COMPLETE]:
        failures = [t.user_attrs["failure"] for t in trials if "failure" in t.user_attrs]
        if failures:
            message = f"{folder}: no trial was completed; the last error: {failures[-1]}"
            raise DataError(message, "fix that first")
        hint = "allow more time or trials; the same command continues"
        raise DataError(f"{folder}: no trial was completed", hint)
    preset = preset_of(study, search)
    _cli.write(folder / "best.json", (json.dumps(preset, indent=2) + "\n").encode())
    _cli.write(folder / "trials.csv", table_of(study, search).encode())
    page_bytes = page_of(study, search).encode("utf-8", errors="replace")
    _cli.write(folder / "tuning.html", page_bytes)
    return {
        "study": search.study,
        "objective": search.objective,
        "trials": len(finished_trials(study)),
        "complete": count[TrialState.COMPLETE],
        "pruned": count[TrialState.PRUNED],
        "failed": count[TrialState.FAIL],
        "best": {
            "trial": study.best_trial.number,
            "value": study.best_value,
            "options": preset["options"],
        },
        "preset": str(folder / "best.json"),
    }


def preset_of(study: optuna.Study, search: Search) -> dict[str, Any]:
    """The best trial as a preset: changed and searched options, and those that a protocol sets."""
    best = study.best_trial
    values = search.base | best.params
    plain = defaults(values["method"])
    always = {"epochs", *search.space}
    if values["protocol"] != OPTIONS["protocol"].default:
        always.add("select")
    options = {}
    for keyword, option in OPTIONS.items():
        value = option.value_of(values[keyword])
        if keyword != "data_root" and (value != plain[keyword] or keyword in always):
            options[option.name] = value
    count = len(finished_trials(study))
    found = f"best {search.measure} of {count} trials, {best.value:.2f} by {best.number}"
    return {"origin": f"{COMMAND} {search.data}: {found}", "options": options}


def table_of(study: optuna.Study, search: Search) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["trial", "state", "value", "epochs", "seconds", *search.space, "failure"])
    for trial in study.get_trials(deepcopy=False):
        value = trial.value
        if trial.state != TrialState.COMPLETE:
            value = trial.intermediate_values.get(trial.last_step or 0)
        seconds = f"{trial.duration.total_seconds():.1f}" if trial.duration else ""
        params = [trial.params.get(keyword, "") for keyword in search.space]
        row = [trial.number, trial.state.name.lower(), value, trial.last_step, seconds, *params]
        writer.writerow([*row, trial.user_attrs.get("failure", "")])
    return out.getvalue()


def page_of(study: optuna.Study, search: Search) -> str:
    """The page of `graphsurgeon report` for the folder, with curves from the study itself."""
    tuning = read_tuning(Path(search.folder), search.study, study)
    return page(f"{COMMAND} {search.data}", "", [tuning_section([tuning])])
