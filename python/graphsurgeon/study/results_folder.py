"""What `bench` and `ablate` do with the folder of their results."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from .. import _cli
from ..errors import DataError
from ..report.page import is_page
from .experiment import Experiment, Row, Runner
from .study_file import NOT_OURS, StudyFile


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
