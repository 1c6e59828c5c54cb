"""The training options, read from their declaration in the core when the package is imported."""

from __future__ import annotations

import inspect
import json
import math
import numbers
import os
import re
import secrets
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Union

import numpy as np

from ._load import core
from .errors import UsageError

INDENT = "    "


def in_keywords(text: str) -> str:
    """A text of the command line that names options as in Python: `--aug-dim` is `aug_dim`."""

    def keyword(found: re.Match[str]) -> str:
        name = found[1]
        return "random_state" if name == "seed" else name.replace("-", "_")

    return re.sub(r"(?<![\w-])--([a-z][a-z0-9-]*)", keyword, text)


def _wrapped(text: str, hanging: str = "") -> list[str]:
    return textwrap.wrap(
        in_keywords(text),
        88,
        initial_indent=INDENT,
        subsequent_indent=INDENT + hanging,
        break_on_hyphens=False,
        break_long_words=False,
    )


@dataclass(frozen=True)
class Option:
    """One option: `name` on the command line and in options.json, `keyword` in Python."""

    name: str
    keyword: str
    help: str
    group: str
    type: str  # "INT", "FLOAT", "TEXT", "INT,...", "" (a flag) or "a|b|c"
    default: Any
    choices: dict[str, str] = field(default_factory=dict)  # descriptions by name
    minimum: float | None = None
    maximum: float | None = None
    tune: dict[str, Any] | None = None  # low, high, log: the tuner's search range
    renamed_from: tuple[str, ...] = ()  # names in earlier versions

    @property
    def annotation(self) -> Any:
        """The types that the keyword takes."""
        if self.keyword == "progress":
            return Union[bool, Literal["auto"]]
        if self.keyword == "graph":
            return object
        if self.choices:
            return Literal[tuple(self.choices)]
        if self.name == "seed":
            return Union[int, np.random.Generator, np.random.RandomState, None]
        if self.name == "similarity-weight":
            return Union[str, float]
        if self.name.endswith(("-file", "-root", "target-nodes")):
            return Union[str, os.PathLike[str]]
        plain = {"INT": int, "FLOAT": float, "TEXT": str, "": bool}
        return plain.get(self.type, Union[Sequence[int], int, str])

    def value_of(self, value: Any) -> Any:
        """`value` in the form that the core takes."""
        if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
            value = value.item()  # a numpy scalar
        if self.type == "TEXT":
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return f"{value:g}" if float(f"{value:g}") == value else repr(value)
            return os.fspath(value) if isinstance(value, os.PathLike) else value
        return self._integers(value) if self.type == "INT,..." else value

    def _integers(self, value: Any) -> list[int]:
        """A list, one number, or text as on the command line."""
        if isinstance(value, str):
            value = value.split(",")
        try:
            return [int(item) for item in (value if isinstance(value, Iterable) else [value])]
        except (TypeError, ValueError):
            message = f"{self.keyword}: {value!r} is not a list of integers"
            raise UsageError(message, "pass a list such as [10, 10]") from None

    def documentation(self) -> list[str]:
        """The entry in a numpydoc 'Parameters' section."""
        kinds = {"INT": "int", "FLOAT": "float", "TEXT": "str", "INT,...": "list of int"}
        kinds |= {"GRAPH": "any graph"}
        kind = kinds.get(self.type, "bool")
        if self.choices:
            listed = ", ".join(f'"{name}"' for name in self.choices)
            kind = f"{{{listed}}}" if len(listed) < 64 else "str"
        lines = [f"{self.keyword} : {kind}, default {self.default!r}", *_wrapped(self.help)]
        about = [(name, text) for name, text in self.choices.items() if text]
        if about:
            lines.append("")
        for name, text in about:
            lines += _wrapped(f"- {name}: {text}", "  ")
        return [*lines, ""]


def _read() -> dict[str, Option]:
    table = {}
    for row in json.loads(core.options()):
        # scikit-learn's name for the seed.
        keyword = "random_state" if row["name"] == "seed" else row["name"].replace("-", "_")
        choices = {choice["name"]: choice["about"] for choice in row.pop("choices", [])}
        row["renamed_from"] = tuple(row.get("renamed_from", ()))
        table[keyword] = Option(keyword=keyword, choices=choices, **row)
    return table


def _extra(keyword: str, kind: str, default: Any, text: str, **more: Any) -> Option:
    return Option(keyword, keyword, text, "Python only", kind, default, **more)


