"""A run: what its folder holds, and what the program and the data can add to it.

What is missing is noted.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import program
from .._load import core
from ..errors import DataError, Error
from ..options import METHODS, OPTIONS, defaults
from ..scores import renamed_scores
from .failures import Predictions, read_predictions
from .graph import Graph, load_graph
from .projection import Projection, drawn_nodes, project


@dataclass
class ReportSettings:
    """What the command line says of all runs."""

    data: str = ""  # in place of what the runs name
    data_root: str = ""
    map: str = "tsne"  # a key of projection.MAPS
    seed: int = 0
    threads: int = 0
    step: Callable[[str], None] = lambda text: None  # hears of each step that takes a while


@dataclass
class Run:
    name: str
    folder: Path
    info: dict[str, Any]  # options.json
    metrics: list[dict[str, Any]]
    record: dict[str, Any] = field(default_factory=dict)  # run.json: when and where it was made
    data: str = ""  # where its data is
    z: np.ndarray | None = None
    graph: Graph | None = None
    scores: dict[str, Any] = field(default_factory=dict)  # what `eval --json` prints
    inspection: dict[str, Any] = field(default_factory=dict)  # what `inspect --json` prints
    agreement: np.ndarray | None = None  # cosine of each node's views
    predictions: Predictions | None = None
    order: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))  # nodes that are drawn
    maps: list[Projection] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what is missing and why

    @property
    def options(self) -> dict[str, Any]:
        return self.info["options"]

    @property
    def method(self) -> str:
        return str(self.options.get("method", "graphsurgeon"))

    @property
    def supervised(self) -> bool:
        return bool(METHODS.get(self.method, {}).get("supervised"))

    @property
    def default_options(self) -> dict[str, Any]:
        """By option name, those of the run's method."""
        own = defaults(self.method)
        return {option.name: own[keyword] for keyword, option in OPTIONS.items()}

    @property
    def by_data(self) -> set[str]:
        """Names of the options that were left to the data, which chose their values."""
        names = self.info.get("by_data", [])
        return set(map(str, names)) if isinstance(names, list) else set()

    def is_default(self, name: str) -> bool:
        return name in self.by_data or self.options.get(name) == self.default_options.get(name)

    @property
    def known_graph(self) -> Graph:
        """The graph of a run that has one, as every run with predictions does."""
        assert self.graph is not None
        return self.graph


def read_json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it holds no JSON"
        raise DataError(
            f"{file}: {reason}", "is it damaged? train again, or leave it out"
        ) from None


def read_run(folder: Path, name: str) -> Run:
    """The folder's own files. DataError when one of them is not what it should be."""
    files = core.RunFolder(str(folder))
    info = json.loads(files.info())
    run = Run(name, folder, info, read_metrics(Path(files.metrics)))
    embeddings, scores = Path(files.embeddings), Path(files.scores)
    record = Path(files.record)
    if record.exists() and isinstance(found := read_json(record), dict):
        run.record = found
    if embeddings.exists():
        run.z = read_embeddings(embeddings, run)
    else:
        run.notes.append(
            f"It has no embeddings: {files.unfinished or 'the training was not finished'}."
        )
    if scores.exists():
        run.scores = read_scores(scores)
    return run


def read_scores(file: Path) -> dict[str, Any]:
    scores = renamed_scores(read_json(file))
    if not is_score(scores) or not all(map(is_score, scores.get("reference_scores", {}).values())):
        raise DataError(f"{file}: it is not what eval --json prints", "remove it")
    found: dict[str, Any] = scores
    return found


def is_score(content: Any) -> bool:
    if (
        not isinstance(content, dict)
        or not isinstance(content.get("values"), list)
        or not content["values"]
    ):
        return False
    numbers = [content.get("mean"), content.get("std"), *content["values"]]
    return all(isinstance(value, (int, float)) for value in numbers)


def read_metrics(file: Path) -> list[dict[str, Any]]:
    if not file.exists():
        return []
    out = []
    whole, _, _ = file.read_text(encoding="utf-8", errors="replace").rpartition(
        "\n"
    )  # a killed run's last may be torn
    for number, line in enumerate(whole.split("\n") if whole else [], 1):
        try:
            row = json.loads(line)
            out.append({**row, "epoch": int(row["epoch"]), "loss": dict(row["loss"])})
        except (ValueError, KeyError, TypeError):
            raise DataError(
                f"{file}:{number}: is no epoch's metrics", "is it damaged? train again"
            ) from None
    return out


def read_embeddings(file: Path, run: Run) -> np.ndarray | None:
    try:
        z = np.load(file, allow_pickle=False, mmap_mode="r")
    except (OSError, ValueError) as error:
        raise DataError(
            f"{file}: {str(error).splitlines()[0]}", "is it damaged? train again"
        ) from None
    if z.ndim != 2 or z.dtype.kind != "f" or 0 in z.shape:
        raise DataError(
            f"{file}: has shape {z.shape} of {z.dtype}", "embeddings are numbers, one row per node"
        )
    if not np.isfinite(np.asarray(z)).all():
        run.notes.append("Its embeddings hold NaN or infinite values: no map is drawn of them.")
        return None
    return z


