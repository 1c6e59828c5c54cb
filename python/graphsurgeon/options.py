"""The options of training, read from their one declaration in the core."""

from __future__ import annotations

import inspect
import json
import math
import numbers
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union

import numpy as np

from ._load import core
from .errors import UsageError


@dataclass(frozen=True)
class Option:
    """One option: `name` as on the command line, `keyword` as here."""

    name: str
    keyword: str
    help: str
    group: str
    type: str  # "INT", "FLOAT", "TEXT", "INT,...", "" (a flag) or "a|b|c"
    default: Any
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    tune: dict[str, Any] | None = None  # low, high, log: where the tuner looks

    @property
    def annotation(self) -> Any:
        """The types that the keyword takes."""
        if self.choices or self.name == "method":
            return Literal[self.choices or tuple(METHODS)]
        if self.name == "seed":
            return Union[int, np.random.Generator, np.random.RandomState, None]
        if self.name == "similarity-weight":
            return Union[str, float]
        if self.name.endswith(("-file", "-root", "seeds")):
            return Union[str, os.PathLike[str]]
        plain = {"INT": int, "FLOAT": float, "TEXT": str, "INT,...": Union[Sequence[int], int, str], "": bool}
        return plain[self.type]

    def value_of(self, value: Any) -> Any:
        """`value` as the core takes it."""
        if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
            value = value.item()  # of numpy
        if self.type == "TEXT" and isinstance(value, (int, float)) and not isinstance(value, bool):
            return f"{value:g}" if float(f"{value:g}") == value else repr(value)
        if self.type == "TEXT" and hasattr(value, "__fspath__"):
            return value.__fspath__()
        if self.type == "INT,...":
            return self._whole_numbers(value)
        return value

    def _whole_numbers(self, value: Any) -> list[int]:
        """Of a list, one number, or text as on the command line."""
        items = value.split(",") if isinstance(value, str) else value if hasattr(value, "__iter__") else [value]
        try:
            return [int(item) for item in items]
        except (TypeError, ValueError):
            raise UsageError(f"{self.keyword}: {value!r} is no list of whole numbers", "as in [10, 10]") from None


def _read() -> dict[str, Option]:
    table = {}
    for row in json.loads(core.options()):
        # scikit-learn's name for it, which users of its conventions expect.
        keyword = "random_state" if row["name"] == "seed" else row["name"].replace("-", "_")
        row["choices"] = tuple(row.get("choices", ()))
        table[keyword] = Option(keyword=keyword, **row)
    return table


OPTIONS: dict[str, Option] = _read()
METHODS: dict[str, dict[str, Any]] = json.loads(core.methods())  # summary, supervised, defaults of each

# Keywords that are not options of the core.
EXTRAS: dict[str, tuple[Any, Any, str]] = {
    "threads": (int, 0, "threads to use; 0 takes every core this process may run on"),
    "output": (Literal["torch", "numpy"], "torch", "what embeddings come back as"),
    "progress": (
        Union[bool, Literal["auto"]],
        "auto",
        "a progress bar: 'auto' shows one in a notebook and on a terminal",
    ),
}


def defaults(method: str = "") -> dict[str, Any]:
    """Every keyword with its default; those of a method where they are its own."""
    plain = {name: option.default for name, option in OPTIONS.items()} | {
        name: default for name, (_, default, _) in EXTRAS.items()
    }
    own = METHODS.get(method, {"defaults": {}})["defaults"]
    return plain | {keyword: own[option.name] for keyword, option in OPTIONS.items() if option.name in own}


def option_values(params: dict[str, Any]) -> dict[str, Any]:
    """The options among `params` that differ from the defaults of their method, by their names in the core."""
    plain = defaults(params.get("method", ""))
    values = {}
    for keyword, option in OPTIONS.items():
        if keyword in params and (value := option.value_of(params[keyword])) != plain[keyword]:
            values[option.name] = value
    return values


def option_text(params: dict[str, Any], **always: Any) -> str:
    """What the core reads: `option_values`, and `always` though it be a default. UsageError for what is not finite."""
    values = option_values(params) | always
    for name, value in values.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise UsageError(f"{name.replace('-', '_')}: {value} is not a number that can be", "give a finite one")
    return json.dumps(values)


MOST_THREADS = 1024  # as on the command line


def thread_count(threads: Any) -> int:
    """`threads` as the core takes them; UsageError where they cannot be."""
    if not isinstance(threads, numbers.Integral) or not 0 <= threads <= MOST_THREADS:
        raise UsageError(f"threads: {threads!r} is not a number of threads", f"0 to {MOST_THREADS}; 0 takes every core")
    return int(threads)


def unknown(keyword: str) -> str:
    """What to tell about a keyword that nobody knows."""
    if keyword == "seed":
        return "the keyword for the seed is 'random_state'"
    near = core.nearest(keyword, list(defaults()))
    return f"unknown option '{keyword}'" + (f"; did you mean '{near}'?" if near else "")


def signature() -> inspect.Signature:
    """That of the estimator's constructor."""
    keyword_only = inspect.Parameter.KEYWORD_ONLY
    rows = [(name, o.default, o.annotation) for name, o in OPTIONS.items()]
    rows += [(name, default, kind) for name, (kind, default, _) in EXTRAS.items()]
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [inspect.Parameter(n, keyword_only, default=d, annotation=a) for n, d, a in rows]
    return inspect.Signature(parameters)


def documentation() -> str:
    """The 'Parameters' section of the estimator's docstring."""
    lines, group = [], None
    for name, option in OPTIONS.items():
        if option.group != group:
            group = option.group
            lines += ["", f"{group}:"]
        kinds = {"INT": "int", "FLOAT": "float", "TEXT": "str", "INT,...": "list of int", "": "bool"}
        kind = " | ".join(option.choices) or kinds[option.type]
        lines += [f"{name} : {kind}, default {option.default!r}", f"    {option.help}"]
    lines += ["", "Here:"]
    for name, (_, default, text) in EXTRAS.items():
        lines += [f"{name} : default {default!r}", f"    {text}"]
    return "\n".join(lines)
