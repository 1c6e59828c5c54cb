"""The file of a study: one JSON object, one line per cell.

    {"name": "loss", "holds": true, "text": "...", "shown": 24, "cells": [
    {"dataset": "photo", "method": "graphsurgeon", "variant": "naive", "options": {...}, ...},
    ...
    ]}

A cell is known by its dataset, its method, the options that differ from the method's defaults, and
how it is scored. The first `shown` cells are what the last command asked for, in its order; the
others are kept, and serve a command that asks for them. Several commands may write one file at a
time: each adds its cells to those that are there.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .._cli import write
from ..errors import DataError
from .experiment import MEASURED, Experiment, Row

KEY = ("dataset", "method", "options", "encoders", "score", "probe_epochs")
NOT_OURS = "already exists and was not written by this command"


def key_of(row: Row) -> str:
    return json.dumps({name: row[name] for name in KEY if name in row}, sort_keys=True)


class StudyFile:
    """`path`: NAME.json of the study NAME. DataError where a file of that name is not ours."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known = self._read()

    def find(self, experiment: Experiment) -> Row | None:
        """What was measured of it, if that is here."""
        wanted = key_of(experiment.settings)
        if wanted not in self._known:
            self._known = self._read()  # another command may have added it
        row = self._known.get(wanted)
        return {name: row[name] for name in MEASURED if name in row} if row else None

    def _read(self) -> dict[str, Row]:
        return {key_of(row): row for row in read_study(self.path) if "problem" not in row}

    def write(self, head: dict[str, Any], rows: list[Row]) -> None:
        """Replaces what is shown by `rows`; other cells stay."""
        with locked(self.path.parent):
            shown = {key_of(row) for row in rows}
            kept = [row for key, row in self._read().items() if key not in shown]
            content = {**head, "shown": len(rows)}
            write(self.path, study_text(content, [*rows, *kept]).encode())


def study_text(head: dict[str, Any], cells: list[Row]) -> str:
    lines = ",\n".join(json.dumps(cell, ensure_ascii=False) for cell in cells)
    start = json.dumps(head, ensure_ascii=False)[:-1]
    return f'{start}, "cells": [\n{lines}\n]}}\n'


def read_study(path: Path) -> list[Row]:
    """The cells in a study's file; none where there is no file, or one of an older version."""
    try:
        content = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError):
        content = None
    if isinstance(content, dict) and isinstance(content.get("cells"), list):
        return [row for row in content["cells"] if isinstance(row, dict)]
    if isinstance(content, dict) and isinstance(content.get("rows"), list):
        return []
    raise DataError(f"{path}: {NOT_OURS}", "name another folder with -o")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One process at a time."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
