"""`graphsurgeon bench [GROUP...]`."""

from __future__ import annotations

import argparse
from typing import Any

from .._cli import add_renamed
from ..report.page import page
from ..report.sections_study import bench_section
from ..report.study_folders import Bench
from .catalog import Catalog
from .experiment import Row
from .grid import CellName, GridOptions, parse_grid, run_grid
from .results_folder import say, write_text
from .study_command import (
    add_common,
    add_inputs,
    open_study,
    run_command,
    study_parser,
    whole_number,
)
from .study_file import StudyFile
from .tables import bench_markdown, check_claim

ABOUT = "The paper's tables: methods on datasets, trained and scored."


def parser() -> argparse.ArgumentParser:
    out = study_parser("bench", ABOUT)
    out.add_argument(
        "groups", metavar="GROUP", nargs="*",
        help="cells, as photo,pubmed=all or cs=gcn,dgi; in place of --datasets and --methods",
    )  # fmt: skip
    add_inputs(
        out,
        "bench.md, bench.json (one line per cell, not trained again) and bench.html; "
        "default bench-results, with --quick bench-results-quick",
        "those of the paper that are here",
    )
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
    add_renamed(out, "--seeds", "--encoders")
    out.add_argument(
        "--memory", type=whole_number(0, 2**40), default=0, metavar="INT",
        help="MiB that a cell may take; 0: four fifths of what is free",
    )  # fmt: skip
    add_common(out, "one encoder, three splits and a quarter of the epochs")
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
    study = open_study(arguments, "bench-results", ["bench"], "bench.html")
    folder = study.folder
    options = GridOptions(
        arguments.protocol,
        arguments.presets,
        arguments.encoders,
        arguments.num_splits,
        arguments.quick,
        arguments.memory,
    )
    file = StudyFile(folder / "bench.json")

    def after(rows: list[Row]) -> None:
        file.write({"name": "bench", "claim": vars(check_claim(rows))}, rows)
        write_text(folder / "bench.md", bench_markdown(rows))

    rows = run_grid(names, options, file, study.runner, study.listener, after)
    study.finish(page("Benchmark", "", [bench_section([Bench(folder.name, rows)])]))
    study.print(f"{bench_markdown(rows)}\nwrote {folder / 'bench.md'} and bench.html")
    return result_of(rows)


def main(words: list[str]) -> int:
    """Returns the exit code."""
    return run_command(words, parser(), bench)
