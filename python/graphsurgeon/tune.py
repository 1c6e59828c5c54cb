"""`graphsurgeon tune`: a search for good options, by Optuna.

The study lies in a storage that several workers, and several machines, may share; each worker loads the graph once and
trains in its own process. A trial trains in pieces: after each, a linear probe of the validation nodes (or, without
labels, the effective rank) tells the pruner how it does. Test labels are never read.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import io
import json
import multiprocessing
import os
import re
import shutil
import signal
import socket
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from optuna.trial import FrozenTrial, Trial, TrialState

from . import command, estimator
from ._load import core
from .errors import DataError, UsageError
from .options import METHODS, OPTIONS, defaults, option_text
from .progress import Listener
from .search_space import Range, search_space

FINISHED = (TrialState.COMPLETE, TrialState.PRUNED)
# --workers is how many trials run at a time here; a trial's own are left alone.
NOT_OFFERED = {"workers"}
NAMELESS = 3  # seconds that a trial may run without telling whose it is
HOPELESS = 3  # trials that fail alike, none having been completed, before the search gives up


@dataclass
class Settings:
    """What a worker must know."""

    data: str
    folder: str
    storage: str  # a URL, or "" for a journal file in the folder
    study: str
    objective: str  # "validation" or "rankme"
    trials: int
    deadline: float | None  # of time.time()
    base: dict[str, Any]  # keywords and values of what is not searched
    space: dict[str, Range] = field(default_factory=dict)
    every: int = 10  # epochs between looks
    threads: int = 0
    seed: int = 0
    show: bool = False


def open_storage(settings: Settings) -> optuna.storages.BaseStorage:
    """DataError where it cannot be opened, or holds something else."""
    place = settings.storage or os.path.join(settings.folder, "journal.log")
    try:
        if settings.storage:
            return optuna.storages.get_storage(settings.storage)
        from optuna.storages.journal import JournalFileBackend

        return optuna.storages.JournalStorage(JournalFileBackend(place))
    except Exception as error:  # of Optuna, SQLAlchemy, a database's driver, a file that is no journal
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        hint = "give another --storage, as sqlite:///FILE, or another -o"
        raise DataError(f"{place}: no study can be kept there: {reason}", hint) from error


def open_study(settings: Settings, worker: int = 0) -> optuna.Study:
    """The study, made where it is not there yet; DataError when it is there and searches something else."""
    storage = open_storage(settings)
    study = create_study(storage, settings)
    fixed = {k: v for k, v in settings.base.items() if k not in settings.space and k != "data_root"}
    told = {
        "data": settings.data,
        "objective": settings.objective,
        "fixed": {k: v for k, v in fixed.items() if v != OPTIONS[k].default},
        "space": {keyword: r.as_json() for keyword, r in settings.space.items()},
    }
    before = study.user_attrs.get("graphsurgeon")
    if before is not None and before != json.loads(json.dumps(told)):
        if any(trial.state != TrialState.WAITING for trial in study.get_trials(deepcopy=False)):
            differing = ", ".join(key for key in told if before.get(key) != json.loads(json.dumps(told[key])))
            raise DataError(
                f"{settings.folder}: the study '{settings.study}' was begun with another {differing}",
                "give the same options to go on with it, or another --study or -o",
            )
        optuna.delete_study(study_name=settings.study, storage=storage)  # nothing was tried in it yet
        study, before = create_study(storage, settings), None
    if before is None:
        study.set_user_attr("graphsurgeon", told)
    # Another stream for every worker and every continuation: the same one would repeat its draws.
    begun = len(study.get_trials(deepcopy=False))
    study.sampler = optuna.samplers.TPESampler(seed=settings.seed + 7919 * worker + 104729 * begun)
    return study


def create_study(storage: optuna.storages.BaseStorage, settings: Settings) -> optuna.Study:
    return optuna.create_study(
        storage=storage,
        study_name=settings.study,
        direction="maximize",
        load_if_exists=True,
        pruner=optuna.pruners.MedianPruner(n_startup_trials=5, n_warmup_steps=settings.every),
    )


class Objective:
    """Trains a trial in pieces and tells how it does after each; a method that learns from labels in one piece."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        text = option_text(settings.base)
        self.data = core.dataset(settings.data, text, settings.threads, Listener(False))
        self.supervised = METHODS[settings.base["method"]]["supervised"]
        if self.data.task == "none" and (settings.objective == "validation" or self.supervised):
            raise DataError(f"{settings.data}: has no labels", "search without them by --objective rankme")

    def __call__(self, trial: Trial) -> float:
        pid = os.getpid()
        trial.set_user_attr("worker", {"host": socket.gethostname(), "pid": pid, "begun": begun_at(pid)})
        with warnings.catch_warnings():  # the first trial may lie outside of the ranges, and is meant to
            warnings.filterwarnings("ignore", "Fixed parameter")
            values = self.settings.base | {k: r.suggest(trial) for k, r in self.settings.space.items()}
        folder = tempfile.mkdtemp(prefix="graphsurgeon-trial-")
        try:
            return self._train(trial, values, folder)
        except DataError as error:  # the loss is no longer finite, or the embeddings collapsed
            trial.set_user_attr("failure", str(error))
            raise optuna.TrialPruned(str(error)) from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _train(self, trial: Trial, values: dict[str, Any], folder: str) -> float:
        epochs, value = int(values["epochs"]), 0.0
        looks = [epochs] if self.supervised else [*range(self.settings.every, epochs, self.settings.every), epochs]
        for epoch in looks:
            text = option_text(values, epochs=epoch)
            core.train(
                dataset=self.data, data=self.settings.data, folder=folder, init="", options=text,
                resume=epoch != looks[0], overwrite=True, threads=self.settings.threads, listener=Listener(False),
            )  # fmt: skip
            value = self._own_validation(folder) if self.supervised else self._score(folder, text)
            trial.report(value, epoch)
            if epoch != epochs and trial.should_prune():
                raise optuna.TrialPruned
        return value

    def _score(self, folder: str, text: str) -> float:
        z = np.load(os.path.join(folder, "embeddings.npy"))
        if self.settings.objective == "rankme":
            return core.effective_rank(z, self.settings.threads)
        return float(np.mean(core.validation(z, self.data, text, self.settings.threads)))

    def _own_validation(self, folder: str) -> float:
        """Of a method that predicts classes itself: the best of each split's training, which is what it keeps."""
        best: dict[int, float] = {}
        with open(os.path.join(folder, "metrics.jsonl"), encoding="utf-8") as file:
            for row in map(json.loads, file):
                if "validation" in row:
                    best[row["split"]] = max(row["validation"], best.get(row["split"], 0.0))
        return float(np.mean(list(best.values())))


