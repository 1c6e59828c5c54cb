"""What `bench` and `ablate` do with the folder of their results, and the options they share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from .. import _cli
from ..errors import DataError, UsageError
from ..options import MAX_THREADS
from ..report.page import is_page
from .experiment import Experiment, Row, Runner
from .study_file import NOT_OURS, StudyFile

DATA_ROOT = "folder of the catalog's datasets; default $GRAPHSURGEON_DATA, else the cache folder"


def add_common(out: argparse.ArgumentParser) -> None:
    out.add_argument(
        "--num-splits", type=whole_number(1, 1000), default=10, metavar="INT",
        help="random splits (10); three at most with --quick",
    )  # fmt: skip
    out.add_argument("--data-root", default="", metavar="DIR", help=DATA_ROOT)
    out.add_argument(
        "--threads", type=whole_number(0, MAX_THREADS), default=0, metavar="INT",
        help="threads to use; 0 takes every core this process may run on",
    )  # fmt: skip
    out.add_argument("--quiet", action="store_true", help="no progress and no notes")
    out.add_argument(
        "--json", action="store_true", help="print the result as one JSON object on standard output"
    )


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """A whole number from `low` to `high`, as argparse takes types."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{value} is not between {low} and {high}")
        return value

    return parse


def refuse_renamed(words: list[str], renamed: dict[str, str]) -> None:
    """UsageError for an option that has another name now."""
    for word in words:
        old = word.partition("=")[0]
        if old in renamed:
            raise UsageError(f"{old}: is now called {renamed[old]}", f"use {renamed[old]}")


def check_results(folder: Path, name: str, page: str) -> None:
    """DataError where NAME.json, NAME.md or the page exist and are not from this command."""
    if not (folder / f"{name}.json").exists():
        if (folder / f"{name}.md").exists():
            raise refused(folder / f"{name}.md")
    else:
        StudyFile(folder / f"{name}.json")
    if (folder / page).exists() and not is_page(folder / page):
        raise refused(folder / page)


def refused(file: Path) -> DataError:
    return DataError(f"{file}: {NOT_OURS}", "name another folder with -o")


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        hint = "name another place with -o"
        raise DataError(f"{folder}: no folder can be made there", hint) from None


def remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def find_or_run(experiment: Experiment, file: StudyFile, runner: Runner) -> tuple[Row, bool]:
    """The row of an experiment: what it is, and what was measured; and whether it was just now."""
    settings = experiment.settings
    first = {name: settings.pop(name) for name in ("dataset", "method")}
    known = file.find(experiment)
    return first | experiment.about | settings | (known or runner.run(experiment)), not known


def say(text: str, quiet: bool) -> None:
    if not quiet:
        print(text, file=sys.stderr)


def write_text(file: Path, text: str) -> None:
    _cli.write(file, text.encode())
