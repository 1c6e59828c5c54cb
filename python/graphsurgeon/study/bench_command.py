"""`graphsurgeon bench [GROUP...]`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from .. import _cli
from ..progress import Listener, wanted
from ..report.page import page
from ..report.sections_study import bench_section
from ..report.study_folders import Bench
from .catalog import Catalog
from .experiment import Row, Runner
from .grid import CellName, GridOptions, parse_grid, run_grid
from .results_folder import (
    add_common,
    check_results,
    make_folder,
    refuse_renamed,
    remove_empty,
    say,
    whole_number,
    write_text,
)
from .study_file import StudyFile
from .tables import bench_markdown, check_claim

ABOUT = "The paper's tables: methods on datasets, trained and scored."
RENAMED = {"--seeds": "--encoders", "--runs": "--num-splits"}


def parser() -> argparse.ArgumentParser:
    out = _cli.Parser(prog="graphsurgeon bench", description=ABOUT, allow_abbrev=False)
    out.add_argument(
        "groups", metavar="GROUP", nargs="*",
        help="cells, as photo,pubmed=all or cs=gcn,dgi; in place of --datasets and --methods",
    )  # fmt: skip
    out.add_argument(
        "-o", "--output", default="", metavar="DIR",
        help="folder of the results: bench.md, bench.json (one line per cell, not trained again) "
        "and bench.html; default bench-results, with --quick bench-results-quick",
    )  # fmt: skip
    out.add_argument(
        "--datasets", default="all", metavar="NAMES",
        help="catalog names, as photo,cs; all: those of the paper that are here",
    )  # fmt: skip
    out.add_argument(
        "--methods", default="all", metavar="NAMES",
        help="as gcn,dgi,graphsurgeon; all: every one",
    )  # fmt: skip
    out.add_argument(
        "--protocol", choices=["authors", "paper"], default="authors",
        help="whose protocol: epochs, selection and steps of a probe",
    )  # fmt: skip
    out.add_argument(
        "--presets", choices=["auto", "authors", "none"], default="auto",
        help="values to train with: auto, the tuned preset of method and dataset where there is "
        "one; authors, those that the authors published for GraphSurgeon; none, the defaults",
    )  # fmt: skip
    out.add_argument(
        "--encoders", type=whole_number(1, 100), default=3, metavar="INT",
        help="encoders of a method that learns without labels, each probed on every split (3)",
    )  # fmt: skip
    out.add_argument(
        "--quick", action="store_true",
        help="one encoder, three splits and a quarter of the epochs: a first look",
    )  # fmt: skip
    out.add_argument(
        "--memory", type=whole_number(0, 2**40), default=0, metavar="INT",
        help="MiB that a cell may take; 0: four fifths of what is free",
    )  # fmt: skip
    add_common(out)
    return out


def cells_here(arguments: argparse.Namespace) -> list[CellName]:
    """The cells that are asked for, without those whose data is not here, which are named."""
    catalog = Catalog(arguments.data_root)
    groups = arguments.groups
    if not groups:
        datasets = arguments.datasets
        if datasets == "all":
            datasets = ",".join(entry.name for entry in catalog.entries if entry.in_paper)
        groups = [f"{datasets}={arguments.methods}"]
    asked = parse_grid(groups, catalog)
    absent = dict.fromkeys(cell.dataset for cell in asked if not catalog[cell.dataset].here)
    if absent:
        names = ", ".join(absent)
        say(
            f"not here, and left out: {names} ('graphsurgeon data fetch NAME' gets one)",
            arguments.quiet,
        )
    out = [cell for cell in asked if cell.dataset not in absent]
    if not out:
        raise catalog.none_here()
    return out


def result_of(rows: list[Row]) -> dict[str, Any]:
    """What `--json` prints."""
    return {"rows": rows, "claim": vars(check_claim(rows))}


def bench(arguments: argparse.Namespace) -> dict[str, Any]:
    """Makes the tables, and returns what `--json` prints."""
    names = cells_here(arguments)
    default = "bench-results-quick" if arguments.quick else "bench-results"
    folder = Path(arguments.output or default)
    check_results(folder, "bench", "bench.html")
    make_folder(folder)
    options = GridOptions(
        arguments.protocol,
        arguments.presets,
        arguments.encoders,
        arguments.num_splits,
        arguments.quick,
        arguments.memory,
    )
    file = StudyFile(folder / "bench.json")
    runner = Runner(folder, arguments.threads, arguments.data_root)

    def after(rows: list[Row]) -> None:
        file.write({"name": "bench", "claim": vars(check_claim(rows))}, rows)
        write_text(folder / "bench.md", bench_markdown(rows))

    show = wanted("auto") and not arguments.quiet
    rows = run_grid(names, options, file, runner, Listener(show), after)
    remove_empty(folder / "work")
    drawn = page("Benchmark", "", [bench_section([Bench(folder.name, rows)])])
    write_text(folder / "bench.html", drawn)
    if not arguments.json:
        print(f"{bench_markdown(rows)}\nwrote {folder / 'bench.md'} and bench.html")
    return result_of(rows)


def main(words: list[str]) -> int:
    """Returns the exit code."""

    def work() -> None:
        refuse_renamed(words, RENAMED)
        arguments = parser().parse_args(words)
        result = bench(arguments)
        if arguments.json:
            print(json.dumps(result))

    _cli.stop_on_terminate()
    return _cli.run(work, _cli.STOPPED)
