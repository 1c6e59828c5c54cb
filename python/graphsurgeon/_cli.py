"""Support for the commands written in Python: parser, atomic file writes, exit codes."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from .errors import DataError, Error, UsageError

# What a command prints after Ctrl-C if running it again continues its work.
STOPPED = "error: stopped; what is finished is kept\nhint: the same command continues from there"


class Parser(argparse.ArgumentParser):
    """Raises UsageError for wrong usage. `prog` is "graphsurgeon NAME"."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, f"'{self.prog} --help' lists the options")


class Renamed(argparse.Action):
    """An option of an earlier version: a usage error that names today's."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        parser.error(f"{option_string} is now {self.const}")


def add_renamed(out: argparse._ActionsContainer, old: str, new: str) -> None:
    """Refuses the option `old`, which is called `new` today."""
    out.add_argument(old, action=Renamed, nargs="?", const=new, help=argparse.SUPPRESS)


def _remove_leftovers(path: Path) -> None:
    """Removes what killed processes left when they wrote this file."""
    prefix = f".{path.name}.tmp-"
    with suppress(OSError):
        for name in os.listdir(path.parent):
            number = name.removeprefix(prefix)
            if name.startswith(prefix) and number.isdigit() and not _exists(int(number)):
                os.unlink(path.parent / name)


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True


def write(path: Path, content: bytes) -> None:
    """Writes the file completely or not at all; raises DataError on failure."""
    beside = path.with_name(f".{path.name}.tmp-{os.getpid()}")
    _remove_leftovers(path)
    try:
        with open(beside, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        with suppress(OSError):  # a disk that is read-only says so again
            beside.unlink()
        raise DataError(
            f"{path}: cannot be written: {error.strerror}", "choose another path with -o"
        ) from None


def run(work: Callable[[], None], stopped: str) -> int:
    """Does the work and returns the exit code. An error is printed as one line and a hint.

    `stopped` is printed after Ctrl-C; it may be empty.
    """
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


def stop_on_terminate() -> None:
    """Makes SIGTERM do what Ctrl-C does: it stops the work, and the exit code is 4."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def interrupted(error: BaseException | None) -> bool:
    """Whether Ctrl-C caused the error, even if a library's cleanup failed afterwards."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None
