"""What can go wrong, as exceptions. The core's errors are one line and a hint; both are kept here."""

from __future__ import annotations

import re
from functools import cache


class Error(Exception):
    """Base of all errors that graphsurgeon raises. `hint` says what to do about it; it may be empty.

    `message` and `hint` name options as the command line does (`--aug-dim`), for what prints them there; the text of
    the exception names them as Python does (`aug_dim`).
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return _as_keywords(f"{self.message} (hint: {self.hint})" if self.hint else self.message)


class UsageError(Error, ValueError):
    """An option or argument that cannot be."""


class DataError(Error, ValueError):
    """A graph, file or run folder that is not what it should be."""


class InternalError(Error, RuntimeError):
    """A bug in graphsurgeon."""


_KINDS: dict[int, type[Error]] = {1: InternalError, 2: UsageError, 3: DataError}


@cache
def _keywords() -> dict[str, str]:
    """What the options of the command line are called in Python."""
    from .options import EXTRAS, OPTIONS  # which need this module

    of_fit = ("init", "overwrite", "resume")
    return {option.name: keyword for keyword, option in OPTIONS.items()} | {name: name for name in (*EXTRAS, *of_fit)}


def _as_keywords(text: str) -> str:
    """'--aug-dim' as 'aug_dim', '--seed' as 'random_state'. A word that is part of a path, or unknown, stays."""

    def keyword(found: re.Match[str]) -> str:
        return _keywords().get(found[1], found[0])

    # Behind it may stand a value, or the end of a clause: none of what goes on with a path.
    return re.sub(r"(?<![^\s('\"])--([a-z][a-z0-9-]*)(?=[\s,:;=)'\"]|\.?\Z|\.\s)", keyword, text)


def from_core(kind: int, message: str, hint: str) -> Error:
    """The exception for an error of the core, whose exit code is `kind`."""
    return _KINDS.get(kind, InternalError)(message, hint)