def finished_trials(study: optuna.Study) -> list[FrozenTrial]:
    return study.get_trials(deepcopy=False, states=FINISHED)


def work(settings: Settings, worker: int) -> None:
    """Runs trials until there are enough, or time is up, or all fail alike."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)  # what goes wrong is told by the error itself
    study = open_study(settings, worker)
    objective = Objective(settings)

    def enough() -> bool:
        return len(finished_trials(study)) >= settings.trials or common_failure(study) is not None

    def after(study: optuna.Study, trial: FrozenTrial) -> None:
        if settings.show:
            print(trial_text(study, trial, settings), file=sys.stderr, flush=True)
        if enough():
            study.stop()

    left = None if settings.deadline is None else settings.deadline - time.time()
    if not enough() and (left is None or left > 0):
        study.optimize(objective, timeout=left, callbacks=[after])


def common_failure(study: optuna.Study) -> str | None:
    """What several trials failed by, each alike, while none was completed."""
    trials = finished_trials(study)
    failures = {trial.user_attrs.get("failure") for trial in trials}
    return failures.pop() if len(trials) >= HOPELESS and len(failures) == 1 else None


def work_alone(settings: Settings, worker: int) -> None:
    """`work` in a process of its own: an error is a line and a hint, and it ends when the one that began it does."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    sys.exit(command.run(lambda: work(settings, worker), ""))


