"""Methods on datasets, one cell each, trained and scored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import UsageError
from ..options import METHODS
from ..progress import Listener
from .catalog import Catalog, unknown
from .experiment import Experiment, Options, Row, Runner, options_with, presets
from .paper import paper_figure
from .results_folder import find_or_run
from .study_file import StudyFile

EXAMPLE = "as in photo,pubmed=all or cs=gcn,gat"


@dataclass
class GridOptions:
    """How the cells are made."""

    protocol: str = "authors"
    presets: str = "auto"  # auto, authors or none
    encoders: int = 3  # of a method that learns without labels, each probed on every split
    num_splits: int = 10
    quick: bool = False  # one encoder, three splits, a quarter of the epochs
    memory: int = 0  # MiB that a cell may take; 0: what is free


@dataclass(frozen=True)
class CellName:
    method: str
    dataset: str


def is_large(dataset: str) -> bool:
    """Whether it is in the paper's Table 3, in which large graphs are trained on samples."""
    return dataset in ("yelp", "reddit")


def all_methods() -> list[str]:
    return [name for name, about in METHODS.items() if not about["alias"]]


def parse_grid(groups: list[str], catalog: Catalog) -> list[CellName]:
    """'photo,pubmed=all' and 'cs=gcn,gat' as cells, in the order in which they are named, each
    once; `all`, and no methods at all, are every method. UsageError for unknown names."""
    out: dict[CellName, None] = {}
    for group in groups:
        datasets, equals, methods = group.partition("=")
        chosen = [word for word in (methods if equals else "all").split(",") if word]
        chosen = all_methods() if chosen == ["all"] else chosen
        for method in chosen:
            if method not in METHODS:
                raise unknown("method", method, list(METHODS), "--methods")
        names = catalog.parse(datasets)
        if not names or not chosen:
            raise UsageError(f"bench: '{group}' names no cell", EXAMPLE)
        out |= {CellName(method, name): None for name in names for method in chosen}
    return list(out)


def preset_of(name: CellName, options: GridOptions) -> str:
    """The preset that a cell trains with, or "".

    It is METHOD-DATASET; for graphsurgeon DATASET-tuned, or the authors' DATASET where there is
    none, where it is asked for, and under the paper's protocol.
    """
    if options.presets == "none":
        return ""
    if name.method != "graphsurgeon":
        wanted = [f"{name.method}-{name.dataset}"]
    elif options.protocol == "authors" and options.presets == "auto":
        wanted = [f"{name.dataset}-tuned", name.dataset]
    else:
        wanted = [name.dataset]
    return next((preset for preset in wanted if preset in presets()), "")


def cell_options(name: CellName, options: GridOptions) -> Options:
    """The options that a cell trains with."""
    splits = min(3, options.num_splits) if options.quick else options.num_splits
    given: Options = {
        "method": name.method,
        "num-splits": splits,
        "protocol": options.protocol,
    }
    if options.memory:
        given["memory"] = options.memory
    out = options_with(given, preset_of(name, options))
    if options.quick and out["epochs"] > 20:
        out["epochs"] = max(20, out["epochs"] // 4)
    return out


def encoders_of(name: CellName, options: GridOptions) -> int:
    """A method that is not trained gives nearly the same each time; one that learns from labels is
    trained on every split anyway."""
    about = METHODS[name.method]
    learns_alone = about["trains"] and not about["supervised"]
    return options.encoders if learns_alone and not options.quick else 1


def experiment_of(name: CellName, options: GridOptions) -> Experiment:
    return Experiment(
        f"{name.method}-{name.dataset}",
        name.dataset,
        cell_options(name, options),
        encoders_of(name, options),
        about={
            "preset": preset_of(name, options),
            "paper": paper_figure(name.method, name.dataset),
        },
    )


def run_grid(
    names: list[CellName],
    options: GridOptions,
    file: StudyFile,
    runner: Runner,
    listener: Listener,
    after: Callable[[list[Row]], None],
) -> list[Row]:
    """Runs the cells that are not in `file`; calls `after` with all rows so far after each of them,
    and in the end. A cell that fails is a problem of that cell alone."""
    rows: list[Row] = []
    listener.start("cells", len(names), "cells")
    for name in names:
        listener.advance(0, f"{name.method} on {name.dataset}")
        row, fresh = find_or_run(experiment_of(name, options), file, runner)
        rows.append(row)
        listener.advance(1, "")
        if fresh and len(rows) < len(names):
            after(rows)
    listener.finish()
    after(rows)
    return rows
