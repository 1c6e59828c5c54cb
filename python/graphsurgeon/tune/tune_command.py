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

from .. import _cli
from .._load import core
from ..errors import DataError, UsageError
from ..estimator import GraphSurgeon
from ..options import METHODS, OPTIONS
from .owner import fail_lost_trials
from .results import check_folder, claim_folder, write_results
from .search import MEASURES, Search, under_protocol
from .search_space import search_space
from .storage import enqueue_start, open_study
from .workers import run_workers

# Here, --workers is the number of trials at a time. The option of training keeps its default.
NOT_OFFERED = {"workers"}


def seconds_of(text: str) -> float:
    """'90', '90s', '10m', '1h' or '1h30m' in seconds."""
    match = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s?)?", text)
    if not match or not any(match.groups()):
        raise UsageError(f"--timeout: '{text}' is not a duration", "write 90s, 10m or 1h30m")
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return 3600 * hours + 60 * minutes + seconds


def parser() -> argparse.ArgumentParser:
    about = "Searches for options with a good validation score."
    out = _cli.Parser(prog="graphsurgeon tune", description=about, allow_abbrev=False)
    add = out.add_argument
    add("data", metavar="DATA", help="catalog name, file, folder or generator")
    add("-o", "--output", required=True, metavar="DIR", help="folder of the study and its results")
    add("--trials", type=int, default=100, help="finished trials of the whole study (100)")
    add("--timeout", metavar="TIME", help="start no trial after this: 90s, 10m or 1h30m")
    add("--workers", type=int, default=1, help="trials at a time, each in its own process (1)")
    add("--storage", default="", metavar="URL", help="sqlite:///FILE; default: a journal in DIR")
    add("--study", default="graphsurgeon", metavar="NAME", help="name of the study in its storage")
    add(
        "--objective",
        choices=list(MEASURES),
        default="validation",
        help="maximize the validation score, or the effective rank, which needs no labels",
    )
    add(
        "--search",
        action="append",
        default=[],
        metavar="RANGE",
        help="lr=1e-4..1e-1:log, layers=1..4 or mode=pre,post; may be repeated",
    )
    add("--preset", default="", help="values of the first trial and of options not searched")
    add(
        "--look-every",
        type=int,
        default=10,
        metavar="N",
        help="epochs between scores for the pruner (10)",
    )
    add("--threads", type=int, default=0, help="of all workers together; 0 uses every core")
    add("--json", action="store_true", help="print the result as one JSON object")
    add("--quiet", action="store_true", help="do not print one line per trial")
    add_training_options(out)
    return out


def add_training_options(out: argparse.ArgumentParser) -> None:
    group = out.add_argument_group("training options to fix")
    for keyword, option in OPTIONS.items():
        if keyword in NOT_OFFERED:
            continue
        kind: dict[str, Any] = {"metavar": option.type}
        if option.type == "":
            kind = {"action": "store_const", "const": True}
        text = option.help.replace("%", "%%")
        group.add_argument(f"--{option.name}", dest=f"fixed_{keyword}", help=text, **kind)
        for old in option.renamed_from:
            _cli.add_renamed(group, f"--{old}", f"--{option.name}")


def typed(keyword: str, text: Any) -> Any:
    option = OPTIONS[keyword]
    try:
        if option.type == "INT,...":
            return [int(word) for word in text.split(",")]
        return {"INT": int, "FLOAT": float}.get(option.type, lambda value: value)(text)
    except ValueError:
        raise UsageError(f"--{option.name}: invalid value '{text}'", option.help) from None


def search_of(arguments: argparse.Namespace) -> Search:
    given = {
        name.removeprefix("fixed_"): typed(name.removeprefix("fixed_"), value)
        for name, value in vars(arguments).items()
        if name.startswith("fixed_") and value is not None
    }
    if arguments.workers < 1 or arguments.trials < 1 or arguments.look_every < 1:
        raise UsageError("--workers, --trials and --look-every must be at least 1")
    if given.get("method", "graphsurgeon") not in METHODS:
        near = core.nearest(given["method"], list(METHODS))
        guess = f"; did you mean '{near}'?" if near else ""
        message = f"--method: unknown method '{given['method']}'{guess}"
        raise UsageError(message, f"one of {', '.join(METHODS)}")
    if arguments.preset:
        start = GraphSurgeon.from_preset(arguments.preset, **given)
    else:
        start = GraphSurgeon(**{"method": OPTIONS["method"].default, **given})
    base = {keyword: value for keyword, value in start.get_params().items() if keyword in OPTIONS}
    check_method(base["method"], arguments.objective)
    base = under_protocol(base, set(given))
    if base["epochs"] == 0:
        raise UsageError("--epochs: 0 epochs train nothing", "pass at least 1")
    timeout = seconds_of(arguments.timeout) if arguments.timeout else None
    cores = arguments.threads or len(os.sched_getaffinity(0))
    return Search(
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
    """UsageError if the method has nothing to search, or not with that objective."""
    if METHODS[method]["defaults"].get("epochs") == 0:
        raise UsageError(f"--method: {method} is not trained", "there is nothing to search")
    if METHODS[method]["supervised"] and objective == "rankme":
        raise UsageError(
            f"--objective: {method} learns from labels and is scored by its own predictions",
            "omit --objective, or search a method that learns without labels",
        )


def tune(arguments: argparse.Namespace) -> dict[str, Any]:
    """Runs the search and returns what `--json` prints."""
    search = search_of(arguments)
    try:
        Path(search.folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{search.folder}: cannot create the folder: {error.strerror}"
        raise DataError(message, "choose another one with -o") from None
    check_folder(search)
    study = open_study(search)
    claim_folder(study, search)
    fail_lost_trials(study)
    enqueue_start(study, search.start)
    run_workers(search, arguments.workers)
    return write_results(study, search)


def result_text(result: dict[str, Any]) -> str:
    best = result["best"]
    options = " ".join(f"--{name} {value}" for name, value in best["options"].items())
    return (
        f"{result['trials']} trials, {result['pruned']} of them pruned; "
        f"best {result['objective']} {best['value']:.2f} in trial {best['trial']}:\n"
        f"  {options}\nwrote {result['preset']}: use it with train --config\n"
    )


def main(words: list[str] | None = None) -> int:
    """`graphsurgeon tune`; returns the exit code."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def work() -> None:
        arguments = parser().parse_args(words)
        result = tune(arguments)
        print(json.dumps(result) + "\n" if arguments.json else result_text(result), end="")

    return _cli.run(work, _cli.STOPPED)