def trial_text(study: optuna.Study, trial: FrozenTrial, settings: Settings) -> str:
    count = len(finished_trials(study))
    outcome = {TrialState.COMPLETE: f"{trial.value or 0:.2f}", TrialState.PRUNED: "pruned"}.get(trial.state, "failed")
    if "failure" in trial.user_attrs:
        outcome = f"failed, {trial.user_attrs['failure']}"
    values = ", ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in trial.params.items())
    return f"trial {trial.number}: {outcome} ({values}); {count} of {settings.trials}"


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


def run_workers(settings: Settings, workers: int) -> None:
    """Works in this process when one worker is enough, else in `workers` others."""
    if workers == 1:
        work(settings, 0)
        return
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=work_alone, args=(settings, i), name=f"worker {i}") for i in range(workers)]
    for process in processes:
        process.start()
    try:
        for process in processes:
            process.join()
    except KeyboardInterrupt:  # they got it too, and end after the step under way
        for process in processes:
            process.join()
        raise
    dead = [process for process in processes if process.exitcode != 0]
    if len(dead) == len(processes):
        error = UsageError if any(process.exitcode == 2 for process in dead) else DataError
        raise error(f"{settings.folder}: every worker ended early", "what they said stands above")
    for process in dead:
        print(f"note: {process.name} ended early; its trial is lost, the others went on", file=sys.stderr)


# results


def preset_of(study: optuna.Study, settings: Settings) -> dict[str, Any]:
    """The best trial as a preset: what differs from the defaults, and what was searched."""
    best = study.best_trial
    values = settings.base | best.params
    plain = defaults(values["method"])
    options = {}
    for keyword, option in OPTIONS.items():
        value = option.value_of(values[keyword])
        if keyword != "data_root" and (value != plain[keyword] or keyword in settings.space):
            options[option.name] = value
    measure = "validation score" if settings.objective == "validation" else "effective rank"
    count = len(finished_trials(study))
    origin = f"graphsurgeon tune {settings.data}: best {measure} of {count} trials, {best.value:.2f} by {best.number}"
    return {"origin": origin, "options": options}


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


def page_of(study: optuna.Study) -> str:
    """History, curves of all trials and importance of the options, as one page that needs no network."""
    from optuna import visualization

    figures = [visualization.plot_optimization_history(study), visualization.plot_intermediate_values(study)]
    complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    if len({trial.value for trial in complete}) > 1:
        figures.append(visualization.plot_param_importances(study))
    parts = [f.to_html(full_html=False, include_plotlyjs=i == 0) for i, f in enumerate(figures)]
    return f"<!DOCTYPE html><meta charset='utf-8'><title>{study.study_name}</title>" + "".join(parts)


def write_results(study: optuna.Study, settings: Settings) -> dict[str, Any]:
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
    command.write(folder / "tuning.html", page_of(study).encode())
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


# the command


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
    if METHODS[base["method"]]["defaults"].get("epochs") == 0:
        raise UsageError(f"--method: {base['method']} learns nothing", "there is nothing to search")
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


def first_trial(settings: Settings) -> dict[str, Any]:
    """The values one starts from, outside of the options' own ranges too: the result is then no worse than those."""
    bound = {k for k, r in settings.space.items() if (r.choices or r.typed) and not r.holds(settings.base[k])}
    return {k: settings.base[k] for k in settings.space if k not in bound}


def tune(arguments: argparse.Namespace) -> dict[str, Any]:
    """Runs the search and returns what `--json` prints."""
    settings = settings_of(arguments)
    try:
        Path(settings.folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{settings.folder}: no folder can be made there: {error.strerror}"
        raise DataError(message, "name another with -o") from None
    study = open_study(settings)
    fail_lost_trials(study)
    if not study.get_trials(deepcopy=False):
        study.enqueue_trial(first_trial(settings))
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


if __name__ == "__main__":
    sys.exit(main())
