"""Exceptions. Every error of the core is one line and a hint; both are kept."""

from __future__ import annotations

import re
from functools import cache

# Keywords of `read_tables`.
READ_TABLES = (
    "source_column",
    "target_column",
    "weight_column",
    "id_column",
    "label_column",
    "categories",
    "ignore",
    "directed",
    "unknown_ids",
    "knn",
    "like",
)


class Error(Exception):
    """Base class of all errors that graphsurgeon raises. `hint` says how to fix it; may be empty.

    `message` and `hint` name options as on the command line (`--aug-dim`), for programs that print
    them there. The text of the exception names them as in Python (`aug_dim`).
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return _as_keywords(f"{self.message} (hint: {self.hint})" if self.hint else self.message)


class UsageError(Error, ValueError):
    """An invalid option or argument."""


class DataError(Error, ValueError):
    """An invalid graph, file or run folder."""


class InternalError(Error, RuntimeError):
    """A bug in graphsurgeon."""


_KINDS: dict[int, type[Error]] = {1: InternalError, 2: UsageError, 3: DataError}


@cache
def _keywords() -> dict[str, str]:
    """Python's keywords by their names on the command line."""
    from .options import EXTRAS, OPTIONS  # options.py imports this module

    keywords = {option.name: keyword for keyword, option in OPTIONS.items()}
    names = (*EXTRAS, "init", "overwrite", "resume", *READ_TABLES)
    return keywords | {name.replace("_", "-"): name for name in names}


def _as_keywords(text: str) -> str:
    """Replaces '--aug-dim' by 'aug_dim' and '--seed' by 'random_state'; keeps paths."""

    def keyword(found: re.Match[str]) -> str:
        return _keywords().get(found[1], found[0])

    # A value or the end of a clause may follow, but nothing that continues a path.
    return re.sub(r"(?<![^\s('\"])--([a-z][a-z0-9-]*)(?=[\s,:;=)'\"]|\.?\Z|\.\s)", keyword, text)


def from_core(kind: int, message: str, hint: str) -> Error:
    """The exception for an error of the core, whose exit code is `kind`."""
    return _KINDS.get(kind, InternalError)(message, hint)
