"""`graphsurgeon tune DATA -o DIR`."""

from __future__ import annotations

import argparse
import json
import os
import re
import time
from pathlib import Path
from typing import Any

import optuna

from .. import command, estimator
from .._load import core
from ..errors import DataError, UsageError
from ..options import METHODS, OPTIONS
from ..search_space import search_space
from .owner import fail_lost_trials
from .results import check_folder, claim_folder, write_results
from .settings import Settings, under_protocol
from .study import enqueue_start, open_study
from .workers import run_workers

# --workers is how many trials run at a time here; a trial's own are left alone.
NOT_OFFERED = {"workers"}


def seconds_of(text: str) -> float:
    """'90', '90s', '10m', '1h' or '1h30m' in seconds."""
    match = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s?)?", text)
    if not match or not any(match.groups()):
        raise UsageError(f"--timeout: '{text}' is no duration", "as in 90s, 10m or 1h30m")
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return 3600 * hours + 60 * minutes + seconds


def parser() -> argparse.ArgumentParser:
    about = "Searches for good options by the score of validation nodes."
    out = command.Parser(prog="graphsurgeon tune", description=about, allow_abbrev=False)
    out.add_argument("data", metavar="DATA", help="catalog name, file, folder or generator")
    out.add_argument("-o", "--output", required=True, metavar="DIR", help="folder of the study and its results")
    out.add_argument("--trials", type=int, default=100, help="finished trials of the study, earlier ones counted (100)")
    out.add_argument("--timeout", metavar="TIME", help="begin no trial after this, as 90s, 10m or 1h30m")
    out.add_argument("--workers", type=int, default=1, help="trials at a time, each in a process of its own (1)")
    out.add_argument("--storage", default="", metavar="URL", help="as sqlite:///FILE; else a journal file in DIR")
    out.add_argument("--study", default="graphsurgeon", metavar="NAME", help="of the study in its storage")
    out.add_argument("--objective", choices=["validation", "rankme"], default="validation",
                     help="what is made large: validation score, or effective rank, which needs no labels")  # fmt: skip
    out.add_argument("--search", action="append", default=[], metavar="RANGE",
                     help="another range: lr=1e-4..1e-1:log, layers=1..4, mode=pre,post; may be repeated")  # fmt: skip
    out.add_argument("--preset", default="", help="values to start from: the first trial, and what is not searched")
    out.add_argument("--look-every", type=int, default=10, metavar="N", help="epochs between looks of the pruner (10)")
    out.add_argument("--threads", type=int, default=0, help="of all workers together; 0 takes every core")
    out.add_argument("--json", action="store_true", help="print the result as one JSON object")
    out.add_argument("--quiet", action="store_true", help="no line a trial")
    fixed = out.add_argument_group("options of training, which stay as given")
    for keyword, option in OPTIONS.items():
        if keyword in NOT_OFFERED:
            continue
        kind: dict[str, Any] = {"metavar": option.type}
        if option.type == "":
            kind = {"action": "store_const", "const": True}
        text = option.help.replace("%", "%%")
        fixed.add_argument(f"--{option.name}", dest=f"fixed_{keyword}", help=text, **kind)
    return out


def typed(keyword: str, text: Any) -> Any:
    option = OPTIONS[keyword]
    try:
        if option.type == "INT,...":
            return [int(word) for word in text.split(",")]
        return {"INT": int, "FLOAT": float}.get(option.type, lambda value: value)(text)
    except ValueError:
        raise UsageError(f"--{option.name}: '{text}' is not a value of this option", option.help) from None


def settings_of(arguments: argparse.Namespace) -> Settings:
    given = {
        name.removeprefix("fixed_"): typed(name.removeprefix("fixed_"), value)
        for name, value in vars(arguments).items()
        if name.startswith("fixed_") and value is not None
    }
    if arguments.workers < 1 or arguments.trials < 1 or arguments.look_every < 1:
        raise UsageError("--workers, --trials and --look-every are at least 1")
    if given.get("method", "graphsurgeon") not in METHODS:
        near = core.nearest(given["method"], list(METHODS))
        guess = f"; did you mean '{near}'?" if near else ""
        raise UsageError(f"--method: unknown method '{given['method']}'{guess}", f"one of {', '.join(METHODS)}")
    make = estimator.GraphSurgeon
    start = make.from_preset(arguments.preset, **given) if arguments.preset else make(**given)
    base = {keyword: value for keyword, value in start.get_params().items() if keyword in OPTIONS}
    check_method(base["method"], arguments.objective)
    base = under_protocol(base, set(given))
    if base["epochs"] == 0:
        raise UsageError("--epochs: 0 train nothing", "there is nothing to search without at least one")
    timeout = seconds_of(arguments.timeout) if arguments.timeout else None
    cores = arguments.threads or len(os.sched_getaffinity(0))
    return Settings(
        data=arguments.data,
        folder=arguments.output,
        storage=arguments.storage,
        study=arguments.study,
        objective=arguments.objective,
        trials=arguments.trials,
        deadline=None if timeout is None else time.time() + timeout,
        base=base,
        space=search_space(set(given), arguments.search, base["method"]),
        every=arguments.look_every,
        threads=max(1, cores // arguments.workers),
        seed=int(base["random_state"]),
        show=not arguments.quiet,
    )


def check_method(method: str, objective: str) -> None:
    """UsageError where there is nothing to search, or not by that objective."""
    if METHODS[method]["defaults"].get("epochs") == 0:
        raise UsageError(f"--method: {method} learns nothing", "there is nothing to search")
    if METHODS[method]["supervised"] and objective == "rankme":
        message = f"--objective: {method} learns from labels, and is scored by what it predicts of the validation nodes"
        raise UsageError(message, "leave --objective out, or search a method that learns without labels")


def tune(arguments: argparse.Namespace) -> dict[str, Any]:
    """Runs the search and returns what `--json` prints."""
    settings = settings_of(arguments)
    try:
        Path(settings.folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{settings.folder}: no folder can be made there: {error.strerror}"
        raise DataError(message, "name another with -o") from None
    check_folder(settings)
    study = open_study(settings)
    claim_folder(study, settings)
    fail_lost_trials(study)
    enqueue_start(study, settings.start)
    run_workers(settings, arguments.workers)
    return write_results(study, settings)


def result_text(result: dict[str, Any]) -> str:
    options = " ".join(f"--{name} {value}" for name, value in result["best"]["options"].items())
    return (
        f"{result['trials']} trials, {result['pruned']} of them pruned; "
        f"best {result['objective']} {result['best']['value']:.2f} by trial {result['best']['trial']}:\n"
        f"  {options}\nwrote {result['preset']}: use it with train --config\n"
    )


def main(words: list[str] | None = None) -> int:
    """`graphsurgeon tune`; returns the exit code."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def work() -> None:
        arguments = parser().parse_args(words)
        result = tune(arguments)
        print(json.dumps(result) if arguments.json else result_text(result), end="\n" if arguments.json else "")

    return command.run(work, "error: stopped; finished trials are kept\nhint: the same command goes on")
