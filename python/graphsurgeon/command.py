"""What the commands that are written in Python share: their parser, files that are whole or not there, exit codes."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .errors import DataError, Error, UsageError


class Parser(argparse.ArgumentParser):
    """Wrong usage is a UsageError. `prog` is "graphsurgeon NAME"."""

    def error(self, message: str) -> Any:
        raise UsageError(message, f"'{self.prog} --help' lists what there is")


def write(path: Path, content: bytes) -> None:
    """Whole or not at all; DataError where it cannot be."""
    beside = path.with_name(f".{path.name}.tmp-{os.getpid()}")
    try:
        with open(beside, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise DataError(f"{path}: cannot be written: {error.strerror}", "name another place with -o") from None


def run(work: Callable[[], None], stopped: str) -> int:
    """Does the work and returns the exit code; an error is a line and a hint. `stopped`: both, for Ctrl-C, or empty."""
    try:
        work()
    except Error as error:
        print(f"error: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"hint: {error.hint}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 3 if isinstance(error, DataError) else 1
    except BaseException as error:
        if not interrupted(error):
            raise
        if stopped:
            print(stopped, file=sys.stderr)
        return 4
    return 0


def interrupted(error: BaseException | None) -> bool:
    """By Ctrl-C, though a library's cleaning up may have failed on the way out."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None