def complete(run: Run, settings: ReportSettings, graphs: dict[str, Graph | str]) -> None:
    """Adds what the data and the program have. `graphs`: those loaded so far, or why not."""
    settings.step(f"{run.name}: data")
    run.graph = graph_of(run, settings, graphs)
    if run.z is None:
        return
    run.order = drawn_nodes(len(run.z), settings.seed)
    settings.step(f"{run.name}: map")
    run.maps = project(run.z, run.order, settings.seed, settings.map)
    if run.graph is None:
        return
    words = ["--threads", settings.threads] + (
        ["--data-root", settings.data_root] if settings.data_root else []
    )
    if run.graph.task == "none":
        run.notes.append(
            "Its data has no labels: there is no score, no confusion and no accuracy by degree."
        )
    else:
        settings.step(f"{run.name}: scores")
        score(run, words)
    settings.step(f"{run.name}: inspection")
    inspect(run, words)


def graph_of(run: Run, settings: ReportSettings, graphs: dict[str, Graph | str]) -> Graph | None:
    run.data = settings.data or str(run.info.get("data", ""))
    found = graph_at(run.data, run, settings, graphs)
    if isinstance(found, str) and not settings.data and (place := place_above(run)):
        elsewhere = graph_at(place, run, settings, graphs)
        if isinstance(elsewhere, Graph):
            run.notes.append(
                f"Its data, {run.data}, is not there from here: {place} was taken for it."
            )
            run.data, found = place, elsewhere
    if isinstance(found, str):
        run.notes.append(
            f"Its data could not be loaded ({found}), so that what needs it is missing: scores, "
            "labels and "
            "degrees on the map, confusion, inspection. --data DATA says where it is."
        )
        return None
    wanted = {key: run.info.get(key) for key in ("nodes", "edges", "features")}
    if run.z is not None:
        wanted["nodes"] = len(run.z)
    for what, count in wanted.items():
        if count is not None and getattr(found, what) != count:
            run.notes.append(
                f"{run.data} has {getattr(found, what):,} {what}, but the run was trained on "
                f"{count:,}: what needs the "
                "data is missing. --data DATA names another."
            )
            return None
    return found


def graph_at(
    data: str, run: Run, settings: ReportSettings, graphs: dict[str, Graph | str]
) -> Graph | str:
    """The data that `data` names, or why it could not be loaded."""
    key = json.dumps(
        [data, {o.name: run.options.get(o.name) for o in OPTIONS.values() if o.group == "Data"}]
    )
    if key not in graphs:
        try:
            graphs[key] = load_graph(data, run.options, settings.data_root)
        except Error as error:
            graphs[key] = error.message
    return graphs[key]


def place_above(run: Run) -> str | None:
    """Where a relative path leads from the folders above the run's, if that is one place."""
    if not run.data or Path(run.data).is_absolute():
        return None
    places = {(folder / run.data).resolve() for folder in run.folder.resolve().parents}
    there = [place for place in places if place.exists()]
    return str(there[0]) if len(there) == 1 else None


def attempt(run: Run, what: str, *words: object) -> dict[str, Any] | None:
    try:
        return program.ask(*words)
    except Error as error:
        run.notes.append(f"No {what}: {error.message}")
        return None


def inspect(run: Run, words: list[object]) -> None:
    if run.method == "spectral":
        run.inspection = attempt(run, "inspection", "inspect", run.folder, run.data, *words) or {}
    if run.method != "graphsurgeon":
        return
    with tempfile.TemporaryDirectory(prefix="graphsurgeon-report-") as folder:
        file = Path(folder) / "agreement.npy"
        ask: list[object] = ["inspect", run.folder, run.data, "--agreement", file]
        found = attempt(run, "inspection", *ask, *words)
        if found is not None:
            run.inspection = found
            run.agreement = np.load(file, allow_pickle=False)


def score(run: Run, words: list[object]) -> None:
    """Scores, unless they are in the run, and predictions of the first split's test nodes."""
    with tempfile.TemporaryDirectory(prefix="graphsurgeon-report-") as folder:
        file = Path(folder) / "predictions.npy"
        what, ask = what_is_missing(run)
        found = attempt(run, what, *ask, "--predictions", file, *words)
        if found is None:
            return
        found = renamed_scores(found)
        if not run.scores:
            run.scores = found
        elif not run.scores.get("reference_scores"):
            add_references(run, found)
        splits = str(found.get("splits", "")).partition(" ")[2]  # after their number
        whose = "of the method itself" if run.supervised else "of the linear probe"
        run.predictions = read_predictions(
            file, run.known_graph, f"{whose} on the first split ({splits})"
        )


def what_is_missing(run: Run) -> tuple[str, list[object]]:
    """What to ask `eval` for, in words and as its arguments. An existing scores.json is kept."""
    ask: list[object] = ["eval", run.folder, run.data]
    if not run.scores:
        return "scores", ask
    ask.append("--no-keep")
    referenced = bool(run.scores.get("reference_scores"))
    if referenced:
        ask.append("--no-reference")
        if run.scores.get("probe") in ("logistic", "paper"):  # the one that the score is of
            ask += ["--probe", run.scores["probe"]]
    if not run.supervised and run.options.get("select") != "val":  # else one model per split
        ask += ["--num-splits", 1 if referenced else len(run.scores["values"])]
    return "predictions", ask


def add_references(run: Run, found: dict[str, Any]) -> None:
    """To scores kept without (`eval --no-reference`), from those `found` now if they are equal."""
    if found["values"] == run.scores["values"]:
        run.scores = run.scores | {"reference_scores": found["reference_scores"]}
        return
    run.notes.append(
        "Its scores.json was written without references and not with eval's own settings, so that "
        "there is nothing "
        "to hold its score against: 'graphsurgeon eval RUN DATA' writes it with them."
    )
