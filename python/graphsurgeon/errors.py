"""What can go wrong, as exceptions. The core's errors are one line and a hint; both are kept here."""

from __future__ import annotations

import re


class Error(Exception):
    """Base of all errors that graphsurgeon raises. `hint` says what to do about it; it may be empty."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} (hint: {self.hint})" if self.hint else self.message


class UsageError(Error, ValueError):
    """An option or argument that cannot be."""


class DataError(Error, ValueError):
    """A graph, file or run folder that is not what it should be."""


class InternalError(Error, RuntimeError):
    """A bug in graphsurgeon."""


_KINDS: dict[int, type[Error]] = {1: InternalError, 2: UsageError, 3: DataError}


def _as_keywords(text: str) -> str:
    """'--aug-dim' as 'aug_dim': options are keywords here. '--seed' is `random_state`."""
    text = re.sub(r"--([a-z][a-z-]*[a-z])", lambda m: m[1].replace("-", "_"), text)
    return re.sub(r"\bseed\b(?=:)", "random_state", text)


def from_core(kind: int, message: str, hint: str) -> Error:
    """The exception for an error of the core, whose exit code is `kind`."""
    return _KINDS.get(kind, InternalError)(_as_keywords(message), _as_keywords(hint))