# Read-only after import, so any number of threads may use these tables at once.
OPTIONS: dict[str, Option] = _read()
# Summary, group, defaults and `supervised` of each method.
METHODS: dict[str, dict[str, Any]] = json.loads(core.methods())
# Keywords that are not options of the core.
EXTRAS: dict[str, Option] = {
    option.keyword: option
    for option in (
        _extra("threads", "INT", 0, "number of threads; 0 uses every core of this process"),
        _extra(
            "output",
            "auto|torch|numpy|pandas|polars",
            "auto",
            "type of the embeddings",
            choices={
                "auto": "a frame indexed by the ids for tables, otherwise a torch.Tensor",
                "torch": "a torch.Tensor",
                "numpy": "a numpy.ndarray",
                "pandas": "a pandas.DataFrame indexed by the ids of the nodes",
                "polars": "a polars.DataFrame with the ids in its first column",
            },
        ),
        _extra(
            "graph",
            "GRAPH",
            None,
            "the graph, if fit and transform are to take ids of nodes: for cross-validation",
        ),
        _extra(
            "progress",
            "",
            "auto",
            "progress bar; 'auto' shows one in a notebook and on a terminal",
        ),
    )
}
KEYWORDS: dict[str, Option] = OPTIONS | EXTRAS
BY_NAME: dict[str, str] = {option.name: keyword for keyword, option in OPTIONS.items()}
# Today's keywords by those of earlier versions.
RENAMED: dict[str, str] = {
    old.replace("-", "_"): keyword
    for keyword, option in OPTIONS.items()
    for old in option.renamed_from
}


def defaults(method: str = "") -> dict[str, Any]:
    """Every keyword with its default, which a method may replace by its own."""
    known = isinstance(method, str) and method in METHODS
    own = METHODS[method]["defaults"] if known else {}
    return {keyword: own.get(option.name, option.default) for keyword, option in KEYWORDS.items()}


def chosen_method(given: Iterable[str]) -> str:
    """The method where none is named, and the keywords `given` are: the rule of `train`."""
    return core.chosen_method([OPTIONS[keyword].name for keyword in given if keyword in OPTIONS])


def option_values(params: Mapping[str, Any]) -> dict[str, Any]:
    """The options in `params` that differ from their method's defaults, by their core names."""
    plain = defaults(params.get("method", ""))
    values = {}
    for keyword, option in OPTIONS.items():
        if keyword in params and (value := option.value_of(params[keyword])) != plain[keyword]:
            values[option.name] = value
    return values


def option_text(params: Mapping[str, Any], always: Iterable[str] = ()) -> str:
    """`option_values` as the JSON that the core reads, and those of `always` even if defaults.

    Raises UsageError for NaN and infinity.
    """
    values = option_values(params)
    values |= {OPTIONS[k].name: OPTIONS[k].value_of(params[k]) for k in always}
    for name, value in values.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise UsageError(f"--{name}: {value} is not finite", "pass a finite number")
    return json.dumps(values)


def resolve(given: Mapping[str, Any]) -> dict[str, Any]:
    """Every option's value after the defaults of the method and the protocol, by keyword."""
    values = json.loads(core.resolve(option_text(given, always=given)))
    return {keyword: values[option.name] for keyword, option in OPTIONS.items()}


MAX_THREADS = 1024  # as on the command line


def thread_count(threads: Any) -> int:
    """Checks `threads`; raises UsageError for what is not a number of threads."""
    if not isinstance(threads, numbers.Integral) or not 0 <= int(threads) <= MAX_THREADS:
        message = f"threads: {threads!r} is not a number of threads"
        raise UsageError(message, f"0 to {MAX_THREADS}; 0 uses every core")
    return int(threads)


def seed_of(random_state: Any) -> int:
    """The seed: an int as it is, a random one for None, or one drawn from a numpy generator."""
    if random_state is None:
        return secrets.randbelow(2**31)
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31 - 1))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**31))
    return int(random_state)


def unknown(keyword: str) -> str:
    """The message for an unknown keyword; names the new one of a renamed option."""
    if keyword == "seed":
        return "the keyword for the seed is 'random_state'"
    if keyword in RENAMED:
        return f"option '{keyword}' is now '{RENAMED[keyword]}'"
    near = core.nearest(keyword, list(KEYWORDS))
    return f"unknown option '{keyword}'" + (f"; did you mean '{near}'?" if near else "")


def signature() -> inspect.Signature:
    """The signature of the estimator's constructor."""
    kinds = inspect.Parameter
    rows = [
        kinds(name, kinds.KEYWORD_ONLY, default=option.default, annotation=option.annotation)
        for name, option in KEYWORDS.items()
    ]
    return inspect.Signature([kinds("self", kinds.POSITIONAL_OR_KEYWORD), *rows])


def documentation() -> str:
    """The 'Parameters' section of the estimator's docstring."""
    lines: list[str] = []
    group = None
    for option in KEYWORDS.values():
        if option.group != group:
            group = option.group
            lines += [f"{group}:", ""]
        lines += option.documentation()
    return "\n".join(lines)
